package jinja

// arguments are the values of a call.
type arguments struct {
	pos   []any
	names []string // of kw, in order
	kw    map[string]any
}

func (a *arguments) set(name string, v any) {
	if a.kw == nil {
		a.kw = map[string]any{}
	}
	a.names = append(a.names, name)
	a.kw[name] = v
}

// args evaluates the arguments of a call.
func (r *renderer) args(c *callArgs) *arguments {
	a := &arguments{pos: r.evalAll(c.pos)}
	for i, name := range c.kwNames {
		r.setArgument(a, name, r.eval(c.kwValues[i]))
	}
	if c.star != nil {
		a.pos = append(a.pos, r.iterate(r.eval(c.star))...)
	}
	if c.starstar != nil {
		d, ok := r.eval(c.starstar).(*Dict)
		if !ok {
			r.fail(typeError, "argument after ** must be a mapping")
		}
		for _, e := range d.entries {
			name, ok := e.key.(string)
			if !ok {
				r.fail(typeError, "keywords must be strings")
			}
			r.setArgument(a, name, e.value)
		}
	}
	return a
}

func (r *renderer) setArgument(a *arguments, name string, v any) {
	if _, ok := a.kw[name]; ok {
		r.fail(typeError, "got multiple values for keyword argument '%s'", name)
	}
	a.set(name, v)
}

// parameter is an argument that may not have been given.
type parameter struct {
	value any
	given bool
}

func (p parameter) or(fallback any) any {
	if p.given {
		return p.value
	}
	return fallback
}

// bind returns the arguments of the function called fn in the order of params, of which the
// first required ones must be given.
func (a *arguments) bind(r *renderer, fn string, required int, params ...string) []parameter {
	if len(a.pos) > len(params) {
		r.fail(typeError, "%s() takes at most %d arguments (%d given)", fn, len(params), len(a.pos))
	}
	bound := make([]parameter, len(params))
	for i, v := range a.pos {
		bound[i] = parameter{v, true}
	}
	for _, name := range a.names {
		i := indexOf(params, name)
		if i < 0 {
			r.fail(typeError, "%s() got an unexpected keyword argument '%s'", fn, name)
		}
		if bound[i].given {
			r.fail(typeError, "%s() got multiple values for argument '%s'", fn, name)
		}
		bound[i] = parameter{a.kw[name], true}
	}
	for i := range required {
		if !bound[i].given {
			r.fail(typeError, "%s() missing the argument '%s'", fn, params[i])
		}
	}
	return bound
}

func indexOf(list []string, s string) int {
	for i, e := range list {
		if e == s {
			return i
		}
	}
	return -1
}

// call calls what a template can call.
func (r *renderer) call(fn any, a *arguments) any {
	r.charge(stepCost)
	switch fn := fn.(type) {
	case *function:
		return fn.call(r, a)
	case *macro:
		return fn.call(r, a)
	case *loop:
		return fn.again(r, a)
	case *undefined:
		r.fail(fn.kind, "%s", fn.message)
	}
	r.fail(typeError, "'%s' object is not callable", typeName(fn))
	return nil
}

// recursing runs f one level deeper.
func (r *renderer) recursing(f func()) {
	r.depth++
	if r.depth > maxDepth {
		r.fail(limitError, "macros call each other deeper than %d", maxDepth)
	}
	f()
	r.depth--
}

// macro is a macro with the scope that it was defined in.
type macro struct {
	def   *macroDef
	scope *scope
}

// call returns the text of a macro's body.
func (m *macro) call(r *renderer, a *arguments) any {
	text := ""
	r.recursing(func() {
		line := r.line
		text = r.captured(func() {
			r.within(m.scope, m.def.body, func() { m.bind(r, a, r.scope.vars) })
		})
		r.line = line
	})
	return text
}

// bind sets the parameters; those left out without a default are undefined.
func (m *macro) bind(r *renderer, a *arguments, vars map[string]any) {
	def := m.def
	extra := NewDict()
	for _, name := range a.names {
		switch i := indexOf(def.params, name); {
		case i >= 0 && i < len(a.pos):
			r.fail(typeError, "macro '%s' got multiple values for argument '%s'", def.name, name)
		case i >= 0:
			vars[name] = a.kw[name]
		case name == "caller":
		default:
			extra.Set(name, a.kw[name])
		}
	}
	for i, name := range def.params {
		if i < len(a.pos) {
			vars[name] = a.pos[i]
		} else if _, ok := vars[name]; !ok {
			vars[name] = m.missing(r, i)
		}
	}
	m.bindRest(r, a, extra, vars)
}

// missing is the value of a parameter that was not given. Defaults may use parameters before them.
func (m *macro) missing(r *renderer, i int) any {
	def := m.def
	if d := i - (len(def.params) - len(def.defaults)); d >= 0 {
		return r.eval(def.defaults[d])
	}
	return &undefined{undefinedError, "parameter '" + def.params[i] + "' was not provided"}
}

// bindRest sets varargs, kwargs and caller, which a macro takes only if its body reads them.
func (m *macro) bindRest(r *renderer, a *arguments, extra *Dict, vars map[string]any) {
	def := m.def
	rest := a.pos[min(len(a.pos), len(def.params)):]
	switch {
	case def.used["varargs"]:
		vars["varargs"] = tuple(rest)
	case len(rest) > 0:
		r.fail(typeError, "macro '%s' takes not more than %d argument(s)", def.name, len(def.params))
	}
	switch {
	case def.used["kwargs"]:
		vars["kwargs"] = extra
	case extra.Len() > 0:
		r.fail(typeError, "macro '%s' takes no keyword argument '%s'", def.name, r.str(extra.entries[0].key))
	}
	caller, given := a.kw["caller"]
	switch {
	case def.used["caller"] && given:
		vars["caller"] = caller
	case def.used["caller"]:
		vars["caller"] = &undefined{undefinedError, "No caller defined"}
	case given && indexOf(def.params, "caller") < 0:
		r.fail(typeError, "macro '%s' was invoked with two values for the special caller argument", def.name)
	}
}
