package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// surfaces is the decoder of tokenizer.model and tokenizer.bin: each token has its text, byte
// tokens make characters together, and the first token loses the space that encoding put there.
type surfaces struct {
	tokens    []surface // by id
	strip     bool      // the first token that has text loses a space
	stripMore bool      // and so do those after it, as long as there is no text
	restart   int       // after this id the text begins anew: BOS; -1: none
}

// surface is what a token looks like in a text.
type surface struct {
	text   string
	isByte bool
	value  byte // of a byte token
	fixed  bool // the text doesn't lose a space
}

func newSPMDecoder(f *spmFile) *surfaces {
	d := &surfaces{strip: f.dummyPrefix || f.removeExtra, stripMore: f.removeExtra, restart: -1}
	for _, p := range f.pieces {
		s := surface{text: strings.ReplaceAll(p.text, spaceSymbol, " ")}
		switch p.kind {
		case pieceByte:
			s.value, s.isByte = byteToken(p.text)
		case pieceControl:
			s.text, s.fixed = "", true
		case pieceUnknown:
			s.text, s.fixed = validText(f.unkSurface), true
		}
		d.tokens = append(d.tokens, s)
	}
	return d
}

func (d *surfaces) start(out *[]byte, _ bool) decoding {
	return &surfaceDecoding{surfaces: d, out: out, begin: true}
}

type surfaceDecoding struct {
	*surfaces
	out   *[]byte
	bytes []byte // of byte tokens: the beginning of a character
	begin bool   // no text and no stripped space yet
}

func (d *surfaceDecoding) push(id int) {
	s := d.tokens[id]
	if s.isByte {
		d.bytes = append(d.bytes, s.value)
		d.writeBytes(false)
		return
	}
	d.writeBytes(true)
	text := s.text
	if d.begin && d.strip && !s.fixed {
		var stripped bool
		if text, stripped = strings.CutPrefix(text, " "); stripped && !d.stripMore {
			d.begin = false
		}
	}
	d.write(text)
	if id == d.restart {
		d.begin = true
	}
}

func (d *surfaceDecoding) write(text string) {
	if text != "" {
		*d.out, d.begin = append(*d.out, text...), false
	}
}

// writeBytes writes the characters that bytes make, and U+FFFD for each byte that is part of none.
// The beginning of a character waits, unless this is the end of the run.
func (d *surfaceDecoding) writeBytes(end bool) {
	for len(d.bytes) > 0 {
		r, size := utf8.DecodeRune(d.bytes)
		if r != utf8.RuneError || size > 1 {
			d.write(string(d.bytes[:size]))
		} else if _, incomplete := illFormed(d.bytes); incomplete && !end {
			return
		} else {
			d.write(replacement)
		}
		d.bytes = append(d.bytes[:0], d.bytes[size:]...)
	}
}

func (d *surfaceDecoding) flush() { d.writeBytes(true) }
