package jinja

// Expressions.
type (
	expr interface{}

	literal struct{ value any }

	name struct {
		id   string
		line int
	}

	listExpr  struct{ items []expr }
	tupleExpr struct{ items []expr }
	dictExpr  struct{ keys, values []expr }

	attribute struct { // obj.name
		obj  expr
		name string
		line int
	}

	item struct { // obj[index]
		obj, index expr
		line       int
	}

	slice struct{ start, stop, step expr } // parts may be nil; an index only

	call struct {
		fn   expr
		args callArgs
		line int
	}

	filtered struct { // obj|name(args)
		obj  expr
		name string
		args callArgs
		line int
	}

	tested struct { // obj is name(args)
		obj  expr
		name string
		args callArgs
		line int
	}

	unary struct { // not, -, +
		op   string
		term expr
		line int
	}

	binary struct { // arithmetic
		op          string
		left, right expr
		line        int
	}

	logical struct { // and, or
		op          string
		left, right expr
	}

	concat struct { // a ~ b ~ …
		parts []expr
		line  int
	}

	comparison struct { // first op term op term …
		first expr
		ops   []string
		terms []expr
		line  int
	}

	conditional struct { // then if test else other
		test, then, other expr // other may be nil
		line              int
	}
)

// callArgs are the arguments of a call as written.
type callArgs struct {
	pos      []expr
	kwNames  []string
	kwValues []expr
	star     expr // *args, or nil
	starstar expr // **kwargs, or nil
}

// Statements.
type (
	stmt interface{}

	textStmt struct{ text string }

	outputStmt struct {
		values []expr // written one after the other
		line   int
	}

	ifStmt struct {
		tests  []expr
		bodies [][]stmt
		other  []stmt
		line   int
	}

	forStmt struct {
		target    target
		iter      expr
		test      expr // or nil
		body      *block
		other     *block
		recursive bool
		line      int
	}

	setStmt struct {
		target target
		value  expr
		line   int
	}

	setBlockStmt struct {
		target  target
		filters []filtered // of the captured text, in order
		body    *block
		line    int
	}

	macroStmt struct{ macro *macroDef }

	callBlockStmt struct { // {% call(args) macro(…) %}body{% endcall %}
		caller *macroDef
		call   *call
		line   int
	}

	filterStmt struct {
		filters []filtered
		body    *block
		line    int
	}

	withStmt struct {
		targets []target
		values  []expr
		body    *block
		line    int
	}

	scopeStmt struct{ body *block } // {% generation %}

	breakStmt    struct{}
	continueStmt struct{}
)

// target is what can be assigned to: a name, an attribute of a namespace, or a list of targets.
type target struct {
	name  string
	attr  string // of the namespace called name
	parts []target
}

// macroDef is a macro as written.
type macroDef struct {
	name     string
	params   []string
	defaults []expr // of the last params
	body     *block
	used     map[string]bool // which of varargs, kwargs and caller the body reads
	line     int
}
