package jinja

import "strings"

// affix takes a string or a tuple of them, and a start and an end.
func affix(name string, has func(s, affix string) bool) method {
	return func(r *renderer, v any, a *arguments) any {
		p := a.bind(r, name, 1, "affix", "start", "end")
		s := r.part(v.(string), p[1], p[2])
		candidates, ok := p[0].value.(tuple)
		if !ok {
			candidates = tuple{p[0].value}
		}
		for _, c := range candidates {
			if has(s, r.mustText(name+" first arg", c)) {
				return true
			}
		}
		return false
	}
}

// part is s[start:end]; bounds may be missing.
func (r *renderer) part(s string, start, end parameter) string {
	if start.or(nil) == nil && end.or(nil) == nil {
		return s
	}
	return r.slicedText(s, [3]any{start.or(nil), end.or(nil), nil})
}

func remover(name string, remove func(s, affix string) string) method {
	return func(r *renderer, v any, a *arguments) any {
		return remove(v.(string), r.mustText(name+"() argument", a.bind(r, name, 1, "affix")[0].value))
	}
}

// finder returns the index of a part in characters, -1 or an error if there is none.
func finder(name string, index func(s, part string) int, must bool) method {
	return func(r *renderer, v any, a *arguments) any {
		p := a.bind(r, name, 1, "sub", "start", "end")
		if p[1].given || p[2].given {
			r.fail(unsupported, "%s with a start or an end", name)
		}
		s, part := v.(string), r.mustText(name+"() argument", p[0].value)
		r.charge(len(s)/4 + 1)
		i := index(s, part)
		if i < 0 {
			if must {
				r.fail(valueError, "substring not found")
			}
			return int64(-1)
		}
		return int64(len([]rune(s[:i])))
	}
}

func countMethod(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "count", 1, "sub", "start", "end")
	s := r.part(v.(string), p[1], p[2])
	r.charge(len(s)/4 + 1)
	return int64(strings.Count(s, r.mustText("count() argument", p[0].value)))
}

// padder fills a string up to a width; left says how much of the filling goes before it.
func padder(name string, left func(n int) int) method {
	return func(r *renderer, v any, a *arguments) any {
		p := a.bind(r, name, 1, "width", "fillchar")
		s, fill := v.(string), r.mustText("fillchar", p[1].or(" "))
		if len([]rune(fill)) != 1 {
			r.fail(typeError, "The fill character must be exactly one character long")
		}
		n := r.mustInt("width", p[0].value) - int64(len([]rune(s)))
		if n <= 0 {
			return s
		}
		r.many(n, len(fill))
		before := left(int(n))
		if name == "center" { // the odd one goes left if the width is odd
			before += int(n) & int(n+int64(len([]rune(s)))) & 1
		}
		return strings.Repeat(fill, before) + s + strings.Repeat(fill, int(n)-before)
	}
}

func zeroFill(r *renderer, v any, a *arguments) any {
	s := v.(string)
	n := r.mustInt("width", a.bind(r, "zfill", 1, "width")[0].value) - int64(len([]rune(s)))
	if n <= 0 {
		return s
	}
	r.many(n, 1)
	sign := ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = s[:1], s[1:]
	}
	return sign + strings.Repeat("0", int(n)) + s
}
