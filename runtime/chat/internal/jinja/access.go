package jinja

import (
	"fmt"
	"math/big"
	"strings"
)

// attribute is v.name: an attribute if there is one, else the item of that key.
func (r *renderer) attribute(v any, name string) any {
	r.defined(v)
	if found, ok := r.method(v, name); ok {
		return found
	}
	if d, ok := v.(*Dict); ok {
		if value, ok := d.get(name); ok {
			return value
		}
	}
	return missing(v, name)
}

// item is v[index]: an item if there is one, else the attribute of that name.
func (r *renderer) item(v, index any) any {
	r.defined(v)
	if value, ok := r.element(v, index); ok {
		return value
	}
	if name, ok := text(index); ok {
		if found, ok := r.method(v, name); ok {
			return found
		}
	}
	return r.missingItem(v, index)
}

// element is Python's v[index] where that does not fail.
func (r *renderer) element(v, index any) (any, bool) {
	if d, ok := v.(*Dict); ok {
		switch index.(type) {
		case []any, *Dict: // cannot be keys
			return nil, false
		}
		return d.get(r.hash(index))
	}
	i, ok := integer(index)
	if !ok {
		return nil, false
	}
	switch v := v.(type) {
	case []any:
		return at(v, i)
	case tuple:
		return at(v, i)
	case *rangeValue:
		if n := v.len(); i >= -n && i < n {
			return v.start + (i+n)%n*v.step, true
		}
	case string, markup:
		s, _ := text(v)
		r.charge(len(s)/4 + 1)
		return runeAt(s, i)
	}
	return nil, false
}

func at(list []any, i int64) (any, bool) {
	if i < 0 {
		i += int64(len(list))
	}
	if i < 0 || i >= int64(len(list)) {
		return nil, false
	}
	return list[i], true
}

func runeAt(s string, i int64) (any, bool) {
	runes := []rune(s)
	if i < 0 {
		i += int64(len(runes))
	}
	if i < 0 || i >= int64(len(runes)) {
		return nil, false
	}
	return string(runes[i]), true
}

// missing is what v.name is when there is no such attribute.
func missing(v any, name string) any {
	return &undefined{undefinedError, fmt.Sprintf("'%s' has no attribute '%s'", describe(v), name)}
}

func (r *renderer) missingItem(v, index any) any {
	if name, ok := text(index); ok {
		return missing(v, name)
	}
	described := typeName(index)
	switch index.(type) {
	case nil, bool, int64, float64, *big.Int:
		described = r.repr(index)
	}
	return &undefined{undefinedError, fmt.Sprintf("%s has no element %s", describe(v), described)}
}

func describe(v any) string {
	if v == nil {
		return "None"
	}
	return typeName(v) + " object"
}

// method returns the attribute of a value that is not an item of it: a method, mostly.
func (r *renderer) method(v any, name string) (any, bool) {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return unsafe(v, name), true
	}
	switch v := v.(type) {
	case *namespace:
		return v.vars.get(name)
	case *loop:
		return v.attribute(r, name)
	case string:
		return r.bound(v, name, stringMethods, "", pythonStringMethods)
	case markup:
		return r.bound(string(v), name, stringMethods, "", pythonStringMethods)
	case *Dict:
		return r.bound(v, name, dictMethods, "clear pop popitem setdefault update", "fromkeys")
	case []any:
		return r.bound(v, name, listMethods, "append clear pop reverse insert sort extend remove", "")
	case tuple:
		if name == "copy" {
			return nil, false
		}
		return r.bound([]any(v), name, listMethods, "", "grouper list") // of groupby's tuples
	case *macro:
		return r.bound(v, name, nil, "", "name arguments catch_kwargs catch_varargs caller")
	case bool, int64, float64, *big.Int:
		return r.bound(v, name, nil, "", pythonNumberMethods)
	case *generator:
		return r.bound(v, name, nil, "", "send throw close")
	}
	return nil, false
}

// methods take the value that they belong to first.
type methods map[string]func(r *renderer, v any, a *arguments) any

// bound finds a method. Those that change a value are unsafe in the sandbox, others that Python
// has and this package has not are refused.
func (r *renderer) bound(v any, name string, known methods, changing, unknown string) (any, bool) {
	if m, ok := known[name]; ok {
		return &function{name, func(r *renderer, a *arguments) any {
			if len(a.kw) > 0 && !hasWord(keywordMethods, name) {
				r.fail(typeError, "%s.%s() takes no keyword arguments", typeName(v), name)
			}
			return m(r, v, a)
		}}, true
	}
	if hasWord(changing, name) {
		return unsafe(v, name), true
	}
	if hasWord(unknown, name) {
		r.fail(unsupported, "%s of %s", name, typeName(v))
	}
	return nil, false
}

func hasWord(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

func unsafe(v any, name string) any {
	return &undefined{securityError, fmt.Sprintf("access to attribute '%s' of '%s' object is unsafe.", name, typeName(v))}
}

// slice is v[start:stop:step].
func (r *renderer) slice(v any, parts [3]any) any {
	r.defined(v)
	switch v := v.(type) {
	case []any:
		return r.sliced(v, parts)
	case tuple:
		return tuple(r.sliced(v, parts))
	case string:
		return r.slicedText(v, parts)
	case markup:
		return markup(r.slicedText(string(v), parts))
	case *rangeValue:
		r.fail(unsupported, "slices of a range")
	case *Dict:
		r.fail(typeError, "unhashable type: 'slice'")
	}
	r.fail(typeError, "'%s' object is not subscriptable", typeName(v))
	return nil
}

func (r *renderer) sliced(list []any, parts [3]any) []any {
	from, to, step := r.bounds(len(list), parts)
	r.charge(elemCost * len(list))
	out := []any{}
	for ; step > 0 && from < to || step < 0 && from > to; from += step {
		out = append(out, list[from])
	}
	return out
}

func (r *renderer) slicedText(s string, parts [3]any) string {
	r.charge(len(s) + 1)
	runes := []rune(s)
	from, to, step := r.bounds(len(runes), parts)
	if step == 1 {
		return string(runes[from:max(from, to)])
	}
	var out []rune
	for ; step > 0 && from < to || step < 0 && from > to; from += step {
		out = append(out, runes[from])
	}
	return string(out)
}

// bounds are Python's: negative ones count from the end, too large ones are cut.
func (r *renderer) bounds(n int, parts [3]any) (from, to, step int) {
	step = r.sliceIndex(parts[2], 1)
	if step == 0 {
		r.fail(valueError, "slice step cannot be zero")
	}
	low, high := 0, n
	from, to = 0, n
	if step < 0 {
		low, high = -1, n-1
		from, to = n-1, -1
	}
	cut := func(part any, fallback int) int {
		if part == nil {
			return fallback
		}
		i := r.sliceIndex(part, 0)
		if i < 0 {
			i += n
		}
		return min(max(i, low), high)
	}
	from, to = cut(parts[0], from), cut(parts[1], to)
	return from, to, step
}

func (r *renderer) sliceIndex(part any, fallback int) int {
	if part == nil {
		return fallback
	}
	r.defined(part)
	i, ok := integer(part)
	if !ok {
		r.fail(typeError, "slice indices must be integers or None, not %s", typeName(part))
	}
	const far = 1 << 30 // beyond any length, and no sum with one overflows
	return int(min(max(i, -far), far))
}
