package jinja

// flow says how a list of statements ended.
type flow int

const (
	flowOn flow = iota
	flowBreak
	flowContinue
)

func (r *renderer) run(list []stmt) flow {
	for _, s := range list {
		if f := r.exec(s); f != flowOn {
			return f
		}
	}
	return flowOn
}

func (r *renderer) exec(s stmt) flow {
	r.charge(stepCost)
	switch s := s.(type) {
	case *textStmt:
		r.write(s.text)
	case *outputStmt:
		r.line = s.line
		for _, value := range s.values {
			r.write(r.str(r.eval(value)))
		}
	case *ifStmt:
		return r.execIf(s)
	case *forStmt:
		r.line = s.line
		r.execFor(s, r.eval(s.iter), nil)
	case *setStmt:
		r.line = s.line
		r.assign(s.target, r.eval(s.value))
	case *setBlockStmt:
		r.assign(s.target, r.blockText(s.filters, s.body))
	case *macroStmt:
		r.scope.vars[s.macro.name] = &macro{def: s.macro, scope: r.scope}
	case *callBlockStmt:
		r.execCall(s)
	case *filterStmt:
		r.write(r.str(r.blockText(s.filters, s.body)))
	case *withStmt:
		r.execWith(s)
	case *scopeStmt:
		r.within(r.scope, s.body, nil)
	case breakStmt:
		return flowBreak
	case continueStmt:
		return flowContinue
	}
	return flowOn
}

func (r *renderer) execIf(s *ifStmt) flow {
	r.line = s.line
	for i, test := range s.tests {
		if truth(r.eval(test)) {
			return r.run(s.bodies[i])
		}
	}
	return r.run(s.other)
}

// blockText runs body in its own scope and returns its text after the filters.
func (r *renderer) blockText(chain []filtered, body *block) any {
	var v any = r.captured(func() { r.within(r.scope, body, nil) })
	for i := range chain {
		r.line = chain[i].line
		v = r.filter(chain[i].name)(r, v, r.args(&chain[i].args))
	}
	return v
}

func (r *renderer) execCall(s *callBlockStmt) {
	r.line = s.line
	fn := r.eval(s.call.fn)
	a := r.args(&s.call.args)
	a.set("caller", &macro{def: s.caller, scope: r.scope})
	r.write(r.str(r.call(fn, a)))
}

func (r *renderer) execWith(s *withStmt) {
	r.line = s.line
	values := make([]any, len(s.values))
	for i, v := range s.values {
		values[i] = r.eval(v)
	}
	r.within(r.scope, s.body, func() {
		for i, t := range s.targets {
			r.assign(t, values[i])
		}
	})
}

func (r *renderer) assign(t target, v any) {
	switch {
	case t.parts != nil:
		items := r.iterate(v)
		if len(items) != len(t.parts) {
			r.fail(valueError, "%d values to unpack, expected %d", len(items), len(t.parts))
		}
		for i, part := range t.parts {
			r.assign(part, items[i])
		}
	case t.attr != "":
		value, _ := r.scope.get(t.name)
		ns, ok := value.(*namespace)
		if !ok {
			r.fail(runtimeError, "cannot assign attribute on non-namespace object '%s'", t.name)
		}
		ns.vars.Set(t.attr, v)
	default:
		r.scope.vars[t.name] = v
	}
}

// loop is the variable loop inside of a for.
type loop struct {
	stmt     *forStmt
	outer    *scope // around the statement, for recursion
	items    []any
	index    int // of the current element, from 0
	depth    int // of recursion, from 0
	changed  []any
	anything bool // changed was called
}

// execFor runs a loop over v; parent is the loop that calls itself, if one does.
func (r *renderer) execFor(s *forStmt, v any, parent *loop) {
	outer := r.scope
	if parent != nil {
		outer = parent.outer
	}
	l := &loop{stmt: s, outer: outer, items: r.loopItems(s, outer, r.iterate(v))}
	if parent != nil {
		l.depth = parent.depth + 1
	}
	for l.index = range l.items {
		r.charge(stepCost)
		f := r.within(outer, s.body, func() {
			r.assign(s.target, l.items[l.index])
			r.scope.vars["loop"] = l
		})
		if f == flowBreak {
			halfRead(v)
			break
		}
	}
	if len(l.items) == 0 {
		r.within(outer, s.other, nil)
	}
}

// loopItems returns the elements that pass the loop's test.
func (r *renderer) loopItems(s *forStmt, outer *scope, items []any) []any {
	if s.test == nil {
		return items
	}
	var kept []any
	for _, item := range items {
		r.scoped(outer, func() {
			r.assign(s.target, item)
			if truth(r.eval(s.test)) {
				kept = append(kept, item)
			}
		})
	}
	return kept
}

// attribute returns loop.name.
func (l *loop) attribute(r *renderer, name string) (any, bool) {
	n := len(l.items)
	switch name {
	case "index":
		return int64(l.index + 1), true
	case "index0":
		return int64(l.index), true
	case "revindex":
		return int64(n - l.index), true
	case "revindex0":
		return int64(n - l.index - 1), true
	case "first":
		return l.index == 0, true
	case "last":
		return l.index == n-1, true
	case "length":
		return int64(n), true
	case "depth":
		return int64(l.depth + 1), true
	case "depth0":
		return int64(l.depth), true
	case "previtem":
		if l.index == 0 {
			return &undefined{undefinedError, "there is no previous item"}, true
		}
		return l.items[l.index-1], true
	case "nextitem":
		if l.index == n-1 {
			return &undefined{undefinedError, "there is no next item"}, true
		}
		return l.items[l.index+1], true
	case "cycle":
		return &function{"cycle", l.cycle}, true
	case "changed":
		return &function{"changed", l.isChanged}, true
	}
	return nil, false
}

func (l *loop) cycle(r *renderer, a *arguments) any {
	if len(a.pos) == 0 {
		r.fail(typeError, "no items for cycling given")
	}
	return a.pos[l.index%len(a.pos)]
}

func (l *loop) isChanged(r *renderer, a *arguments) any {
	if l.anything && r.equal(tuple(l.changed), tuple(a.pos), 0) {
		return false
	}
	l.changed, l.anything = a.pos, true
	return true
}

// again runs the loop of a recursive for on v and returns its text.
func (l *loop) again(r *renderer, a *arguments) any {
	if !l.stmt.recursive {
		r.fail(typeError, "the loop must have the 'recursive' marker to be called recursively")
	}
	v := a.bind(r, "loop", 1, "iterable")[0].value
	var text string
	r.recursing(func() {
		text = r.captured(func() { r.execFor(l.stmt, v, l) })
	})
	return text
}
