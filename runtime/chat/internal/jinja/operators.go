package jinja

import (
	"cmp"
	"math"
	"math/big"
	"strings"
)

// defined fails on an undefined value with its message.
func (r *renderer) defined(values ...any) {
	for _, v := range values {
		if u, ok := v.(*undefined); ok {
			r.fail(u.kind, "%s", u.message)
		}
	}
}

func (r *renderer) unary(op string, v any) any {
	if op == "not" {
		return !truth(v)
	}
	r.defined(v)
	switch n := v.(type) {
	case bool, int64:
		i, _ := integral(n)
		if op == "-" {
			return r.subtract(0, i)
		}
		return i
	case float64:
		if op == "-" {
			return -n
		}
		return n
	}
	r.fail(typeError, "bad operand type for unary %s: '%s'", op, typeName(v))
	return nil
}

// arithmetic is left op right.
func (r *renderer) arithmetic(op string, left, right any) any {
	if format, ok := left.(string); ok && op == "%" {
		return r.printf(format, right)
	}
	r.defined(left, right)
	a, aInt := integer(left)
	b, bInt := integer(right)
	if aInt && bInt {
		return r.integers(op, a, b)
	}
	x, xOK := number(left)
	y, yOK := number(right)
	if xOK && yOK {
		return r.floats(op, x, y)
	}
	if v, ok := r.sequences(op, left, right); ok {
		return v
	}
	if _, ok := left.(*big.Int); ok {
		r.fail(unsupported, "arithmetic with integers of more than 64 bits")
	}
	if _, ok := text(left); ok && op == "+" {
		r.fail(typeError, "can only concatenate str (not \"%s\") to str", typeName(right))
	}
	r.fail(typeError, "unsupported operand type(s) for %s: '%s' and '%s'", op, typeName(left), typeName(right))
	return nil
}

// integer returns bools and ints; number these and floats.
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case bool, int64:
		return integral(v)
	}
	return 0, false
}

func number(v any) (float64, bool) {
	if f, ok := v.(float64); ok {
		return f, true
	}
	n, ok := integer(v)
	return float64(n), ok
}

func (r *renderer) integers(op string, a, b int64) any {
	switch op {
	case "+":
		return r.add(a, b)
	case "-":
		return r.subtract(a, b)
	case "*":
		return r.multiply(a, b)
	case "**":
		return r.power(a, b)
	}
	if b == 0 {
		r.fail("ZeroDivisionError", "division by zero")
	}
	if a == math.MinInt64 && b == -1 {
		r.overflow()
	}
	quotient, rest := a/b, a%b
	if rest != 0 && (rest < 0) != (b < 0) { // Python rounds down
		quotient, rest = quotient-1, rest+b
	}
	switch op {
	case "//":
		return quotient
	case "%":
		return rest
	}
	return float64(a) / float64(b)
}

func (r *renderer) overflow() { r.fail(unsupported, "integers of more than 64 bits") }

func (r *renderer) add(a, b int64) int64 {
	if sum := a + b; (sum > a) == (b > 0) {
		return sum
	}
	r.overflow()
	return 0
}

func (r *renderer) subtract(a, b int64) int64 {
	if d := a - b; (d < a) == (b > 0) {
		return d
	}
	r.overflow()
	return 0
}

func (r *renderer) multiply(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	p := a * b
	if p/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		r.overflow()
	}
	return p
}

func (r *renderer) power(a, b int64) any {
	if b < 0 {
		if a == 0 {
			r.fail("ZeroDivisionError", "0.0 cannot be raised to a negative power")
		}
		p := r.power(a, -max(b, -64)).(int64)
		if p > 1<<53 || p < -1<<53 || b < -64 {
			r.overflow()
		}
		return 1 / float64(p)
	}
	if b > 64 && a > 1 || b > 64 && a < -1 {
		r.overflow()
	}
	if a >= -1 && a <= 1 { // any exponent
		if b == 0 || a == 1 || a == -1 && b%2 == 0 {
			return int64(1)
		}
		return a
	}
	p := int64(1)
	for range b {
		p = r.multiply(p, a)
	}
	return p
}

func (r *renderer) floats(op string, x, y float64) any {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "**": // the last digit is up to the C library
		r.fail(unsupported, "powers of floats")
	}
	if y == 0 {
		r.fail("ZeroDivisionError", "float division by zero")
	}
	if op == "/" {
		return x / y
	}
	rest := math.Mod(x, y)
	quotient := (x - rest) / y
	if rest != 0 && (rest < 0) != (y < 0) {
		rest, quotient = rest+y, quotient-1
	}
	if op == "%" {
		if rest == 0 {
			rest = math.Copysign(0, y)
		}
		return rest
	}
	whole := math.Floor(quotient)
	if quotient-whole > 0.5 {
		whole++
	}
	return whole
}

// sequences adds and repeats strings and lists.
func (r *renderer) sequences(op string, left, right any) (any, bool) {
	switch op {
	case "+":
		return r.join(left, right)
	case "*":
		if n, ok := integer(right); ok {
			return r.repeat(left, n)
		}
		if n, ok := integer(left); ok {
			return r.repeat(right, n)
		}
	}
	return nil, false
}

func (r *renderer) join(left, right any) (any, bool) {
	switch a := left.(type) {
	case string:
		switch b := right.(type) {
		case string:
			r.room(len(a) + len(b))
			return a + b, true
		case markup:
			return markup(r.built(escape(a)) + string(b)), true
		}
	case markup:
		if b, ok := right.(markup); ok {
			return markup(r.built(string(a + b))), true
		}
		if b, ok := right.(string); ok {
			return markup(r.built(string(a) + escape(b))), true
		}
	case []any:
		if b, ok := right.([]any); ok {
			r.charge(elemCost * (len(a) + len(b)))
			return append(a[:len(a):len(a)], b...), true
		}
	case tuple:
		if b, ok := right.(tuple); ok {
			r.charge(elemCost * (len(a) + len(b)))
			return append(a[:len(a):len(a)], b...), true
		}
	}
	return nil, false
}

func (r *renderer) repeat(v any, n int64) (any, bool) {
	n = max(n, 0)
	switch v := v.(type) {
	case string:
		r.many(n, len(v))
		return strings.Repeat(v, int(n)), true
	case []any:
		r.many(n, elemCost*len(v))
		return repeated(v, int(n)), true
	case tuple:
		r.many(n, elemCost*len(v))
		return tuple(repeated(v, int(n))), true
	}
	return nil, false
}

// many charges for n pieces of a size.
func (r *renderer) many(n int64, size int) {
	if n > maxText {
		r.fail(limitError, "a sequence repeated %d times", n)
	}
	r.room(int(n) * size)
}

func repeated(list []any, n int) []any {
	out := make([]any, 0, len(list)*n)
	for range n {
		out = append(out, list...)
	}
	return out
}

// escape is HTML's.
func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;").Replace(s)
}

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
