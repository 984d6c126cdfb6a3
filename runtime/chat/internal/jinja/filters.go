package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// filter is what can stand behind "|".
type filter = func(r *renderer, v any, a *arguments) any

// filters by name. Jinja's others are not for text that a model reads, or random: filesizeformat,
// pprint, random, striptags, urlize, wordwrap, xmlattr.
var filters map[string]filter

func init() { // because map and select look into the table
	filters = map[string]filter{
		"tojson": filterJSON,

		// text
		"string":      filterString,
		"safe":        filterSafe,
		"escape":      filterEscape,
		"e":           filterEscape,
		"forceescape": filterEscape,
		"trim":        textFilter(stringMethod("strip")),
		"upper":       textFilter(stringMethod("upper")),
		"lower":       textFilter(stringMethod("lower")),
		"capitalize":  textFilter(stringMethod("capitalize")),
		"title":       textFilter(filterTitle),
		"center":      textFilter(filterCenter),
		"replace":     filterReplace,
		"indent":      ofText("indent", filterIndent),
		"truncate":    ofText("truncate", filterTruncate),
		"wordcount":   textFilter(filterWordCount),
		"urlencode":   filterURL,
		"format":      filterFormat,

		// numbers
		"int":   filterInt,
		"float": filterFloat,
		"abs":   filterAbs,
		"round": filterRound,

		// anything
		"default": filterDefault,
		"d":       filterDefault,
		"attr":    filterAttr,
		"length":  filterLength,
		"count":   filterLength,

		// sequences
		"list":       filterList,
		"first":      filterFirst,
		"last":       filterLast,
		"join":       filterJoin,
		"reverse":    filterReverse,
		"sum":        filterSum,
		"min":        extreme("min", -1),
		"max":        extreme("max", 1),
		"sort":       filterSort,
		"unique":     filterUnique,
		"groupby":    filterGroup,
		"batch":      filterBatch,
		"slice":      filterSlice,
		"map":        filterMap,
		"select":     selecting("select", false, true),
		"reject":     selecting("reject", false, false),
		"selectattr": selecting("selectattr", true, true),
		"rejectattr": selecting("rejectattr", true, false),
		"items":      filterItems,
		"dictsort":   filterDictSort,
	}
}

// textFilter passes the text of any value on to f, as these filters do.
func textFilter(f filter) filter {
	return func(r *renderer, v any, a *arguments) any { return f(r, r.str(v), a) }
}

// ofText refuses others than strings, as these filters do, some in their own ways.
func ofText(name string, f filter) filter {
	return func(r *renderer, v any, a *arguments) any { return f(r, r.mustText("value of "+name, v), a) }
}

func stringMethod(name string) filter {
	return func(r *renderer, v any, a *arguments) any { return stringMethods[name](r, v, a) }
}

func filterString(r *renderer, v any, a *arguments) any {
	a.bind(r, "string", 0)
	if m, ok := v.(markup); ok {
		return m
	}
	return r.str(v)
}

func filterSafe(r *renderer, v any, a *arguments) any {
	a.bind(r, "safe", 0)
	return markup(r.str(v))
}

func filterEscape(r *renderer, v any, a *arguments) any {
	a.bind(r, "escape", 0)
	if m, ok := v.(markup); ok {
		return m
	}
	s := r.str(v)
	r.room(6 * len(s))
	return markup(escape(s))
}

// filterTitle begins words, which follow blanks, hyphens and opening brackets, with a capital.
func filterTitle(r *renderer, v any, a *arguments) any {
	a.bind(r, "title", 0)
	r.room(len(v.(string)))
	begins := true
	return strings.Map(func(c rune) rune {
		out := unicode.ToLower(c)
		if begins {
			out = unicode.ToUpper(c)
		}
		begins = isSpace(c) || strings.ContainsRune("-({[<", c)
		return out
	}, v.(string))
}

func filterCenter(r *renderer, v any, a *arguments) any {
	width := a.bind(r, "center", 0, "width")[0].or(int64(80))
	return stringMethods["center"](r, v, &arguments{pos: []any{width}})
}

func filterReplace(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "replace", 2, "old", "new", "count")
	count := int64(-1)
	if n := p[2].or(nil); n != nil {
		count = r.mustInt("count", n)
	}
	return r.replace(r.str(v), r.str(p[0].value), r.str(p[1].value), count)
}

// filterIndent indents all lines but the first and the empty ones.
func filterIndent(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "indent", 0, "width", "first", "blank")
	indent, isText := text(p[0].or(int64(4)))
	if !isText {
		n := max(r.mustInt("width", p[0].or(int64(4))), 0)
		r.many(n, 1)
		indent = strings.Repeat(" ", int(n))
	}
	var b strings.Builder
	for i, line := range splitLines(r, v.(string)+"\n", &arguments{}).([]any) {
		if i > 0 {
			b.WriteByte('\n')
		}
		line := line.(string)
		first, blank := truth(p[1].or(false)), truth(p[2].or(false))
		if i == 0 && first || i > 0 && (blank || line != "") {
			r.grow(&b, indent)
		}
		r.grow(&b, line)
	}
	return b.String()
}

