package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// span is a stretch of a text that a pattern matches, or one between matches.
type span struct {
	start, end int
	match      bool
}

// pattern finds the places that a Split or Replace is about. find appends spans to dst that cover
// text without gaps or overlaps, in order.
type pattern interface {
	find(b *budget, dst []span, text string) ([]span, error)
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

func (l literal) find(_ *budget, dst []span, text string) ([]span, error) {
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

func (in runeClass) find(_ *budget, dst []span, text string) ([]span, error) {
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

func (next scanner) find(_ *budget, dst []span, text string) ([]span, error) {
	for i := 0; i < len(text); {
		end := next(text, i)
		dst = append(dst, span{i, end, true})
		i = end
	}
	return dst, nil
}
