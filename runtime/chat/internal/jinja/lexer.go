package jinja

import (
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	tokenEOF      tokenKind = iota
	tokenData               // text outside of tags
	tokenVarBegin           // {{
	tokenVarEnd
	tokenBlockBegin // {%
	tokenBlockEnd
	tokenName
	tokenString
	tokenNumber
	tokenOperator
)

type token struct {
	kind  tokenKind
	text  string // of data, names, operators; the decoded string
	value any    // of numbers
	line  int
}

// lexer cuts a template into tokens as Jinja2's lexer does with trim_blocks and lstrip_blocks.
type lexer struct {
	src     string
	pos     int
	line    int
	counted int // newlines of src[:counted] are in line
	tokens  []token
	open    []byte // brackets of the tag at hand that wait for their end

	// lineStart says that what came before the next text ended a line, so that blanks at the
	// beginning of that text are indentation.
	lineStart bool
}

// newlines are made one kind; one at the end of the template is dropped.
var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func lex(source string) []token {
	l := &lexer{src: strings.TrimSuffix(newlines.Replace(source), "\n"), line: 1, lineStart: true}
	for l.pos < len(l.src) {
		l.next()
	}
	l.add(tokenEOF, "")
	return l.tokens
}

func (l *lexer) add(kind tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind: kind, text: text, line: l.currentLine()})
}

func (l *lexer) currentLine() int {
	l.line += strings.Count(l.src[l.counted:l.pos], "\n")
	l.counted = l.pos
	return l.line
}

func (l *lexer) fail(message string) {
	panic(&Error{Line: l.currentLine(), Kind: syntaxError, Message: message})
}

// next reads the text up to a tag, and the tag.
func (l *lexer) next() {
	start := l.pos
	open := l.findTag()
	if open < 0 {
		l.add(tokenData, l.src[start:])
		l.pos = len(l.src)
		return
	}
	kind := l.src[open+1]
	sign := byte(0)
	if open+2 < len(l.src) && (l.src[open+2] == '-' || l.src[open+2] == '+') {
		sign = l.src[open+2]
	}
	if data := l.stripBefore(l.src[start:open], sign, kind != '{'); data != "" {
		l.add(tokenData, data)
	}
	l.pos = open + 2
	if sign != 0 {
		l.pos++
	}
	switch kind {
	case '#':
		l.comment()
	case '{':
		l.tag(tokenVarBegin, tokenVarEnd)
	default:
		if !l.raw() {
			l.tag(tokenBlockBegin, tokenBlockEnd)
		}
	}
}

// findTag returns where the next tag opens, -1 if there is none.
func (l *lexer) findTag() int {
	for i := l.pos; ; i++ {
		open := strings.IndexByte(l.src[i:], '{')
		if open < 0 || i+open+1 == len(l.src) {
			return -1
		}
		i += open
		if next := l.src[i+1]; next == '{' || next == '%' || next == '#' {
			return i
		}
	}
}

// stripBefore removes what the tag after text removes: all blanks for "-", else indentation
// in front of a block or comment.
func (l *lexer) stripBefore(text string, sign byte, block bool) string {
	switch {
	case sign == '-':
		return trimSpaceRight(text)
	case sign == '+' || !block:
		return text
	}
	line := strings.LastIndexByte(text, '\n') + 1
	if (line > 0 || l.lineStart) && trimSpace(text[line:]) == "" {
		return text[:line]
	}
	return text
}

// skipAfter moves behind the end of a tag at end, which is size bytes long, and behind what it
// removes: all blanks for "-", else one newline if the tag trims.
func (l *lexer) skipAfter(end, size int, sign byte, trim bool) {
	l.pos = end + size
	switch {
	case sign == '-':
		rest := l.src[l.pos:]
		l.pos += len(rest) - len(trimSpaceLeft(rest))
	case trim && sign != '+' && strings.HasPrefix(l.src[l.pos:], "\n"):
		l.pos++
	}
	l.lineStart = l.src[l.pos-1] == '\n'
}

func (l *lexer) comment() {
	end := strings.Index(l.src[l.pos:], "#}")
	if end < 0 {
		l.fail("missing end of comment tag")
	}
	sign := byte(0)
	if end > 0 {
		sign = l.src[l.pos+end-1]
	}
	l.skipAfter(l.pos+end, 2, sign, true)
}

