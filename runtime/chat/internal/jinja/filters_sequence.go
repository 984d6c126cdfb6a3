package jinja

import (
	"slices"
	"strconv"
	"strings"
)

func filterList(r *renderer, v any, a *arguments) any {
	a.bind(r, "list", 0)
	return slices.Clone(append([]any{}, r.iterate(v)...))
}

func filterFirst(r *renderer, v any, a *arguments) any {
	a.bind(r, "first", 0)
	if items := r.iterate(v); len(items) > 0 {
		if g, ok := v.(*generator); ok {
			g.items = items[1:]
		}
		return items[0]
	}
	return &undefined{undefinedError, "No first item, sequence was empty."}
}

func filterLast(r *renderer, v any, a *arguments) any {
	a.bind(r, "last", 0)
	if _, ok := v.(*generator); ok {
		r.fail(typeError, "'generator' object is not reversible")
	}
	if items := r.iterate(v); len(items) > 0 {
		return items[len(items)-1]
	}
	return &undefined{undefinedError, "No last item, sequence was empty."}
}

func filterJoin(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "join", 0, "d", "attribute")
	separator, get := r.str(p[0].or("")), r.getter(p[1].or(nil))
	var b strings.Builder
	for i, e := range r.iterate(v) {
		if i > 0 {
			r.grow(&b, separator)
		}
		r.grow(&b, r.str(get(e)))
	}
	return b.String()
}

func filterReverse(r *renderer, v any, a *arguments) any {
	a.bind(r, "reverse", 0)
	items := slices.Clone(r.iterate(v))
	slices.Reverse(items)
	if _, ok := text(v); !ok {
		return &generator{items: items}
	}
	var b strings.Builder
	for _, c := range items {
		b.WriteString(c.(string))
	}
	return r.built(b.String())
}

// getter returns the function that map(attribute=…) and its like apply: a path of keys and
// indices with dots between them. Without a path it is the identity.
func (r *renderer) getter(path any) func(any) any {
	switch path := path.(type) {
	case nil:
		return func(v any) any { return v }
	case int64:
		return func(v any) any { return r.item(v, path) }
	}
	var parts []any
	for part := range strings.SplitSeq(r.mustText("attribute", path), ".") {
		if n, err := strconv.ParseInt(part, 10, 64); err == nil && n >= 0 {
			parts = append(parts, n)
		} else {
			parts = append(parts, part)
		}
	}
	return func(v any) any {
		for _, part := range parts {
			v = r.item(v, part)
		}
		return v
	}
}

// sortKey returns the function by which sort, unique, min and max compare: without case
// unless told.
func (r *renderer) sortKey(path any, caseSensitive bool) func(any) any {
	get := r.getter(path)
	return func(v any) any {
		v = get(v)
		if s, ok := text(v); ok && !caseSensitive {
			r.room(len(s))
			return lower(s)
		}
		return v
	}
}

func filterSum(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "sum", 0, "attribute", "start")
	get, total := r.getter(p[0].or(nil)), p[1].or(int64(0))
	for _, e := range r.iterate(v) {
		total = r.arithmetic("+", total, get(e))
	}
	return total
}

// extreme is min (sign -1) or max (sign 1): the first of equals.
func extreme(name string, sign int) filter {
	return func(r *renderer, v any, a *arguments) any {
		p := a.bind(r, name, 0, "case_sensitive", "attribute")
		key := r.sortKey(p[1].or(nil), truth(p[0].or(false)))
		items := r.iterate(v)
		if len(items) == 0 {
			return &undefined{undefinedError, "No aggregated item, sequence was empty."}
		}
		best := items[0]
		for _, e := range items[1:] {
			if sign*r.compare("<", key(e), key(best)) > 0 {
				best = e
			}
		}
		return best
	}
}

func filterSort(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "sort", 0, "reverse", "case_sensitive", "attribute")
	path := p[2].or(nil)
	if s, ok := text(path); ok && strings.Contains(s, ",") {
		r.fail(unsupported, "sort by several attributes")
	}
	return r.sorted(r.iterate(v), r.sortKey(path, truth(p[1].or(false))), truth(p[0].or(false)))
}

// sorted returns a stably sorted copy.
func (r *renderer) sorted(items []any, key func(any) any, reverse bool) []any {
	type keyed struct{ key, value any }
	list := make([]keyed, len(items))
	for i, e := range items {
		list[i] = keyed{key(e), e}
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
		if reverse {
			a, b = b, a
		}
		return r.compare("<", a.key, b.key)
	})
	out := make([]any, len(items))
	for i := range list {
		out[i] = list[i].value
	}
	return out
}

func filterUnique(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "unique", 0, "case_sensitive", "attribute")
	key := r.sortKey(p[1].or(nil), truth(p[0].or(false)))
	seen := map[any]bool{}
	var kept []any
	for _, e := range r.iterate(v) {
		if h := r.hash(key(e)); !seen[h] {
			seen[h] = true
			kept = append(kept, e)
		}
	}
	return &generator{items: kept}
}

