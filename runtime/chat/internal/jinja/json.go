package jinja

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// jsonStyle is what json.dumps can be told.
type jsonStyle struct {
	ascii    bool
	indent   string
	indented bool
	itemEnd  string // between elements
	keyEnd   string // between key and value
	sorted   bool
}

// filterJSON is the tojson of transformers, which is json.dumps with ensure_ascii=False, and not
// that of Jinja, which escapes for HTML.
func filterJSON(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "tojson", 0, "ensure_ascii", "indent", "separators", "sort_keys")
	s := jsonStyle{itemEnd: ", ", keyEnd: ": ", ascii: truth(p[0].or(false)), sorted: truth(p[3].or(false))}
	switch indent := p[1].or(nil).(type) {
	case nil:
	case string:
		s.indent, s.indented = indent, true
	case int64, bool:
		n, _ := integral(indent)
		if n > 100 {
			r.fail(limitError, "an indent of %d", n)
		}
		s.indent, s.indented = strings.Repeat(" ", int(max(n, 0))), true
	default:
		r.fail(typeError, "indent of tojson: %s", typeName(indent))
	}
	if s.indented {
		s.itemEnd = ","
	}
	if given := p[2].or(nil); given != nil {
		pair := r.iterate(given)
		if len(pair) != 2 {
			r.fail(valueError, "separators of tojson: 2 expected, found %d", len(pair))
		}
		s.itemEnd, s.keyEnd = r.str(pair[0]), r.str(pair[1])
	}
	var b strings.Builder
	r.writeJSON(&b, v, &s, 0)
	return r.built(b.String())
}

func (r *renderer) writeJSON(b *strings.Builder, v any, s *jsonStyle, depth int) {
	r.nested(depth)
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(jsonBool(v))
	case int64, *big.Int:
		fmt.Fprint(b, v)
	case float64:
		b.WriteString(jsonFloat(v))
	case string:
		r.writeJSONString(b, v, s.ascii)
	case markup:
		r.writeJSON(b, string(v), s, depth)
	case []any:
		r.writeJSONList(b, v, s, depth)
	case tuple:
		r.writeJSONList(b, v, s, depth)
	case *Dict:
		r.writeJSONDict(b, v, s, depth)
	default:
		r.fail(typeError, "Object of type %s is not JSON serializable", typeName(v))
	}
}

func jsonBool(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func jsonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return floatText(f)
}

func (r *renderer) newline(s *jsonStyle, b *strings.Builder, depth int) {
	if s.indented {
		b.WriteByte('\n')
		for range depth {
			r.grow(b, s.indent)
		}
	}
}

func (r *renderer) writeJSONList(b *strings.Builder, list []any, s *jsonStyle, depth int) {
	if len(list) == 0 {
		b.WriteString("[]")
		return
	}
	b.WriteByte('[')
	for i, item := range list {
		if i > 0 {
			r.grow(b, s.itemEnd)
		}
		r.newline(s, b, depth+1)
		r.writeJSON(b, item, s, depth+1)
	}
	r.newline(s, b, depth)
	b.WriteByte(']')
}

func (r *renderer) writeJSONDict(b *strings.Builder, d *Dict, s *jsonStyle, depth int) {
	if len(d.entries) == 0 {
		b.WriteString("{}")
		return
	}
	entries := d.entries
	if s.sorted {
		entries = slices.Clone(entries)
		slices.SortStableFunc(entries, func(a, b entry) int { return r.compare("<", a.key, b.key) })
	}
	b.WriteByte('{')
	for i, e := range entries {
		if i > 0 {
			r.grow(b, s.itemEnd)
		}
		r.newline(s, b, depth+1)
		r.writeJSONString(b, r.jsonKey(e.key), s.ascii)
		r.grow(b, s.keyEnd)
		r.writeJSON(b, e.value, s, depth+1)
	}
	r.newline(s, b, depth)
	b.WriteByte('}')
}

// jsonKey is the text that json.dumps makes of a key.
func (r *renderer) jsonKey(key any) string {
	switch key := key.(type) {
	case nil:
		return "null"
	case bool:
		return jsonBool(key)
	case float64:
		return jsonFloat(key)
	case int64, *big.Int, string, markup:
		return fmt.Sprint(key)
	}
	r.fail(typeError, "keys must be str, int, float, bool or None, not %s", typeName(key))
	return ""
}

func (r *renderer) writeJSONString(b *strings.Builder, s string, ascii bool) {
	r.charge(len(s)/8 + 1)
	if b.Len()+len(s) > maxText {
		r.tooLong()
	}
	b.WriteByte('"')
	for _, c := range s {
		if escape := jsonEscape(c); escape != "" {
			b.WriteString(escape)
			continue
		}
		switch {
		case c < 0x20 || ascii && c >= 0x7f && c < 0x10000:
			fmt.Fprintf(b, `\u%04x`, c)
		case ascii && c >= 0x10000:
			fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+(c-0x10000)>>10, 0xdc00+(c-0x10000)&0x3ff)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
}

func jsonEscape(c rune) string {
	switch c {
	case '"':
		return `\"`
	case '\\':
		return `\\`
	case '\n':
		return `\n`
	case '\r':
		return `\r`
	case '\t':
		return `\t`
	case '\b':
		return `\b`
	case '\f':
		return `\f`
	}
	return ""
}
