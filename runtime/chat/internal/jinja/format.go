package jinja

import (
	"math"
	"strconv"
	"strings"
)

// spec is a format specification, of "%5.2f" or of "{:>5.2f}".
type spec struct {
	fill      rune
	align     byte // '<', '>', '^', '=' or 0
	plus      byte // '+', ' ' or 0
	zero      bool
	comma     bool
	width     int
	precision int // -1: none
	verb      byte
}

// printf is format % v.
func (r *renderer) printf(format string, v any) string {
	var b strings.Builder
	args, isTuple := v.(tuple)
	if !isTuple {
		args = tuple{v}
	}
	used := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		if i++; i < len(format) && format[i] == '%' {
			b.WriteByte('%')
			continue
		}
		s, size := r.printfSpec(format[i:])
		i += size - 1
		if used == len(args) {
			r.fail(typeError, "not enough arguments for format string")
		}
		r.grow(&b, r.formatted(s, args[used]))
		used++
	}
	if used < len(args) && !isMapping(v) {
		r.fail(typeError, "not all arguments converted during string formatting")
	}
	return b.String()
}

// isMapping says whether Python takes v for a mapping of names, which need not all be used.
func isMapping(v any) bool {
	switch v.(type) {
	case *Dict, []any, *rangeValue, *undefined:
		return true
	}
	return false
}

// printfSpec reads flags, width, precision and verb.
func (r *renderer) printfSpec(f string) (spec, int) {
	s := spec{fill: ' ', align: '>', precision: -1}
	i := 0
	for ; i < len(f) && strings.IndexByte("-+ 0", f[i]) >= 0; i++ {
		switch f[i] {
		case '-':
			s.align = '<'
		case '0':
			s.zero = true
		default:
			s.plus = f[i]
		}
	}
	s.width, i = r.width(f, i)
	if i < len(f) && f[i] == '.' {
		s.precision, i = r.width(f, i+1)
	}
	if i == len(f) {
		r.fail(valueError, "incomplete format")
	}
	s.verb = f[i]
	if strings.IndexByte("sdifxrXeEgG", s.verb) < 0 {
		r.fail(unsupported, "format '%%%s'", f[:i+1])
	}
	if s.verb == 'i' {
		s.verb = 'd'
	}
	if s.zero && s.align == '<' {
		s.zero = false
	}
	return s, i + 1
}

// width reads a number, 0 if there is none.
func (r *renderer) width(f string, i int) (int, int) {
	n := 0
	for ; i < len(f) && isDigit(f[i]); i++ {
		if n = 10*n + int(f[i]-'0'); n > 10000 {
			r.fail(limitError, "a format of more than 10000 characters")
		}
	}
	return n, i
}

// formatted is v by a specification.
func (r *renderer) formatted(s spec, v any) string {
	var out string
	numeric := true
	switch s.verb {
	case 's', 'r':
		numeric = false
		if out = r.str(v); s.verb == 'r' {
			out = r.repr(v)
		}
		if s.precision >= 0 {
			out = string([]rune(out)[:min(s.precision, len([]rune(out)))])
		}
	case 'd', 'x', 'X':
		out = r.formatInteger(s, v)
	default:
		x, ok := number(v)
		if !ok {
			r.fail(typeError, "must be real number, not %s", typeName(v))
		}
		out = formatFloat(s, x)
	}
	if numeric && s.plus != 0 && !strings.HasPrefix(out, "-") {
		out = string(s.plus) + out
	}
	return r.built(s.pad(out, numeric))
}

func (r *renderer) formatInteger(s spec, v any) string {
	n, ok := integer(v)
	if f, isFloat := v.(float64); isFloat && s.verb == 'd' && math.Abs(f) < 1<<62 {
		n, ok = int64(f), true
	}
	if !ok {
		r.fail(typeError, "%%%c format: a real number is required, not %s", s.verb, typeName(v))
	}
	if s.precision >= 0 {
		r.fail(unsupported, "a precision for integers")
	}
	base := 16
	if s.verb == 'd' {
		base = 10
	}
	out := strconv.FormatInt(n, base)
	if s.verb == 'X' {
		out = strings.ToUpper(out)
	}
	if s.comma {
		out = groupThousands(out)
	}
	return out
}

func formatFloat(s spec, x float64) string {
	precision := s.precision
	if precision < 0 {
		precision = 6
	}
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(x, 'f', -1, 64)), "+")
	case s.verb == 'g' || s.verb == 'G':
		precision = max(precision, 1)
	}
	out := strconv.FormatFloat(x, s.verb|0x20, precision, 64)
	if s.verb == 'E' || s.verb == 'G' {
		out = strings.ToUpper(out)
	}
	if s.comma {
		out = groupThousands(out)
	}
	return out
}

