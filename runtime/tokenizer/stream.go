package tokenizer

// Stream decodes ids as they arrive. It belongs to one goroutine.
//
// A decoder may treat the start of a text specially (Llama's drops the space there). To decode the
// continuation of a prompt, push the prompt's ids first and ignore what comes back.
type Stream struct {
	tok         *Tokenizer
	skipSpecial bool
	decoding    decoding
	out         []byte // what decoding has made since the last Push
}

// NewStream starts decoding a text id by id, without special tokens if skipSpecial.
func (t *Tokenizer) NewStream(skipSpecial bool) *Stream {
	s := &Stream{tok: t, skipSpecial: skipSpecial}
	s.decoding = t.dec.start(&s.out, true)
	return s
}

// Push takes the next id and returns the text that is certain with it, which is often empty: a
// character may take several ids. The text is valid UTF-8. Error: ErrRange; the stream stays usable.
func (s *Stream) Push(id int) (string, error) {
	if err := s.tok.decodeInto(s.decoding, id, s.skipSpecial); err != nil {
		return "", err
	}
	return s.take(), nil
}

// Flush ends the text and returns what was held back; incomplete characters become U+FFFD. The
// next Push starts a new text.
func (s *Stream) Flush() string {
	s.decoding.flush()
	text := s.take()
	s.decoding = s.tok.dec.start(&s.out, true)
	return text
}

func (s *Stream) take() string {
	text := string(s.out)
	s.out = s.out[:0]
	return text
}
