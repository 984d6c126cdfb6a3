package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// str is Python's str(v), which is what {{ v }} writes.
func (r *renderer) str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case markup:
		return string(v)
	case *undefined:
		return ""
	}
	return r.repr(v)
}

// repr is Python's repr(v), which is what a string looks like inside of a list.
func (r *renderer) repr(v any) string {
	var b strings.Builder
	r.writeRepr(&b, v, 0)
	return r.built(b.String())
}

func (r *renderer) writeRepr(b *strings.Builder, v any, depth int) {
	r.nested(depth)
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		b.WriteString(pythonBool(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case *big.Int:
		b.WriteString(v.String())
	case float64:
		b.WriteString(floatText(v))
	case string:
		r.charge(len(v)/8 + 1)
		if b.Len()+len(v) > maxText {
			r.tooLong()
		}
		writeQuoted(b, v)
	case markup:
		b.WriteString("Markup(")
		r.writeRepr(b, string(v), depth)
		b.WriteString(")")
	case *undefined:
		b.WriteString("Undefined")
	case []any:
		r.writeSequence(b, "[", v, "]", depth)
	case tuple:
		r.writeTuple(b, v, depth)
	case *Dict:
		r.writeDict(b, v, depth)
	case *view:
		r.writeSequence(b, v.name+"([", v.items, "])", depth)
	case *rangeValue:
		writeRange(b, v)
	case *namespace:
		b.WriteString("<Namespace ")
		r.writeDict(b, v.vars, depth)
		b.WriteString(">")
	default: // Python prints an address
		r.fail(unsupported, "the text of a %s", typeName(v))
	}
}

func pythonBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func (r *renderer) writeSequence(b *strings.Builder, open string, items []any, end string, depth int) {
	b.WriteString(open)
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		r.writeRepr(b, item, depth+1)
	}
	b.WriteString(end)
}

func (r *renderer) writeTuple(b *strings.Builder, t tuple, depth int) {
	end := ")"
	if len(t) == 1 {
		end = ",)"
	}
	r.writeSequence(b, "(", t, end, depth)
}

func (r *renderer) writeDict(b *strings.Builder, d *Dict, depth int) {
	b.WriteString("{")
	for i, e := range d.entries {
		if i > 0 {
			b.WriteString(", ")
		}
		r.writeRepr(b, e.key, depth+1)
		b.WriteString(": ")
		r.writeRepr(b, e.value, depth+1)
	}
	b.WriteString("}")
}

func writeRange(b *strings.Builder, g *rangeValue) {
	if g.step == 1 {
		fmt.Fprintf(b, "range(%d, %d)", g.start, g.stop)
		return
	}
	fmt.Fprintf(b, "range(%d, %d, %d)", g.start, g.stop, g.step)
}

// floatText is Python's repr of a float: the shortest digits that read back the same,
// with an exponent below 1e-4 and from 1e16 on.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64) // Go writes e-05 as well
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// writeQuoted writes Python's repr of a string: in single quotes, unless it holds some and no
// double ones.
func writeQuoted(b *strings.Builder, s string) {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b.WriteRune(quote)
	for _, c := range s {
		switch {
		case c == quote || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(c):
			b.WriteRune(c)
		case c < 0x100:
			fmt.Fprintf(b, `\x%02x`, c)
		case c < 0x10000:
			fmt.Fprintf(b, `\u%04x`, c)
		default:
			fmt.Fprintf(b, `\U%08x`, c)
		}
	}
	b.WriteRune(quote)
}

// isSpace is Python's str.isspace of one character.
func isSpace(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f }

func trimSpace(s string) string      { return strings.TrimFunc(s, isSpace) }
func trimSpaceLeft(s string) string  { return strings.TrimLeftFunc(s, isSpace) }
func trimSpaceRight(s string) string { return strings.TrimRightFunc(s, isSpace) }
