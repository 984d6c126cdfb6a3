package tokenizer

import "unicode/utf8"

const replacement = "\uFFFD"

// validText is text with each maximal invalid run of bytes replaced by U+FFFD.
func validText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	out, _ := appendValid(make([]byte, 0, len(text)+16), []byte(text), true)
	return string(out)
}

// appendValid appends b to dst, each maximal subpart of an ill-formed sequence as one U+FFFD (Unicode
// §3.9, Rust's from_utf8_lossy). An incomplete character at the end is returned as rest,
// unless the text ends there (final).
func appendValid(dst, b []byte, final bool) (out, rest []byte) {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r != utf8.RuneError || n > 1 {
			dst, b = append(dst, b[:n]...), b[n:]
			continue
		}
		n, incomplete := illFormed(b)
		if incomplete && !final {
			return dst, b
		}
		dst, b = append(dst, replacement...), b[n:]
	}
	return dst, nil
}

// illFormed is the length of the maximal subpart of the ill-formed sequence at the start of b.
// incomplete: more bytes could make it a character.
func illFormed(b []byte) (n int, incomplete bool) {
	need, lo, hi := 1, byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 2
	case c >= 0xE0 && c <= 0xEF:
		need = 3
	case c >= 0xF0 && c <= 0xF4:
		need = 4
	}
	switch b[0] { // overlong forms, surrogates and what lies beyond U+10FFFF
	case 0xE0:
		lo = 0xA0
	case 0xED:
		hi = 0x9F
	case 0xF0:
		lo = 0x90
	case 0xF4:
		hi = 0x8F
	}
	n = 1
	for n < need && n < len(b) && lo <= b[n] && b[n] <= hi {
		n, lo, hi = n+1, 0x80, 0xBF
	}
	return n, n < need && n == len(b)
}