// raw reads {% raw %}…{% endraw %} if that is the tag at hand.
func (l *lexer) raw() bool {
	rest, ok := strings.CutPrefix(trimSpaceLeft(l.src[l.pos:]), "raw")
	if !ok {
		return false
	}
	rest = trimSpaceLeft(rest)
	after, dash := strings.CutPrefix(rest, "-%}")
	if !dash {
		if after, ok = strings.CutPrefix(rest, "%}"); !ok {
			return false
		}
	}
	start := len(l.src) - len(after)
	if dash {
		start = len(l.src) - len(trimSpaceLeft(after))
	}
	l.pos = start
	l.lineStart = l.src[start-1] == '\n'
	for from := start; ; {
		open := strings.Index(l.src[from:], "{%")
		if open < 0 {
			l.fail("missing end of raw directive")
		}
		open += from
		if l.endRaw(start, open) {
			return true
		}
		from = open + 2
	}
}

func (l *lexer) endRaw(start, open int) bool {
	rest, sign := l.src[open+2:], byte(0)
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		sign, rest = rest[0], rest[1:]
	}
	rest, ok := strings.CutPrefix(trimSpaceLeft(rest), "endraw")
	if !ok {
		return false
	}
	rest = trimSpaceLeft(rest)
	end := len(l.src) - len(rest)
	size, endSign := tagEnd(rest, "%}")
	if size == 0 {
		return false
	}
	if data := l.stripBefore(l.src[start:open], sign, true); data != "" {
		l.add(tokenData, data)
	}
	l.skipAfter(end, size, endSign, true)
	return true
}

// tagEnd returns the size of the end of a tag that rest begins with, 0 if it does not, and its sign.
func tagEnd(rest, end string) (size int, sign byte) {
	if strings.HasPrefix(rest, end) {
		return len(end), 0
	}
	if rest != "" && (rest[0] == '-' || rest[0] == '+' && end == "%}") && strings.HasPrefix(rest[1:], end) {
		return len(end) + 1, rest[0]
	}
	return 0, 0
}

// tag reads the tokens of a tag up to its end, which inside of braces is none.
func (l *lexer) tag(begin, end tokenKind) {
	l.add(begin, "")
	closing := "%}"
	l.open = l.open[:0]
	if end == tokenVarEnd {
		closing = "}}"
	}
	for {
		rest := l.src[l.pos:]
		l.pos += len(rest) - len(trimSpaceLeft(rest))
		rest = l.src[l.pos:]
		if rest == "" {
			l.fail("unexpected end of template")
		}
		if size, sign := tagEnd(rest, closing); size > 0 && len(l.open) == 0 {
			l.add(end, "")
			l.skipAfter(l.pos, size, sign, end == tokenBlockEnd)
			return
		}
		l.expressionToken(rest)
	}
}

// expressionToken reads one token.
func (l *lexer) expressionToken(rest string) {
	c, _ := utf8.DecodeRuneInString(rest)
	switch {
	case c == '\'' || c == '"':
		l.string(rest)
	case c >= '0' && c <= '9':
		l.number(rest)
	case c == '_' || unicode.IsLetter(c):
		end := strings.IndexFunc(rest, func(c rune) bool {
			return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c)
		})
		if end < 0 {
			end = len(rest)
		}
		l.add(tokenName, rest[:end])
		l.pos += end
	default:
		l.operator(rest)
	}
}

// operators, longer ones first.
var operators = []string{
	"//", "**", "==", "!=", ">=", "<=",
	"+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=", ".", ":", "|", ",", ";",
}

var closes = map[string]byte{")": '(', "]": '[', "}": '{'}

func (l *lexer) operator(rest string) {
	for _, op := range operators {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		switch op {
		case "(", "[", "{":
			l.open = append(l.open, op[0])
		case ")", "]", "}":
			last := len(l.open) - 1
			if last < 0 || l.open[last] != closes[op] {
				l.fail("unexpected '" + op + "'")
			}
			l.open = l.open[:last]
		}
		l.add(tokenOperator, op)
		l.pos += len(op)
		return
	}
	c, _ := utf8.DecodeRuneInString(rest)
	l.fail("unexpected char " + strconv.QuoteRune(c))
}

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
