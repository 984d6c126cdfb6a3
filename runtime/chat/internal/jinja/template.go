package jinja

import (
	"fmt"
	"strings"
	"time"
)

// Template is a compiled template. It may be rendered by several goroutines at once.
type Template struct{ body *block }

// Compile parses a template; the error is an [*Error].
func Compile(source string) (t *Template, err error) {
	if len(source) > MaxSource {
		return nil, fmt.Errorf("template of %d bytes, at most %d expected", len(source), MaxSource)
	}
	defer recovered(&err)
	p := &parser{tokens: lex(strings.ToValidUTF8(source, "\ufffd"))}
	body := p.body()
	if len(p.unknown) > 0 {
		panic(p.unknown[0])
	}
	t = &Template{&block{list: body}}
	resolve(t.body)
	return t, nil
}

// Render returns the text that the template makes of variables, whose values are nil, bool,
// int64, *big.Int, float64, string, []any and *Dict. It does not change them. now is what
// strftime_now tells. The error is an [*Error], without Kind if the template raised it.
func (t *Template) Render(variables *Dict, now time.Time) (string, error) {
	return t.render(variables, now, budget)
}

func (t *Template) render(variables *Dict, now time.Time, budget int) (text string, err error) {
	defer recovered(&err)
	r := &renderer{budget: budget, now: now, out: &strings.Builder{}}
	r.scope = &scope{vars: map[string]any{}, parent: &scope{vars: globals}}
	variables.Each(func(key string, value any) { r.scope.vars[key] = value })
	r.enter(t.body)
	if r.out.Len() > MaxOutput {
		r.fail(limitError, "more than %d bytes of output", MaxOutput)
	}
	return r.out.String(), nil
}

// renderer is the state of one rendering.
type renderer struct {
	out    *strings.Builder // what is being written: the result, or a macro's text
	scope  *scope
	line   int
	budget int
	depth  int // of macros calling macros
	now    time.Time
}

// scope holds the variables of a loop's pass, of a macro's call or of a block. What is not
// found is looked up outside; assignments stay inside.
type scope struct {
	vars   map[string]any
	parent *scope
}

func (s *scope) get(name string) (any, bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// within runs b in a new scope inside of outer, after prepare has set what belongs in it.
func (r *renderer) within(outer *scope, b *block, prepare func()) (f flow) {
	r.scoped(outer, func() {
		if prepare != nil {
			prepare()
		}
		f = r.enter(b)
	})
	return f
}

func (r *renderer) scoped(outer *scope, f func()) {
	saved := r.scope
	r.scope = &scope{vars: map[string]any{}, parent: outer}
	f()
	r.scope = saved
}

// enter runs a block in the current scope.
func (r *renderer) enter(b *block) flow {
	for _, id := range b.hidden {
		r.scope.vars[id] = undefinedName(id)
	}
	return r.run(b.list)
}

// captured returns what f writes.
func (r *renderer) captured(f func()) string {
	saved := r.out
	r.out = &strings.Builder{}
	f()
	text := r.out.String()
	r.out = saved
	return text
}

func (r *renderer) write(s string) {
	if r.out.Len()+len(s) > maxText {
		r.fail(limitError, "more than %d bytes of output", MaxOutput)
	}
	r.charge(len(s)/8 + 1)
	r.out.WriteString(s)
}
