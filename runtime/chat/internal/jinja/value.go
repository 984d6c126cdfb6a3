package jinja

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"
)

// Values of templates are nil (None), bool, int64, *big.Int (only as data), float64, string, []any
// (list), *Dict, and the types below.
type (
	tuple []any

	// markup is a string that |safe has marked: adding to it escapes what is added.
	markup string

	// undefined stands for a value that is not there; using it fails with its message.
	undefined struct{ kind, message string }

	// generator is what map, select and others return: it can be read once.
	generator struct {
		items    []any
		halfRead bool // by something that stopped early: what is left depends on Jinja's insides
	}

	// view is a dict's keys(), values() or items(): it has a length but no elements by number.
	view struct {
		name  string // "dict_keys", …
		items []any
	}

	rangeValue struct{ start, stop, step int64 }

	namespace struct{ vars *Dict }

	// function is anything callable that is not a macro.
	function struct {
		name string
		call func(r *renderer, a *arguments) any
	}
)

// Dict is Python's dict: it keeps the order in which keys came. Keys are what Python can hash.
type Dict struct {
	entries []entry
	index   map[any]int // by hash of the key
}

type entry struct{ key, value any }

// NewDict returns an empty dict.
func NewDict() *Dict { return &Dict{index: map[any]int{}} }

// Set adds a key or replaces the value of one that is there, which keeps its place.
func (d *Dict) Set(key string, value any) { d.set(key, key, value) }

// Get returns the value of a key, nil if there is none.
func (d *Dict) Get(key string) any {
	v, _ := d.get(key)
	return v
}

// Len returns the number of keys.
func (d *Dict) Len() int { return len(d.entries) }

// Each calls f for the keys that are strings, in order.
func (d *Dict) Each(f func(key string, value any)) {
	for _, e := range d.entries {
		if key, ok := e.key.(string); ok {
			f(key, e.value)
		}
	}
}

func (d *Dict) set(hash, key, value any) {
	if i, ok := d.index[hash]; ok {
		d.entries[i].value = value
		return
	}
	d.index[hash] = len(d.entries)
	d.entries = append(d.entries, entry{key, value})
}

func (d *Dict) get(hash any) (any, bool) {
	i, ok := d.index[hash]
	if !ok {
		return nil, false
	}
	return d.entries[i].value, true
}

func (d *Dict) keys() []any {
	keys := make([]any, len(d.entries))
	for i, e := range d.entries {
		keys[i] = e.key
	}
	return keys
}

func (d *Dict) values() []any {
	values := make([]any, len(d.entries))
	for i, e := range d.entries {
		values[i] = e.value
	}
	return values
}

func (d *Dict) items() []any {
	items := make([]any, len(d.entries))
	for i, e := range d.entries {
		items[i] = tuple{e.key, e.value}
	}
	return items
}

// noneHash and tupleHash are the hashes of None and of tuples.
type (
	noneHash  struct{}
	tupleHash string
)

// hash returns a Go value that is equal where Python's keys are: 1, 1.0 and True are one key.
func (r *renderer) hash(v any) any {
	switch v := v.(type) {
	case nil:
		return noneHash{}
	case string:
		r.read(v)
		return v
	case markup:
		return r.hash(string(v))
	case bool, int64, float64:
		if n, ok := integral(v); ok {
			return n
		}
		return v
	case *big.Int:
		return "big:" + v.String()
	case tuple:
		var b strings.Builder
		for _, e := range v {
			r.hash(e) // fails on what has none
		}
		r.writeRepr(&b, v, 0)
		return tupleHash(b.String())
	case []any, *Dict:
		r.fail(typeError, "unhashable type: '%s'", typeName(v))
	}
	return v // pointers: by identity
}

// integral returns a number that is a whole one as int64.
func integral(v any) (int64, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case int64:
		return v, true
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return int64(v), true
		}
	}
	return 0, false
}

// typeName is Python's name of a value's type.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case markup:
		return "Markup"
	case []any:
		return "list"
	case tuple:
		return "tuple"
	case *Dict:
		return "dict"
	case *undefined:
		return "Undefined"
	case *generator:
		return "generator"
	case *view:
		return v.name
	case *rangeValue:
		return "range"
	case *namespace:
		return "Namespace"
	case *macro:
		return "Macro"
	case *loop:
		return "LoopContext"
	case *function:
		return "builtin_function_or_method"
	}
	return "object"
}

// truth is Python's bool(v).
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case *big.Int:
		return v.Sign() != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case markup:
		return v != ""
	case []any:
		return len(v) > 0
	case tuple:
		return len(v) > 0
	case *Dict:
		return len(v.entries) > 0
	case *undefined:
		return false
	case *view:
		return len(v.items) > 0
	case *rangeValue:
		return v.len() > 0
	case *loop:
		return len(v.items) > 0
	}
	return true
}

func (g *rangeValue) len() int64 {
	switch {
	case g.step > 0 && g.start < g.stop:
		return (g.stop-g.start-1)/g.step + 1
	case g.step < 0 && g.start > g.stop:
		return (g.start-g.stop-1)/-g.step + 1
	}
	return 0
}

func (g *rangeValue) items() []any {
	items := make([]any, g.len())
	for i := range items {
		items[i] = g.start + int64(i)*g.step
	}
	return items
}

// text returns the string that v is, of either kind.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case markup:
		return string(v), true
	}
	return "", false
}

// iterate returns the elements of v, and uses a generator up.
func (r *renderer) iterate(v any) []any {
	items, ok := r.elements(v)
	if !ok {
		r.fail(typeError, "'%s' object is not iterable", typeName(v))
	}
	r.charge(elemCost * len(items))
	return items
}

func (r *renderer) elements(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case tuple:
		return v, true
	case *Dict:
		return v.keys(), true
	case *view:
		return v.items, true
	case *rangeValue:
		return v.items(), true
	case *undefined:
		return nil, true
	case *generator:
		if v.halfRead {
			r.fail(unsupported, "going on with a generator that was read in part")
		}
		items := v.items
		v.items = nil
		return items, true
	case string:
		r.charge(elemCost * len(v))
		return characters(v), true
	case markup:
		return r.elements(string(v))
	}
	return nil, false
}

func characters(s string) []any {
	var list []any
	for _, c := range s {
		list = append(list, string(c))
	}
	return list
}

// halfRead notes that v, if it is a generator, was not read to its end.
func halfRead(v any) {
	if g, ok := v.(*generator); ok {
		g.halfRead = true
	}
}

// length is Python's len(v).
func (r *renderer) length(v any) int {
	switch v := v.(type) {
	case string:
		r.read(v)
		return utf8.RuneCountInString(v)
	case markup:
		return r.length(string(v))
	case []any:
		return len(v)
	case tuple:
		return len(v)
	case *Dict:
		return len(v.entries)
	case *view:
		return len(v.items)
	case *rangeValue:
		return int(v.len())
	case *undefined:
		return 0
	case *loop:
		return len(v.items)
	}
	r.fail(typeError, "object of type '%s' has no len()", typeName(v))
	return 0
}
