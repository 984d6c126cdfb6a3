package jinja

import (
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
	switch left.(type) {
	case string, []any, tuple:
		if name := typeName(left); op == "+" {
			r.fail(typeError, "can only concatenate %s (not \"%s\") to %s", name, typeName(right), name)
		}
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
