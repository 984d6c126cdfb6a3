package jinja

import "strings"

func splitter(name string, split func(r *renderer, s string, sep any, limit int) []string) method {
	return func(r *renderer, v any, a *arguments) any {
		p := a.bind(r, name, 0, "sep", "maxsplit")
		s, sep := v.(string), p[0].or(nil)
		if sep != nil {
			if sep = r.mustText(name+" sep", sep); sep == "" {
				r.fail(valueError, "empty separator")
			}
		}
		limit := -1
		if n := r.mustInt("maxsplit", p[1].or(int64(-1))); n >= 0 {
			limit = int(min(n, maxText))
		}
		r.charge(len(s)/4 + 1)
		return r.strings(split(r, s, sep, limit))
	}
}

// strings makes a list.
func (r *renderer) strings(parts []string) []any {
	r.charge(elemCost * len(parts))
	list := make([]any, len(parts))
	for i, part := range parts {
		list[i] = part
	}
	return list
}

// splitLeft cuts limit times at sep, or at blanks if that is nil; -1: everywhere.
func splitLeft(r *renderer, s string, sep any, limit int) []string {
	if sep != nil {
		if limit >= 0 {
			limit++
		}
		return strings.SplitN(s, sep.(string), limit)
	}
	var parts []string
	for s = trimSpaceLeft(s); s != ""; s = trimSpaceLeft(s) {
		end := strings.IndexFunc(s, isSpace)
		if end < 0 || len(parts) == limit {
			return append(parts, s)
		}
		parts = append(parts, s[:end])
		s = s[end:]
	}
	return parts
}

func splitRight(r *renderer, s string, sep any, limit int) []string {
	var parts []string
	for limit < 0 || len(parts) < limit {
		size := 1
		var end int
		if sep == nil {
			s = trimSpaceRight(s)
			end = strings.LastIndexFunc(s, isSpace)
			if s == "" {
				return reversed(parts)
			}
			if end >= 0 {
				size = len(string([]rune(s[end:])[:1]))
			}
		} else {
			end, size = strings.LastIndex(s, sep.(string)), len(sep.(string))
		}
		if end < 0 {
			break
		}
		r.charge(len(s) - end)
		parts = append(parts, s[end+size:])
		s = s[:end]
	}
	if sep == nil {
		if s = trimSpaceRight(s); s == "" {
			return reversed(parts)
		}
	}
	return reversed(append(parts, s))
}

func reversed(list []string) []string {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// lineEnds are the characters at which splitlines cuts.
const lineEnds = "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

func splitLines(r *renderer, v any, a *arguments) any {
	keep := truth(a.bind(r, "splitlines", 0, "keepends")[0].or(false))
	s := v.(string)
	r.charge(len(s)/4 + 1)
	var lines []string
	for s != "" {
		end := strings.IndexAny(s, lineEnds)
		if end < 0 {
			lines = append(lines, s)
			break
		}
		next := end + len(string([]rune(s[end:min(end+4, len(s))])[:1]))
		if strings.HasPrefix(s[end:], "\r\n") {
			next = end + 2
		}
		if keep {
			end = next
		}
		lines = append(lines, s[:end])
		s = s[next:]
	}
	return r.strings(lines)
}

func partition(name string, index func(s, sep string) int) method {
	return func(r *renderer, v any, a *arguments) any {
		s, sep := v.(string), r.mustText(name+" sep", a.bind(r, name, 1, "sep")[0].value)
		if sep == "" {
			r.fail(valueError, "empty separator")
		}
		r.charge(len(s)/4 + 1)
		i := index(s, sep)
		switch {
		case i >= 0:
			return tuple{s[:i], sep, s[i+len(sep):]}
		case name == "partition":
			return tuple{s, "", ""}
		}
		return tuple{"", "", s}
	}
}
