package jinja

import (
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
