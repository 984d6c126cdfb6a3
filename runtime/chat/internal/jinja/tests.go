package jinja

import "math/big"

// test is what can stand behind "is".
type test = func(r *renderer, v any, a *arguments) bool

// tests by name.
var tests map[string]test

func init() { // because "is filter" and "is test" look into the tables
	tests = map[string]test{
		"defined":   is(func(v any) bool { return !isUndefined(v) }),
		"undefined": is(isUndefined),
		"none":      is(func(v any) bool { return v == nil }),
		"boolean":   is(func(v any) bool { _, ok := v.(bool); return ok }),
		"true":      is(func(v any) bool { return v == true }),
		"false":     is(func(v any) bool { return v == false }),
		"integer":   is(isInteger),
		"float":     is(func(v any) bool { _, ok := v.(float64); return ok }),
		"number":    is(isNumber),
		"string":    is(func(v any) bool { _, ok := text(v); return ok }),
		"mapping":   is(func(v any) bool { _, ok := v.(*Dict); return ok }),
		"sequence":  is(isSequence),
		"iterable":  is(isIterable),
		"callable":  is(isCallable),
		"escaped":   is(func(v any) bool { _, ok := v.(markup); return ok }),
		"sameas":    testSame,

		"==": comparing("=="), "eq": comparing("=="), "equalto": comparing("=="),
		"!=": comparing("!="), "ne": comparing("!="),
		"<": comparing("<"), "lt": comparing("<"), "lessthan": comparing("<"),
		"<=": comparing("<="), "le": comparing("<="),
		">": comparing(">"), "gt": comparing(">"), "greaterthan": comparing(">"),
		">=": comparing(">="), "ge": comparing(">="),
		"in": comparing("in"),

		"odd":         divides(2, 1),
		"even":        divides(2, 0),
		"divisibleby": testDivisible,
		"lower":       testCase("lower"),
		"upper":       testCase("upper"),
		"filter": func(r *renderer, v any, a *arguments) bool {
			name, _ := text(v)
			return filters[name] != nil
		},
		"test": func(r *renderer, v any, a *arguments) bool {
			name, _ := text(v)
			return tests[name] != nil
		},
	}
}

func is(f func(v any) bool) test {
	return func(r *renderer, v any, a *arguments) bool {
		a.bind(r, "test", 0)
		return f(v)
	}
}

func isUndefined(v any) bool {
	_, ok := v.(*undefined)
	return ok
}

func isInteger(v any) bool {
	switch v.(type) {
	case int64, *big.Int:
		return true
	}
	return false
}

// isNumber counts True and False, as Python does.
func isNumber(v any) bool {
	switch v.(type) {
	case bool, int64, *big.Int, float64:
		return true
	}
	return false
}

// isSequence says whether a value has a length and elements by index; undefined ones have both.
func isSequence(v any) bool {
	switch v.(type) {
	case string, markup, []any, tuple, *Dict, *rangeValue, *undefined:
		return true
	}
	return false
}

func isIterable(v any) bool {
	switch v.(type) {
	case *generator, *view, *loop:
		return true
	}
	return isSequence(v)
}

func isCallable(v any) bool {
	switch v.(type) {
	case *function, *macro, *loop, *undefined:
		return true
	}
	return false
}

func testSame(r *renderer, v any, a *arguments) bool {
	other := a.bind(r, "sameas", 1, "other")[0].value
	switch v.(type) {
	case nil, bool:
		return v == other
	case *Dict, *namespace, *macro:
		return v == other
	}
	r.fail(unsupported, "sameas of %s", typeName(v))
	return false
}

func comparing(op string) test {
	return func(r *renderer, v any, a *arguments) bool {
		return r.compared(op, v, a.bind(r, "test", 1, "other")[0].value)
	}
}

func divides(by, rest int64) test {
	return func(r *renderer, v any, a *arguments) bool {
		a.bind(r, "test", 0)
		return r.equal(r.arithmetic("%", v, by), rest, 0)
	}
}

func testDivisible(r *renderer, v any, a *arguments) bool {
	by := a.bind(r, "divisibleby", 1, "num")[0].value
	return r.equal(r.arithmetic("%", v, by), int64(0), 0)
}

func testCase(name string) test {
	return func(r *renderer, v any, a *arguments) bool {
		a.bind(r, name, 0)
		return truth(stringMethods["is"+name](r, r.str(v), a))
	}
}
