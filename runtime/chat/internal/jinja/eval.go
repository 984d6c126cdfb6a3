package jinja

import "strings"

// eval returns the value of an expression.
func (r *renderer) eval(e expr) any {
	r.charge(stepCost)
	switch e := e.(type) {
	case *literal:
		return e.value
	case *name:
		return r.lookup(e)
	case *listExpr:
		return r.evalAll(e.items)
	case *tupleExpr:
		return tuple(r.evalAll(e.items))
	case *dictExpr:
		return r.evalDict(e)
	case *attribute:
		return r.at(e.line, r.eval(e.obj), func(v any) any { return r.attribute(v, e.name) })
	case *item:
		return r.evalItem(e)
	case *call:
		fn := r.eval(e.fn)
		a := r.args(&e.args)
		r.line = e.line
		return r.call(fn, a)
	case *filtered:
		v := r.eval(e.obj)
		a := r.args(&e.args)
		r.line = e.line
		return r.filter(e.name)(r, v, a)
	case *tested:
		v := r.eval(e.obj)
		a := r.args(&e.args)
		r.line = e.line
		return r.test(e.name)(r, v, a)
	case *unary:
		return r.at(e.line, r.eval(e.term), func(v any) any { return r.unary(e.op, v) })
	case *binary:
		left, right := r.eval(e.left), r.eval(e.right)
		r.line = e.line
		return r.arithmetic(e.op, left, right)
	case *logical:
		return r.evalLogical(e)
	case *concat:
		return r.evalConcat(e)
	case *comparison:
		return r.evalComparison(e)
	case *conditional:
		return r.evalConditional(e)
	}
	r.fail(runtimeError, "unknown expression %T", e)
	return nil
}

// at sets the line for what f does with v.
func (r *renderer) at(line int, v any, f func(any) any) any {
	r.line = line
	return f(v)
}

func (r *renderer) lookup(n *name) any {
	if v, ok := r.scope.get(n.id); ok {
		return v
	}
	return undefinedName(n.id)
}

func undefinedName(id string) *undefined {
	return &undefined{undefinedError, "'" + id + "' is undefined"}
}

func (r *renderer) evalAll(list []expr) []any {
	values := make([]any, len(list))
	for i, e := range list {
		values[i] = r.eval(e)
	}
	return values
}

func (r *renderer) evalDict(e *dictExpr) any {
	d := NewDict()
	for i := range e.keys {
		key := r.eval(e.keys[i])
		d.set(r.hash(key), key, r.eval(e.values[i]))
	}
	return d
}

func (r *renderer) evalItem(e *item) any {
	obj := r.eval(e.obj)
	s, ok := e.index.(*slice)
	if !ok {
		index := r.eval(e.index)
		r.line = e.line
		return r.item(obj, index)
	}
	var parts [3]any
	for i, part := range []expr{s.start, s.stop, s.step} {
		if part != nil {
			parts[i] = r.eval(part)
		}
	}
	r.line = e.line
	return r.slice(obj, parts)
}

func (r *renderer) evalLogical(e *logical) any {
	left := r.eval(e.left)
	if truth(left) == (e.op == "or") {
		return left
	}
	return r.eval(e.right)
}

func (r *renderer) evalConcat(e *concat) any {
	var b strings.Builder
	for _, part := range e.parts {
		s := r.str(r.eval(part))
		r.line = e.line
		r.grow(&b, s)
	}
	return b.String()
}

// evalComparison compares neighbours, as Python does: 1 < x < 3.
func (r *renderer) evalComparison(e *comparison) any {
	left := r.eval(e.first)
	for i, op := range e.ops {
		right := r.eval(e.terms[i])
		r.line = e.line
		if !r.compared(op, left, right) {
			return false
		}
		left = right
	}
	return true
}

func (r *renderer) evalConditional(e *conditional) any {
	if truth(r.eval(e.test)) {
		return r.eval(e.then)
	}
	if e.other == nil {
		return &undefined{undefinedError, "the inline if-expression evaluated to false and no else section was defined"}
	}
	return r.eval(e.other)
}

func (r *renderer) filter(name string) filter {
	f := filters[name]
	if f == nil {
		r.fail(runtimeError, "%s", noSuch("filter", name))
	}
	return f
}

func (r *renderer) test(name string) test {
	t := tests[name]
	if t == nil {
		r.fail(runtimeError, "%s", noSuch("test", name))
	}
	return t
}
