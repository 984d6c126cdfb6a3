package tokenizer

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"github.com/dlclark/regexp2/syntax"
)

// Limits of patterns from a file: their length in bytes, the time that one match may take, and that
// after which no further one is begun, for all patterns of a file together on a text.
const (
	maxPattern     = 1 << 14
	maxMatchTime   = 3 * time.Second
	maxPatternTime = 7 * time.Second
)

// budget is the time that is left to patterns on a text. One Encode call has one.
type budget struct{ left time.Duration }

func newBudget() budget { return budget{maxPatternTime} }

// regex is any other pattern, run by a backtracking engine under a time limit.
type regex struct {
	re *regexp2.Regexp
}

// compile returns the pattern that a regular expression in Oniguruma's syntax stands for.
func compile(expr string) (pattern, error) {
	if next, ok := scanners[expr]; ok {
		return next, nil
	}
	return compileRegex(expr)
}

func compileRegex(expr string) (r regex, err error) {
	if len(expr) > maxPattern {
		return r, fmt.Errorf("%w: a pattern of %d bytes, at most %d", ErrUnsupported, len(expr), maxPattern)
	}
	defer func() { // the engine is not ours, the expression may be hostile
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: pattern %.80q can't be compiled", ErrUnsupported, expr)
		}
	}()
	translated, err := translate(expr)
	if err != nil {
		return r, err
	}
	// in Oniguruma's Ruby syntax ^ and $ are those of lines
	re, err := regexp2.Compile(translated, regexp2.Multiline)
	if err != nil {
		return r, fmt.Errorf("%w: pattern %.80q: %s", ErrUnsupported, expr, reason(err))
	}
	re.MatchTimeout = maxMatchTime
	return regex{re}, nil
}

// reason is what the engine says of a pattern, without the pattern.
func reason(err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return "can't be compiled"
	}
	return fmt.Sprintf(e.Code.String(), e.Args...)
}

func (r regex) find(b *budget, dst []span, text string) (spans []span, err error) {
	begin := time.Now()
	deadline := begin.Add(b.left)
	defer func() {
		if p := recover(); p != nil { // the engine is not ours
			spans, err = nil, fmt.Errorf("%w: pattern %.80q can't be matched on %d bytes", ErrLimit, r.re.String(), len(text))
		}
		b.left -= time.Since(begin)
	}()
	if b.left <= 0 {
		return nil, r.tooLong()
	}
	done, at, runes := 0, 0, 0 // at is the byte where the first `runes` runes end
	m, err := r.re.FindStringMatch(text)
	for ; m != nil && err == nil; m, err = r.re.FindNextMatch(m) {
		start := advance(text, at, m.Index-runes)
		at, runes = advance(text, start, m.Length), m.Index+m.Length
		dst = appendMatch(dst, done, start, at)
		done = at
		if time.Now().After(deadline) {
			return nil, r.tooLong()
		}
	}
	if err != nil { // it holds the whole text
		return nil, r.tooLong()
	}
	return appendRest(dst, done, len(text)), nil
}

func (r regex) tooLong() error {
	return fmt.Errorf("%w: pattern %.80q takes too long: %v for a match, or %v in all",
		ErrLimit, r.re.String(), maxMatchTime, maxPatternTime)
}

// advance returns the byte position n runes after i.
func advance(text string, i, n int) int {
	for ; n > 0; n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}

// contractions is how published patterns write the English ones. Oniguruma folds case by Unicode,
// where ſ (U+017F) is an s; the engine here doesn't.
const contractions, foldedContractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?i:'[sſ]|'t|'re|'ve|'m|'ll|'d)"

// translate rewrites a regular expression of Oniguruma's where the engine here would take it for
// something else, and refuses what has no equal.
func translate(expr string) (string, error) {
	expr = strings.ReplaceAll(expr, contractions, foldedContractions)
	var out strings.Builder
	class := false // within [ ]
	for i := 0; i < len(expr); i++ {
		rest := expr[i:]
		if refused := misunderstood(rest, class); refused != "" {
			return "", fmt.Errorf("%w: pattern %.80q: %s", ErrUnsupported, expr, refused)
		}
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			i++
			out.WriteString(translateEscape(rest[:2], class))
			continue
		case !class && (strings.HasPrefix(rest, "[]") || strings.HasPrefix(rest, "[^]")):
			return "", fmt.Errorf("%w: pattern %.80q: ] first in a class", ErrUnsupported, expr)
		case rest[0] == '[':
			class = true
		case rest[0] == ']':
			class = false
		}
		out.WriteByte(rest[0])
	}
	return out.String(), nil
}

// misunderstood names what rest begins with, if the engine here would not refuse it, but take it
// for something else.
func misunderstood(rest string, class bool) string {
	switch {
	case class && rest[0] == '[':
		return "a class within a class"
	case class && strings.HasPrefix(rest, "&&"):
		return "an intersection of classes"
	case !class && strings.HasPrefix(rest, "(?") && len(rest) > 2 && strings.ContainsRune("imsnx-", rune(rest[2])) && !strings.HasPrefix(rest, "(?i:"):
		return "options other than (?i:…)"
	}
	return ""
}

// word is Oniguruma's \w in a class; outside it has moreWord too. The engine's own lacks some
// marks and has the zero-width joiners.
const (
	word     = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}Ⓐ-ⓩ🄰-🅉🅐-🅩🅰-🆉`
	moreWord = `²³¹¼½¾`
)

func translateEscape(escape string, class bool) string {
	switch {
	case escape == `\w` && class:
		return word
	case escape == `\w`:
		return "[" + word + moreWord + "]"
	case escape == `\W` && !class:
		return "[^" + word + moreWord + "]"
	}
	return escape
}