// filterGroup returns tuples of a key and the elements that have it, sorted by key.
func filterGroup(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "groupby", 1, "attribute", "default", "case_sensitive")
	if p[1].given || truth(p[2].or(false)) {
		r.fail(unsupported, "groupby with more than an attribute")
	}
	get, key := r.getter(p[0].value), r.sortKey(p[0].value, false)
	groups := []any{}
	var last any
	for i, e := range r.sorted(r.iterate(v), key, false) {
		if i > 0 && r.equal(key(e), last, 0) {
			group := groups[len(groups)-1].(tuple)
			group[1] = append(group[1].([]any), e)
			continue
		}
		last = key(e)
		groups = append(groups, tuple{get(e), []any{e}})
	}
	return groups
}

func filterBatch(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "batch", 1, "linecount", "fill_with")
	size := r.mustInt("linecount", p[0].value)
	if size < 1 || size > maxRange {
		r.fail(valueError, "batches of %d", size)
	}
	var batches []any
	for chunk := range slices.Chunk(r.iterate(v), int(size)) {
		row := slices.Clone(chunk)
		for fill := p[1].or(nil); fill != nil && len(row) < int(size); {
			row = append(row, fill)
		}
		r.charge(elemCost * len(row))
		batches = append(batches, row)
	}
	return &generator{items: batches}
}

// filterSlice deals the elements into a number of lists, the first ones longer.
func filterSlice(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "slice", 1, "slices", "fill_with")
	items, n := r.iterate(v), r.mustInt("slices", p[0].value)
	if n < 1 || n > maxRange {
		r.fail(valueError, "%d slices", n)
	}
	r.charge(elemCost * int(n))
	size, longer := len(items)/int(n), len(items)%int(n)
	var lists []any
	for i := range int(n) {
		count := size
		if i < longer {
			count++
		}
		list := slices.Clone(append([]any{}, items[:count]...))
		items = items[count:]
		if fill := p[1].or(nil); fill != nil && longer > 0 && i >= longer {
			list = append(list, fill)
		}
		lists = append(lists, list)
	}
	return &generator{items: lists}
}

// filterMap takes an attribute of every element, or passes each through a filter.
func filterMap(r *renderer, v any, a *arguments) any {
	var f func(any) any
	if len(a.pos) == 0 {
		p := a.bind(r, "map", 0, "attribute", "default")
		if !p[0].given {
			r.fail("FilterArgumentError", "map requires a filter argument")
		}
		f = r.getter(p[0].value)
		if fallback := p[1].or(nil); fallback != nil {
			f = r.getterOr(p[0].value, fallback)
		}
	} else {
		name := r.mustText("name of a filter", a.pos[0])
		apply := r.filter(name)
		rest := &arguments{pos: a.pos[1:], names: a.names, kw: a.kw}
		f = func(e any) any { return apply(r, e, rest) }
	}
	var mapped []any
	for _, e := range r.iterate(v) {
		r.charge(stepCost)
		mapped = append(mapped, f(e))
	}
	return &generator{items: mapped}
}

// getterOr is getter with a value for what is undefined on the way.
func (r *renderer) getterOr(path, fallback any) func(any) any {
	if s, ok := text(path); ok && strings.Contains(s, ".") {
		r.fail(unsupported, "map with a default and a path")
	}
	get := r.getter(path)
	return func(v any) any {
		if v = get(v); isUndefined(v) {
			return fallback
		}
		return v
	}
}

// selecting makes select and its like: attr says that the first argument is an attribute,
// keep whether elements that pass the test stay.
func selecting(name string, attr, keep bool) filter {
	return func(r *renderer, v any, a *arguments) any {
		if !truth(v) {
			return &generator{}
		}
		get, pos := r.getter(nil), a.pos
		if attr {
			if len(pos) == 0 {
				r.fail("FilterArgumentError", "%s: missing parameter for attribute name", name)
			}
			get, pos = r.getter(pos[0]), pos[1:]
		}
		test := func(v any) bool { return truth(v) }
		if len(pos) > 0 {
			test = r.namedTest(pos, a)
		}
		var kept []any
		for _, e := range r.iterate(v) {
			r.charge(stepCost)
			if test(get(e)) == keep {
				kept = append(kept, e)
			}
		}
		return &generator{items: kept}
	}
}

func (r *renderer) namedTest(pos []any, a *arguments) func(any) bool {
	name := r.mustText("name of a test", pos[0])
	test := r.test(name)
	rest := &arguments{pos: pos[1:], names: a.names, kw: a.kw}
	return func(v any) bool { return test(r, v, rest) }
}

func filterItems(r *renderer, v any, a *arguments) any {
	a.bind(r, "items", 0)
	if isUndefined(v) {
		return &generator{}
	}
	d, ok := v.(*Dict)
	if !ok {
		r.fail(typeError, "Can only get item pairs from a mapping.")
	}
	r.charge(2 * elemCost * d.Len())
	return &generator{items: d.items()}
}

func filterDictSort(r *renderer, v any, a *arguments) any {
	p := a.bind(r, "dictsort", 0, "case_sensitive", "by", "reverse")
	r.defined(v)
	d, ok := v.(*Dict)
	if !ok {
		r.fail(typeError, "dictsort of %s", typeName(v))
	}
	by := map[string]int64{"key": 0, "value": 1}
	at, ok := by[r.str(p[1].or("key"))]
	if !ok {
		r.fail("FilterArgumentError", "You can only sort by either \"key\" or \"value\"")
	}
	r.charge(2 * elemCost * d.Len())
	return r.sorted(d.items(), r.sortKey(at, truth(p[0].or(false))), truth(p[2].or(false)))
}
