package jinja

import (
	"strings"
	"time"
)

// globals are the functions of Jinja's sandbox and the two of transformers.
var globals = map[string]any{
	"range":           &function{"range", rangeFunction},
	"dict":            &function{"dict", dictFunction},
	"namespace":       &function{"namespace", namespaceFunction},
	"cycler":          refused("cycler"),
	"joiner":          &function{"joiner", joinerFunction},
	"lipsum":          refused("lipsum"),
	"raise_exception": &function{"raise_exception", raiseFunction},
	"strftime_now":    &function{"strftime_now", timeFunction},
}

func refused(name string) *function {
	return &function{name, func(r *renderer, a *arguments) any {
		r.fail(unsupported, "%s()", name)
		return nil
	}}
}

func rangeFunction(r *renderer, a *arguments) any {
	if len(a.pos) < 1 || len(a.pos) > 3 || len(a.kw) > 0 {
		r.fail(typeError, "range expected 1 to 3 arguments, got %d", len(a.pos)+len(a.kw))
	}
	var n [3]int64
	for i, v := range a.pos {
		n[i] = r.mustInt("range() argument", v)
		if n[i] > 1<<61 || n[i] < -1<<61 {
			r.overflow()
		}
	}
	g := &rangeValue{start: n[0], stop: n[1], step: n[2]}
	switch len(a.pos) {
	case 1:
		g = &rangeValue{stop: n[0], step: 1}
	case 2:
		g.step = 1
	}
	if g.step == 0 {
		r.fail(valueError, "range() arg 3 must not be zero")
	}
	if g.len() > maxRange {
		r.fail(overflowError, "Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", maxRange)
	}
	return g
}

func dictFunction(r *renderer, a *arguments) any {
	d := NewDict()
	if len(a.pos) > 1 {
		r.fail(typeError, "dict expected at most 1 argument, got %d", len(a.pos))
	}
	for _, v := range a.pos {
		r.fill(d, v)
	}
	for _, name := range a.names {
		d.Set(name, a.kw[name])
	}
	r.charge(elemCost * d.Len())
	return d
}

// fill takes the entries of a dict or of pairs.
func (r *renderer) fill(d *Dict, v any) {
	if source, ok := v.(*Dict); ok {
		for _, e := range source.entries {
			d.set(r.hash(e.key), e.key, e.value)
		}
		return
	}
	for _, e := range r.iterate(v) {
		pair := r.iterate(e)
		if len(pair) != 2 {
			r.fail(valueError, "dictionary update sequence element has length %d; 2 is required", len(pair))
		}
		d.set(r.hash(pair[0]), pair[0], pair[1])
	}
}

func namespaceFunction(r *renderer, a *arguments) any {
	return &namespace{dictFunction(r, a).(*Dict)}
}

// joinerFunction returns a function that gives "" first and then its separator.
func joinerFunction(r *renderer, a *arguments) any {
	separator := a.bind(r, "joiner", 0, "sep")[0].or(", ")
	used := false
	return &function{"joiner", func(r *renderer, a *arguments) any {
		if !used {
			used = true
			return ""
		}
		return separator
	}}
}

// raiseFunction ends the rendering with the template's own message.
func raiseFunction(r *renderer, a *arguments) any {
	message := r.str(a.bind(r, "raise_exception", 1, "message")[0].value)
	panic(&Error{Line: r.line, Message: message})
}

func timeFunction(r *renderer, a *arguments) any {
	format := r.mustText("strftime_now() argument", a.bind(r, "strftime_now", 1, "format")[0].value)
	return r.built(r.strftime(r.now, format))
}

// layouts are Go's spellings of C's directives, in the C locale.
var layouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January",
	'd': "02", 'e': "_2", 'm': "01", 'y': "06", 'Y': "2006", 'j': "002",
	'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM",
	'D': "01/02/06", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", 'r': "03:04:05 PM",
	'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05",
}

// unpadded are the directives with "-", as glibc has them.
var unpadded = map[byte]string{'d': "2", 'e': "2", 'm': "1", 'I': "3", 'M': "4", 'S': "5"}

func (r *renderer) strftime(t time.Time, format string) string {
	r.charge(32 * len(format))
	r.room(8 * len(format))
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		i++
		table := layouts
		if format[i] == '-' && i+1 < len(format) {
			i++
			table = unpadded
		}
		layout, ok := table[format[i]]
		switch {
		case ok:
			out.WriteString(t.Format(layout))
		case format[i] == '%':
			out.WriteByte('%')
		case format[i] == 'f':
			out.WriteString(t.Format(".000000")[1:])
		default:
			r.fail(unsupported, "the time format %s", format)
		}
	}
	return out.String()
}
