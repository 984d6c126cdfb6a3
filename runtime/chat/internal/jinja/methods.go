package jinja

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// keywordMethods are those whose arguments have names.
const keywordMethods = "split rsplit splitlines format replace"

// Methods that Python has and this package has not: naming one is an error.
const (
	pythonStringMethods = "casefold encode expandtabs format_map isascii isidentifier isprintable " +
		"maketrans translate striptags unescape"
	pythonNumberMethods = "as_integer_ratio bit_count bit_length conjugate denominator from_bytes " +
		"fromhex hex imag is_integer numerator real to_bytes"
)

var dictMethods = methods{
	"get": func(r *renderer, v any, a *arguments) any {
		p := a.bind(r, "get", 1, "key", "default")
		if value, ok := v.(*Dict).get(r.hash(p[0].value)); ok {
			return value
		}
		return p[1].or(nil)
	},
	"keys": func(r *renderer, v any, a *arguments) any {
		a.bind(r, "keys", 0)
		return &view{"dict_keys", v.(*Dict).keys()}
	},
	"values": func(r *renderer, v any, a *arguments) any {
		a.bind(r, "values", 0)
		return &view{"dict_values", v.(*Dict).values()}
	},
	"items": func(r *renderer, v any, a *arguments) any {
		a.bind(r, "items", 0)
		r.charge(2 * elemCost * v.(*Dict).Len())
		return &view{"dict_items", v.(*Dict).items()}
	},
	"copy": func(r *renderer, v any, a *arguments) any {
		a.bind(r, "copy", 0)
		return v // nothing changes it
	},
}

var listMethods = methods{
	"copy": func(r *renderer, v any, a *arguments) any {
		a.bind(r, "copy", 0)
		return v
	},
	"count": func(r *renderer, v any, a *arguments) any {
		wanted, n := a.bind(r, "count", 1, "value")[0].value, int64(0)
		for _, e := range v.([]any) {
			if r.equal(e, wanted, 0) {
				n++
			}
		}
		return n
	},
	"index": func(r *renderer, v any, a *arguments) any {
		wanted := a.bind(r, "index", 1, "value")[0].value
		for i, e := range v.([]any) {
			if r.equal(e, wanted, 0) {
				return int64(i)
			}
		}
		r.fail(valueError, "the value is not in list")
		return nil
	},
}

// stringMethods are str's. Each charges for the text it makes.
var stringMethods methods

func init() { // because str.join and the others lead back to methods
	stringMethods = methods{
		"strip":  stripper("strip", strings.TrimFunc),
		"lstrip": stripper("lstrip", strings.TrimLeftFunc),
		"rstrip": stripper("rstrip", strings.TrimRightFunc),

		"upper":      mapper("upper", upper),
		"lower":      mapper("lower", lower),
		"title":      mapper("title", title),
		"capitalize": mapper("capitalize", capitalize),
		"swapcase":   mapper("swapcase", swapCase),

		"isdigit":   allOf("isdigit", unicode.IsDigit),
		"isdecimal": allOf("isdecimal", unicode.IsDigit),
		"isnumeric": allOf("isnumeric", unicode.IsNumber),
		"isalpha":   allOf("isalpha", unicode.IsLetter),
		"isalnum":   allOf("isalnum", func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }),
		"isspace":   allOf("isspace", isSpace),
		"isupper":   cased("isupper", unicode.IsUpper, unicode.IsLower),
		"islower":   cased("islower", unicode.IsLower, unicode.IsUpper),

		"split":      splitter("split", splitLeft),
		"rsplit":     splitter("rsplit", splitRight),
		"splitlines": splitLines,
		"partition":  partition("partition", strings.Index),
		"rpartition": partition("rpartition", strings.LastIndex),
		"join":       joinMethod,
		"replace":    replaceMethod,

		"startswith":   affix("startswith", strings.HasPrefix),
		"endswith":     affix("endswith", strings.HasSuffix),
		"removeprefix": remover("removeprefix", strings.TrimPrefix),
		"removesuffix": remover("removesuffix", strings.TrimSuffix),
		"find":         finder("find", strings.Index, false),
		"rfind":        finder("rfind", strings.LastIndex, false),
		"index":        finder("index", strings.Index, true),
		"rindex":       finder("rindex", strings.LastIndex, true),
		"count":        countMethod,

		"center": padder("center", func(n int) int { return n / 2 }),
		"ljust":  padder("ljust", func(n int) int { return 0 }),
		"rjust":  padder("rjust", func(n int) int { return n }),
		"zfill":  zeroFill,

		"format": formatMethod,
	}
}

