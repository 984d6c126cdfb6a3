package tokenizer

import (
	"unicode"
	"unicode/utf8"
)

// Patterns of published models, as their files spell them.
const (
	patternGPT2   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	patternLlama3 = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternQwen2  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// scanners are these patterns by hand. Each alternative can start with any character, so that they
// cover every text, and each takes time in proportion to its match.
var scanners = map[string]scanner{
	patternGPT2:   scanGPT2,
	patternLlama3: func(text string, i int) int { return scanLlama3(text, i, 3) },
	patternQwen2:  func(text string, i int) int { return scanLlama3(text, i, 1) },
}

// class is what the patterns tell apart.
type class uint8

const (
	other   class = iota // [^\s\p{L}\p{N}]
	letter               // \p{L}
	number               // \p{N}
	newline              // [\r\n]
	space                // the rest of \s
)

var asciiClass = func() (table [utf8.RuneSelf]class) {
	for c := range table {
		table[c] = runeClassOf(rune(c))
	}
	return table
}()

func runeClassOf(r rune) class {
	switch {
	case r == '\r' || r == '\n':
		return newline
	case isLetter(r):
		return letter
	case isNumber(r):
		return number
	case unicode.IsSpace(r):
		return space
	}
	return other
}

// classAt is the class and the size in bytes of the character at i, (other, 0) at the end.
func classAt(text string, i int) (class, int) {
	if i >= len(text) {
		return other, 0
	}
	if c := text[i]; c < utf8.RuneSelf {
		return asciiClass[c], 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	return runeClassOf(r), size
}

// run is the end of the longest run of class c that starts at i, at most limit characters long.
func run(text string, i int, c class, limit int) int {
	for ; limit > 0; limit-- {
		got, size := classAt(text, i)
		if got != c || size == 0 {
			break
		}
		i += size
	}
	return i
}

const noLimit = int(^uint(0) >> 1)

// scanGPT2 is patternGPT2.
func scanGPT2(text string, i int) int {
	if end := contraction(text, i, false); end > i {
		return end
	}
	c, size := classAt(text, i)
	if text[i] == ' ' { // " ?" of three alternatives
		if next, n := classAt(text, i+1); n > 0 && next <= number {
			return run(text, i+1+n, next, noLimit)
		}
	}
	if c <= number {
		return run(text, i+size, c, noLimit)
	}
	end, _ := spaces(text, i)
	return beforeLast(text, i, end)
}

// scanLlama3 is patternLlama3 with \p{N}{1,digits}.
func scanLlama3(text string, i, digits int) int {
	if end := contraction(text, i, true); end > i {
		return end
	}
	c, size := classAt(text, i)
	next, n := classAt(text, i+size)
	switch {
	case c == letter:
		return run(text, i+size, letter, noLimit)
	case c != newline && c != number && next == letter && n > 0:
		return run(text, i+size+n, letter, noLimit)
	case c == number:
		return run(text, i, number, digits)
	case c == other:
		return run(text, run(text, i+size, other, noLimit), newline, noLimit)
	case text[i] == ' ' && next == other && n > 0:
		return run(text, run(text, i+size+n, other, noLimit), newline, noLimit)
	}
	end, afterNewline := spaces(text, i)
	if afterNewline > i {
		return afterNewline // \s*[\r\n]+
	}
	return beforeLast(text, i, end)
}

// spaces is the end of the run of white space at i, and the end of the last newline in it (0: none).
func spaces(text string, i int) (end, afterNewline int) {
	for {
		c, size := classAt(text, i)
		if c < newline || size == 0 {
			return i, afterNewline
		}
		i += size
		if c == newline {
			afterNewline = i
		}
	}
}

// beforeLast is where \s+(?!\S)|\s+ ends on white space text[i:end]: it leaves the last
// character to what follows, unless it is the only one or nothing follows.
func beforeLast(text string, i, end int) int {
	if end == len(text) {
		return end
	}
	_, size := utf8.DecodeLastRuneInString(text[i:end])
	if end-size > i {
		return end - size
	}
	return end
}

// contraction is the end of 's 't 're 've 'm 'll 'd at i, or i. With fold in any case; by Unicode's
// folding ſ (U+017F) is an s.
func contraction(text string, i int, fold bool) int {
	if text[i] != '\'' || i+1 >= len(text) {
		return i
	}
	c := lower(text[i+1], fold)
	switch c {
	case 's', 't', 'm', 'd':
		return i + 2
	case "ſ"[0]:
		if fold && len(text) > i+2 && text[i+2] == "ſ"[1] {
			return i + 3
		}
	case 'r', 'v', 'l':
		second := byte('e')
		if c == 'l' {
			second = 'l'
		}
		if len(text) > i+2 && lower(text[i+2], fold) == second {
			return i + 3
		}
	}
	return i
}

func lower(c byte, fold bool) byte {
	if fold && 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
