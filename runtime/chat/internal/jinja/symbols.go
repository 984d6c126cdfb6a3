package jinja

import "maps"

// block is a list of statements with a scope of its own.
type block struct {
	list []stmt

	// hidden are variables of the template's caller that the block does not see, because it
	// assigns to them: see symbols.
	hidden []string
}

// symbols are the names that one scope knows, found as Jinja2's idtracking does. Jinja decides
// before it runs a template where each name comes from. A scope whose first use of a name is an
// assignment, outside of an if, owns the name from its beginning, so that scopes inside of it that read
// the name before find nothing:
//
//	{% for m in messages %}{{ tools }}{% endfor %}{% set tools = 1 %}
//
// writes nothing, even if the caller has given tools. Names that an outer scope knows are not
// affected.
type symbols struct {
	parent *symbols
	refs   map[string]bool
	hidden []string
	inner  []func() // the scopes inside, which are looked at when this one is known
}

// resolve finds the hidden names of all scopes of a template.
func resolve(root *block) { (&symbols{refs: map[string]bool{}}).scope(root) }

// within looks at a block inside of s, with names that are set when it begins.
func (s *symbols) within(b *block, params ...string) {
	s.inner = append(s.inner, func() {
		sub := &symbols{parent: s, refs: map[string]bool{}}
		for _, p := range params {
			sub.refs[p] = true
		}
		sub.scope(b)
	})
}

func (s *symbols) scope(b *block) {
	s.statements(b.list)
	b.hidden = s.hidden
	for _, look := range s.inner {
		look()
	}
}

func (s *symbols) knows(name string) bool {
	for ; s != nil; s = s.parent {
		if s.refs[name] {
			return true
		}
	}
	return false
}

func (s *symbols) load(name string) {
	if !s.knows(name) {
		s.refs[name] = true
	}
}

func (s *symbols) store(name string) {
	if s.refs[name] {
		return
	}
	if !s.knows(name) {
		s.hidden = append(s.hidden, name)
	}
	s.refs[name] = true
}

func (s *symbols) assign(t target) {
	switch {
	case t.parts != nil:
		for _, part := range t.parts {
			s.assign(part)
		}
	case t.attr != "":
		s.load(t.name)
	default:
		s.store(t.name)
	}
}

// names lists the names that a target sets.
func (t target) names() []string {
	if t.parts == nil {
		return []string{t.name}
	}
	var names []string
	for _, part := range t.parts {
		names = append(names, part.names()...)
	}
	return names
}

func (s *symbols) statements(list []stmt) {
	for _, st := range list {
		s.statement(st)
	}
}

func (s *symbols) statement(st stmt) {
	switch st := st.(type) {
	case *outputStmt:
		s.expressions(st.values)
	case *ifStmt:
		s.branches(st)
	case *forStmt:
		s.expression(st.iter)
		s.within(st.body, append(st.target.names(), "loop")...)
		s.within(st.other)
	case *setStmt:
		s.expression(st.value)
		s.assign(st.target)
	case *setBlockStmt:
		s.assign(st.target)
		s.within(st.body)
	case *macroStmt:
		s.store(st.macro.name)
		s.macro(st.macro)
	case *callBlockStmt:
		s.expression(st.call)
		s.macro(st.caller)
	case *filterStmt:
		for _, f := range st.filters {
			s.arguments(f.args)
		}
		s.within(st.body)
	case *withStmt:
		s.expressions(st.values)
		var names []string
		for _, t := range st.targets {
			names = append(names, t.names()...)
		}
		s.within(st.body, names...)
	case *scopeStmt:
		s.within(st.body)
	}
}

func (s *symbols) macro(m *macroDef) {
	params := append([]string{}, m.params...)
	for name := range m.used {
		params = append(params, name)
	}
	s.within(m.body, params...)
}

// branches looks at an if: what its branches assign may come from outside as well.
func (s *symbols) branches(st *ifStmt) {
	for _, test := range st.tests[:1] {
		s.expression(test)
	}
	merged := maps.Clone(s.refs)
	for i, body := range append(st.bodies[:len(st.bodies):len(st.bodies)], st.other) {
		branch := &symbols{parent: s.parent, refs: maps.Clone(s.refs)}
		if i > 0 && i < len(st.tests) {
			branch.expression(st.tests[i])
		}
		branch.statements(body)
		maps.Copy(merged, branch.refs)
		s.adopt(branch)
	}
	s.refs = merged
}

// adopt takes over the inner scopes of a branch, whose own scope is s.
func (s *symbols) adopt(branch *symbols) {
	for _, look := range branch.inner {
		s.inner = append(s.inner, func() {
			branch.refs = s.refs
			look()
		})
	}
}

func (s *symbols) expressions(list []expr) {
	for _, e := range list {
		s.expression(e)
	}
}

func (s *symbols) arguments(a callArgs) {
	s.expressions(a.pos)
	s.expressions(a.kwValues)
	s.expression(a.star)
	s.expression(a.starstar)
}

// expression notes the names that e reads; e may be nil.
func (s *symbols) expression(e expr) {
	switch e := e.(type) {
	case *name:
		s.load(e.id)
	case *listExpr:
		s.expressions(e.items)
	case *tupleExpr:
		s.expressions(e.items)
	case *dictExpr:
		s.expressions(e.keys)
		s.expressions(e.values)
	case *attribute:
		s.expression(e.obj)
	case *item:
		s.expressions([]expr{e.obj, e.index})
	case *slice:
		s.expressions([]expr{e.start, e.stop, e.step})
	case *call:
		s.expression(e.fn)
		s.arguments(e.args)
	case *filtered:
		s.expression(e.obj)
		s.arguments(e.args)
	case *tested:
		s.expression(e.obj)
		s.arguments(e.args)
	case *unary:
		s.expression(e.term)
	case *binary:
		s.expressions([]expr{e.left, e.right})
	case *logical:
		s.expressions([]expr{e.left, e.right})
	case *concat:
		s.expressions(e.parts)
	case *comparison:
		s.expression(e.first)
		s.expressions(e.terms)
	case *conditional:
		s.expressions([]expr{e.test, e.then, e.other})
	}
}