func filterTruncate(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "truncate", 0, "length", "killwords", "end", "leeway")
	s, end := []rune(v.(string)), []rune(r.str(p[2].or("...")))
	length, leeway := r.mustInt("length", p[0].or(int64(255))), int64(5)
	if n := p[3].or(nil); n != nil {
		leeway = r.mustInt("leeway", n)
	}
	switch {
	case length < int64(len(end)) || leeway < 0:
		r.fail(valueError, "truncate to %d characters", length)
	case int64(len(s)) <= length+leeway:
		return v
	}
	cut := string(s[:length-int64(len(end))])
	if i := strings.LastIndexByte(cut, ' '); i >= 0 && !truth(p[1].or(false)) {
		cut = cut[:i]
	}
	return r.built(cut + string(end))
}

func filterWordCount(r *renderer, v any, a *arguments) any {
	a.bind(r, "wordcount", 0)
	r.charge(len(v.(string)))
	return int64(len(strings.FieldsFunc(v.(string), func(c rune) bool {
		return c != '_' && !unicode.IsLetter(c) && !unicode.IsNumber(c)
	})))
}

func filterURL(r *renderer, v any, a *arguments) any {
	a.bind(r, "urlencode", 0)
	switch v.(type) {
	case *Dict, []any, tuple:
		r.fail(unsupported, "urlencode of %s", typeName(v))
	}
	var b strings.Builder
	s := r.str(v)
	r.room(3 * len(s))
	for i := range len(s) {
		c := s[i]
		if isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("_.-~/", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		const hex = "0123456789ABCDEF"
		b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
	}
	return b.String()
}

func filterFormat(r *renderer, v any, a *arguments) any {
	if len(a.kw) > 0 {
		r.fail(unsupported, "format with names")
	}
	return r.printf(r.str(v), tuple(a.pos))
}

func filterInt(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "int", 0, "default", "base")
	r.defined(v)
	fallback := p[0].or(int64(0))
	switch v := v.(type) {
	case int64, *big.Int:
		return v
	case bool:
		n, _ := integral(v)
		return n
	case float64:
		return r.truncated(v, fallback)
	}
	s, ok := text(v)
	if !ok {
		return fallback
	}
	return r.parseInt(s, int(min(max(r.mustInt("base", p[1].or(int64(10))), 2), 36)), fallback)
}

func (r *renderer) truncated(f float64, fallback any) any {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return fallback
	case math.Abs(f) >= 1<<63:
		r.overflow()
	}
	return int64(f)
}

// parseInt reads an integer, else a float that it truncates, else the result is fallback.
func (r *renderer) parseInt(s string, base int, fallback any) any {
	s = trimSpace(s)
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), base, 64)
	if err == nil {
		return n
	}
	if err.(*strconv.NumError).Err == strconv.ErrRange {
		r.overflow()
	}
	if f, ok := parseFloat(s); ok {
		return r.truncated(f, fallback)
	}
	return fallback
}

// parseFloat reads what Python's float does; Go knows hexadecimal ones too.
func parseFloat(s string) (float64, bool) {
	if strings.ContainsAny(s, "xXpP") {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(trimSpace(s), "_", ""), 64)
	return f, err == nil || math.IsInf(f, 0)
}

func filterFloat(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "float", 0, "default")
	r.defined(v)
	if f, ok := number(v); ok {
		return f
	}
	if s, ok := text(v); ok {
		if f, ok := parseFloat(s); ok {
			return f
		}
	}
	return p[0].or(0.0)
}

func filterAbs(r *renderer, v any, a *arguments) any {
	a.bind(r, "abs", 0)
	r.defined(v)
	switch n := v.(type) {
	case bool, int64:
		if i, _ := integral(n); i < 0 {
			return r.subtract(0, i)
		} else {
			return i
		}
	case float64:
		return math.Abs(n)
	}
	r.fail(typeError, "bad operand type for abs(): '%s'", typeName(v))
	return nil
}

// filterRound rounds half to even, as Python does, exactly by the decimal value.
func filterRound(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "round", 0, "precision", "method")
	r.defined(v)
	precision, how := r.mustInt("precision", p[0].or(int64(0))), r.str(p[1].or("common"))
	if precision < 0 || precision > 30 {
		r.fail(unsupported, "round to %d digits", precision)
	}
	f, ok := number(v)
	if !ok {
		r.fail(typeError, "type %s doesn't define __round__ method", typeName(v))
	}
	power := math.Pow(10, float64(precision))
	switch how {
	case "common":
		if n, ok := integer(v); ok {
			return n
		}
		rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(precision), 64), 64)
		return rounded
	case "ceil":
		return math.Ceil(f*power) / power
	case "floor":
		return math.Floor(f*power) / power
	}
	r.fail("FilterArgumentError", "method must be common, ceil or floor")
	return nil
}

func filterDefault(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "default", 0, "default_value", "boolean")
	if isUndefined(v) || truth(p[1].or(false)) && !truth(v) {
		return p[0].or("")
	}
	return v
}

func filterAttr(r *renderer, v any, a *arguments) any {
	name := r.mustText("attribute name", a.bind(r, "attr", 1, "name")[0].value)
	r.defined(v)
	if found, ok := r.method(v, name); ok {
		return found
	}
	return missing(v, name)
}

func filterLength(r *renderer, v any, a *arguments) any {
	a.bind(r, "length", 0)
	return int64(r.length(v))
}
