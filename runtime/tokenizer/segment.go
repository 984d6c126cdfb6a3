package tokenizer

import "strings"

// segmenter is the space symbol of a vocabulary in which no token has one after another character,
// as is usual. No merge can then cross the place before a space symbol that follows another
// character, so that a text can be merged in segments, with the same result and much faster. ""
// where that is not so: the text is one segment.
type segmenter string

// newSegmenter checks the tokens that merges lead to. The space symbol must be a token itself
// (known), so that it ends a run of unknown characters.
func newSegmenter(space string, known bool, tokens func(yield func(string) bool)) segmenter {
	if !known {
		return ""
	}
	s := segmenter(space)
	for token := range tokens {
		if segment, _ := s.cut(token); segment != token {
			return ""
		}
	}
	return s
}

// cut returns the first segment of text and the rest.
func (s segmenter) cut(text string) (segment, rest string) {
	if s == "" {
		return text, ""
	}
	at := 0
	for strings.HasPrefix(text[at:], string(s)) {
		at += len(s) // space symbols at the beginning belong to the segment
	}
	if i := strings.Index(text[at:], string(s)); i >= 0 {
		return text[:at+i], text[at+i:]
	}
	return text, ""
}
