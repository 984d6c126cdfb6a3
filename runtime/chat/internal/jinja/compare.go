package jinja

import (
	"cmp"
	"math/big"
	"strings"
)

// compared is left op right for one operator of a comparison.
func (r *renderer) compared(op string, left, right any) bool {
	switch op {
	case "==":
		return r.equal(left, right, 0)
	case "!=":
		return !r.equal(left, right, 0)
	case "in":
		return r.contains(right, left)
	case "not in":
		return !r.contains(right, left)
	}
	if x, ok := number(left); ok && x != x { // NaN is in no order
		return false
	}
	if y, ok := number(right); ok && y != y {
		return false
	}
	c := r.compare(op, left, right)
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	}
	return c >= 0
}

// equal is Python's ==.
func (r *renderer) equal(a, b any, depth int) bool {
	r.nested(depth)
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool, int64, float64, *big.Int:
		return equalNumbers(a, b)
	case string, markup:
		s, _ := text(a)
		t, ok := text(b)
		r.read(s)
		return ok && s == t
	case []any:
		other, ok := b.([]any)
		return ok && r.equalItems(a, other, depth)
	case tuple:
		other, ok := b.(tuple)
		return ok && r.equalItems(a, other, depth)
	case *Dict:
		other, ok := b.(*Dict)
		return ok && r.equalDicts(a, other, depth)
	case *undefined:
		_, ok := b.(*undefined)
		return ok
	case *view:
		if _, ok := b.(*view); ok {
			r.fail(unsupported, "comparing %s", a.name)
		}
		return false
	case *rangeValue:
		other, ok := b.(*rangeValue)
		return ok && a.equal(other)
	}
	return a == b // pointers
}

func equalNumbers(a, b any) bool {
	x, ok := a.(*big.Int)
	if y, both := b.(*big.Int); ok || both {
		return ok && both && x.Cmp(y) == 0
	}
	i, iOK := integer(a)
	j, jOK := integer(b)
	if iOK && jOK {
		return i == j
	}
	f, fOK := number(a)
	g, gOK := number(b)
	return fOK && gOK && f == g
}

func (g *rangeValue) equal(o *rangeValue) bool {
	n := g.len()
	return n == o.len() && (n == 0 || g.start == o.start && (n == 1 || g.step == o.step))
}

func (r *renderer) equalItems(a, b []any, depth int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !r.equal(a[i], b[i], depth+1) {
			return false
		}
	}
	return true
}

func (r *renderer) equalDicts(a, b *Dict, depth int) bool {
	if len(a.entries) != len(b.entries) {
		return false
	}
	for _, e := range a.entries {
		other, ok := b.get(r.hash(e.key))
		if !ok || !r.equal(e.value, other, depth+1) {
			return false
		}
	}
	return true
}

// compare orders two values, as <; op is what the template says, for the message.
func (r *renderer) compare(op string, a, b any) int { return r.compareAt(op, a, b, 0) }

func (r *renderer) compareAt(op string, a, b any, depth int) int {
	r.nested(depth)
	r.defined(a, b)
	i, iOK := integer(a)
	j, jOK := integer(b)
	if iOK && jOK {
		return cmp.Compare(i, j)
	}
	x, xOK := number(a)
	y, yOK := number(b)
	if xOK && yOK {
		return cmp.Compare(x, y)
	}
	s, sOK := text(a)
	t, tOK := text(b)
	if sOK && tOK {
		r.read(s)
		return strings.Compare(s, t) // UTF-8 sorts like code points
	}
	if p, q, ok := pairOfLists(a, b); ok {
		for k := range min(len(p), len(q)) {
			if !r.equal(p[k], q[k], depth+1) {
				return r.compareAt(op, p[k], q[k], depth+1)
			}
		}
		return cmp.Compare(len(p), len(q))
	}
	r.fail(typeError, "'%s' not supported between instances of '%s' and '%s'", op, typeName(a), typeName(b))
	return 0
}

func pairOfLists(a, b any) (p, q []any, ok bool) {
	switch a := a.(type) {
	case []any:
		q, ok = b.([]any)
		return a, q, ok
	case tuple:
		t, ok := b.(tuple)
		return a, t, ok
	}
	return nil, nil, false
}

// contains is v in container.
func (r *renderer) contains(container, v any) bool {
	switch c := container.(type) {
	case string, markup:
		s, _ := text(c)
		part, ok := text(v)
		if !ok {
			r.defined(v)
			r.fail(typeError, "'in <string>' requires string as left operand, not %s", typeName(v))
		}
		r.charge(len(s)/16 + 1)
		return strings.Contains(s, part)
	case *Dict:
		_, ok := c.get(r.hash(v))
		return ok
	case nil, bool, int64, float64, *big.Int, *namespace, *macro, *function:
		r.fail(typeError, "argument of type '%s' is not iterable", typeName(container))
	}
	for _, e := range r.iterate(container) {
		if r.equal(e, v, 0) {
			halfRead(container)
			return true
		}
	}
	return false
}