// groupThousands puts commas between groups of three digits before the point.
func groupThousands(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, rest := s, ""
	if i := strings.IndexAny(s, ".e"); i >= 0 {
		whole, rest = s[:i], s[i:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return sign + whole + rest
}

func (s spec) pad(out string, numeric bool) string {
	n := s.width - len([]rune(out))
	if n <= 0 {
		return out
	}
	align, fill := s.align, s.fill
	if s.zero && numeric {
		align, fill = '=', '0'
	}
	filling := strings.Repeat(string(fill), n)
	switch align {
	case '<':
		return out + filling
	case '^':
		half := n / 2 * len(string(fill))
		return filling[:half] + out + filling[half:]
	case '=':
		if out != "" && strings.IndexByte("+- ", out[0]) >= 0 {
			return out[:1] + filling + out[1:]
		}
	}
	return filling + out
}

// formatMethod is str.format: {}, {0}, {name}, each with a specification or without.
func formatMethod(r *renderer, v any, a *arguments) any {
	var b strings.Builder
	s, auto := v.(string), 0
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		if strings.HasPrefix(s[i:], "{{") || strings.HasPrefix(s[i:], "}}") {
			b.WriteByte(s[i])
			s = s[i+2:]
			continue
		}
		end := strings.IndexByte(s[i:], '}')
		if s[i] == '}' || end < 0 {
			r.fail(valueError, "single '%c' encountered in format string", s[i])
		}
		r.grow(&b, r.field(s[i+1:i+end], a, &auto))
		s = s[i+end+1:]
	}
	return r.built(b.String())
}

// field is the text of a replacement field.
func (r *renderer) field(field string, a *arguments, auto *int) string {
	if strings.ContainsAny(field, ".[{!") && !strings.Contains(field, ":") {
		r.fail(unsupported, "the format field {%s}", field)
	}
	which, how, _ := strings.Cut(field, ":")
	var v any
	switch n, err := strconv.Atoi(which); {
	case which == "":
		v = r.positional(a, *auto)
		*auto++
	case err == nil:
		v = r.positional(a, n)
	default:
		value, ok := a.kw[which]
		if !ok {
			r.fail("KeyError", "'%s'", which)
		}
		v = value
	}
	if how == "" {
		return r.str(v)
	}
	return r.formatted(r.fieldSpec(how, v), v)
}

func (r *renderer) positional(a *arguments, i int) any {
	if i < 0 || i >= len(a.pos) {
		r.fail("IndexError", "Replacement index %d out of range for positional args tuple", i)
	}
	return a.pos[i]
}

// fieldSpec reads [[fill]align][sign][0][width][,][.precision][verb] for a value.
func (r *renderer) fieldSpec(how string, v any) spec {
	s := spec{fill: ' ', precision: -1}
	f := []rune(how)
	isAlign := func(i int) bool { return i < len(f) && strings.ContainsRune("<>^=", f[i]) }
	switch {
	case isAlign(1):
		s.fill, s.align, f = f[0], byte(f[1]), f[2:]
	case isAlign(0):
		s.align, f = byte(f[0]), f[1:]
	}
	rest := string(f)
	if rest != "" && (rest[0] == '+' || rest[0] == ' ' || rest[0] == '-') {
		if rest[0] != '-' {
			s.plus = rest[0]
		}
		rest = rest[1:]
	}
	if s.align == 0 && strings.HasPrefix(rest, "0") {
		s.zero, rest = true, rest[1:]
	}
	i := 0
	s.width, i = r.width(rest, 0)
	if i < len(rest) && rest[i] == ',' {
		s.comma = true
		i++
	}
	if i < len(rest) && rest[i] == '.' {
		s.precision, i = r.width(rest, i+1)
	}
	s.setVerb(r, rest[i:], v)
	return s
}

// setVerb takes the verb, or the one that belongs to the value's type.
func (s *spec) setVerb(r *renderer, verb string, v any) {
	_, isText := text(v)
	_, isInt := v.(int64)
	_, isFloat := v.(float64)
	switch {
	case verb == "" && isText, verb == "s" && isText:
		s.verb = 's'
	case verb == "" && isInt, len(verb) == 1 && isInt && strings.Contains("dxX", verb):
		s.verb = 'd'
	case len(verb) == 1 && (isInt || isFloat) && strings.Contains("feE", verb):
		s.verb = 'f'
	default:
		r.fail(unsupported, "the format '%s' for %s", verb, typeName(v))
	}
	if verb != "" {
		s.verb = verb[0]
	}
	if s.align == 0 && isText {
		s.align = '<'
	}
	if isText && (s.zero || s.plus != 0 || s.comma) {
		r.fail(valueError, "a format of numbers for str")
	}
}
