package jinja

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// number reads an integer or a float, with underscores between digits.
func (l *lexer) number(rest string) {
	end := digits(rest, 0, "0123456789")
	if rest[0] == '0' && len(rest) > 2 && strings.ContainsRune("xXoObB", rune(rest[1])) {
		end = digits(rest, 2, "0123456789abcdefABCDEF")
	}
	isFloat := false
	if end+1 < len(rest) && rest[end] == '.' && isDigit(rest[end+1]) && !l.afterDot() {
		isFloat, end = true, digits(rest, end+1, "0123456789")
	}
	if e := exponent(rest[end:]); e > 0 && !l.afterDot() {
		isFloat, end = true, end+e
	}
	l.add(tokenNumber, rest[:end])
	t := &l.tokens[len(l.tokens)-1]
	l.pos += end
	spelled := strings.ReplaceAll(rest[:end], "_", "")
	if isFloat {
		f, err := strconv.ParseFloat(spelled, 64)
		if err != nil && f == 0 {
			l.fail("no number: " + spelled)
		}
		t.value = f
		return
	}
	if len(spelled) > 1 && spelled[0] == '0' && isDigit(spelled[1]) {
		l.fail("a number that begins with 0: " + spelled)
	}
	if n, err := strconv.ParseInt(spelled, 0, 64); err == nil {
		t.value = n
		return
	}
	n, ok := new(big.Int).SetString(spelled, 0)
	if !ok || len(spelled) > 1000 {
		l.fail("no number: " + spelled)
	}
	t.value = n
}

// afterDot tells x.0.5 from 0.5: after a dot only integers come.
func (l *lexer) afterDot() bool {
	n := len(l.tokens)
	return n > 0 && l.tokens[n-1].kind == tokenOperator && l.tokens[n-1].text == "."
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func digits(s string, from int, set string) int {
	for from < len(s) && (strings.IndexByte(set, s[from]) >= 0 ||
		s[from] == '_' && from+1 < len(s) && strings.IndexByte(set, s[from+1]) >= 0) {
		from++
	}
	return from
}

// exponent returns the length of e, sign and digits at the beginning of s, 0 if there is none.
func exponent(s string) int {
	if s == "" || s[0] != 'e' && s[0] != 'E' {
		return 0
	}
	i := 1
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	if end := digits(s, i, "0123456789"); end > i {
		return end
	}
	return 0
}

// string reads a string literal.
func (l *lexer) string(rest string) {
	quote := rest[0]
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case quote:
			l.add(tokenString, l.unescape(rest[1:i]))
			l.pos += i + 1
			return
		}
	}
	l.fail("string without end")
}

// simpleEscapes of Python's strings.
var simpleEscapes = map[byte]string{
	'\n': "", '\\': `\`, '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// unescape decodes Python's escapes; unknown ones stay as they are.
func (l *lexer) unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		if simple, ok := simpleEscapes[s[i+1]]; ok {
			b.WriteString(simple)
			i += 2
			continue
		}
		i += l.codeEscape(&b, s[i:])
	}
	return b.String()
}

// codeEscape decodes an escape with a number at the beginning of s and returns its length.
func (l *lexer) codeEscape(b *strings.Builder, s string) int {
	length := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]
	from, base := 2, 16
	switch {
	case s[1] >= '0' && s[1] <= '7':
		from, base = 1, 8
		for length < 3 && from+length < len(s) && s[from+length] >= '0' && s[from+length] <= '7' {
			length++
		}
	case s[1] == 'N':
		l.fail(`\N{…} in a string is not supported`)
	case length == 0:
		b.WriteByte('\\')
		return 1
	}
	if len(s) < from+length {
		l.fail("truncated escape in a string")
	}
	code, err := strconv.ParseUint(s[from:from+length], base, 32)
	if err != nil || code > unicode.MaxRune || code >= 0xd800 && code < 0xe000 {
		l.fail("no character: " + s[:from+length])
	}
	b.WriteRune(rune(code))
	return from + length
}