type method = func(r *renderer, v any, a *arguments) any

// mustText returns an argument that must be a string, mustInt one that must be an integer.
func (r *renderer) mustText(what string, v any) string {
	r.defined(v)
	s, ok := text(v)
	if !ok {
		r.fail(typeError, "%s must be str, not %s", what, typeName(v))
	}
	return s
}

func (r *renderer) mustInt(what string, v any) int64 {
	r.defined(v)
	n, ok := integer(v)
	if !ok {
		r.fail(typeError, "%s must be an integer, not %s", what, typeName(v))
	}
	return n
}

func stripper(name string, trim func(string, func(rune) bool) string) method {
	return func(r *renderer, v any, a *arguments) any {
		chars := a.bind(r, name, 0, "chars")[0].or(nil)
		r.charge(len(v.(string))/4 + 1)
		if chars == nil {
			return trim(v.(string), isSpace)
		}
		set := r.mustText(name+" arg", chars)
		r.charge(len(set))
		return trim(v.(string), func(c rune) bool { return strings.ContainsRune(set, c) })
	}
}

func mapper(name string, f func(string) string) method {
	return func(r *renderer, v any, a *arguments) any {
		a.bind(r, name, 0)
		r.room(len(v.(string)))
		return r.built(f(v.(string)))
	}
}

// upper and lower follow Unicode's special cases, as Python: ß becomes SS.
func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	return cases.Upper(language.Und).String(s)
}

func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// title begins each run of letters with a capital.
func title(s string) string {
	inside := false
	return strings.Map(func(c rune) rune {
		before := inside
		inside = unicode.IsLetter(c)
		if before {
			return unicode.ToLower(c)
		}
		return unicode.ToTitle(c)
	}, s)
}

func capitalize(s string) string {
	for i, c := range s {
		return string(unicode.ToTitle(c)) + lower(s[i+len(string(c)):])
	}
	return s
}

func swapCase(s string) string {
	var b strings.Builder
	for _, c := range s {
		if unicode.IsUpper(c) {
			b.WriteString(lower(string(c)))
		} else {
			b.WriteString(upper(string(c)))
		}
	}
	return b.String()
}

func allOf(name string, is func(rune) bool) method {
	return func(r *renderer, v any, a *arguments) any {
		a.bind(r, name, 0)
		s := v.(string)
		r.charge(len(s)/4 + 1)
		return s != "" && strings.IndexFunc(s, func(c rune) bool { return !is(c) }) < 0
	}
}

// cased tells whether a string has letters of one case and none of the other.
func cased(name string, is, other func(rune) bool) method {
	return func(r *renderer, v any, a *arguments) any {
		a.bind(r, name, 0)
		s := v.(string)
		r.charge(len(s)/4 + 1)
		return strings.IndexFunc(s, is) >= 0 && strings.IndexFunc(s, other) < 0
	}
}

func joinMethod(r *renderer, v any, a *arguments) any {
	var b strings.Builder
	for i, e := range r.iterate(a.bind(r, "join", 1, "iterable")[0].value) {
		if i > 0 {
			r.grow(&b, v.(string))
		}
		s, ok := text(e)
		if !ok {
			r.fail(typeError, "sequence item %d: expected str instance, %s found", i, typeName(e))
		}
		r.grow(&b, s)
	}
	return b.String()
}

func replaceMethod(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "replace", 2, "old", "new", "count")
	old, with := r.mustText("replace() argument 1", p[0].value), r.mustText("replace() argument 2", p[1].value)
	return r.replace(v.(string), old, with, r.mustInt("count", p[2].or(int64(-1))))
}

// replace puts with in the place of old, at most count times if that is not negative.
func (r *renderer) replace(s, old, with string, count int64) string {
	r.charge(len(s)/4 + 1)
	n := int64(strings.Count(s, old))
	if count >= 0 {
		n = min(n, count)
	}
	r.room(len(s))
	r.many(n, max(len(with)-len(old), 0))
	return strings.Replace(s, old, with, int(n))
}
