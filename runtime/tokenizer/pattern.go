package tokenizer

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// span is a stretch of a text that a pattern matches, or one between matches.
type span struct {
	start, end int
	match      bool
}

// pattern finds the places that a Split or Replace is about. find appends spans to dst that cover
// text without gaps or overlaps, in order.
type pattern interface {
	find(dst []span, text string) ([]span, error)
}

// appendMatch adds a match to spans that reach up to done, with what lies before it.
func appendMatch(dst []span, done, start, end int) []span {
	if done < start {
		dst = append(dst, span{done, start, false})
	}
	return append(dst, span{start, end, true})
}

func appendRest(dst []span, done, end int) []span {
	if done < end {
		dst = append(dst, span{done, end, false})
	}
	return dst
}

// literal matches a string, which is not empty.
type literal string

func (l literal) find(dst []span, text string) ([]span, error) {
	done := 0
	for {
		i := strings.Index(text[done:], string(l))
		if i < 0 {
			return appendRest(dst, done, len(text)), nil
		}
		dst = appendMatch(dst, done, done+i, done+i+len(l))
		done += i + len(l)
	}
}

// runeClass matches every single character of a class.
type runeClass func(rune) bool

func (in runeClass) find(dst []span, text string) ([]span, error) {
	done := 0
	for i, r := range text {
		if in(r) {
			end := i + utf8.RuneLen(r)
			dst = appendMatch(dst, done, i, end)
			done = end
		}
	}
	return appendRest(dst, done, len(text)), nil
}

// scanner is a pattern known by heart, whose matches cover every text. It returns the end of the
// match that starts at i < len(text).
type scanner func(text string, i int) int

func (next scanner) find(dst []span, text string) ([]span, error) {
	for i := 0; i < len(text); {
		end := next(text, i)
		dst = append(dst, span{i, end, true})
		i = end
	}
	return dst, nil
}

// Limits of patterns from a file: their length in bytes, and the time they may take on a text.
const (
	maxPattern     = 1 << 14
	maxPatternTime = 10 * time.Second
)

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

// contractions is how published patterns write the English ones. Oniguruma folds case by Unicode,
// where ſ (U+017F) is an s; the engine here doesn't.
const contractions, foldedContractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?i:'[sſ]|'t|'re|'ve|'m|'ll|'d)"

func compileRegex(expr string) (r regex, err error) {
	if len(expr) > maxPattern {
		return r, fmt.Errorf("%w: a pattern of %d bytes, at most %d", ErrUnsupported, len(expr), maxPattern)
	}
	defer func() { // the engine is not ours, the expression may be hostile
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: pattern %.80q: %v", ErrUnsupported, expr, p)
		}
	}()
	// in Oniguruma's Ruby syntax ^ and $ are those of lines
	re, err := regexp2.Compile(strings.ReplaceAll(expr, contractions, foldedContractions), regexp2.Multiline)
	if err != nil {
		return r, fmt.Errorf("%w: pattern %.80q: %v", ErrUnsupported, expr, err)
	}
	re.MatchTimeout = maxPatternTime
	return regex{re}, nil
}

func (r regex) find(dst []span, text string) (spans []span, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: pattern %.80q: %v", ErrLimit, r.re.String(), p)
		}
	}()
	deadline := time.Now().Add(maxPatternTime)
	done, at, runes := 0, 0, 0 // at is the byte where the first `runes` runes end
	m, err := r.re.FindStringMatch(text)
	for ; m != nil && err == nil; m, err = r.re.FindNextMatch(m) {
		start := advance(text, at, m.Index-runes)
		at, runes = advance(text, start, m.Length), m.Index+m.Length
		dst = appendMatch(dst, done, start, at)
		done = at
		if time.Now().After(deadline) {
			err = fmt.Errorf("more than %v", maxPatternTime)
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: pattern %.80q on %d bytes: %v", ErrLimit, r.re.String(), len(text), err)
	}
	return appendRest(dst, done, len(text)), nil
}

// advance returns the byte position n runes after i.
func advance(text string, i, n int) int {
	for ; n > 0; n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}
