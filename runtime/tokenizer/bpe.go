package tokenizer

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// bpe is byte pair encoding by ranked merges, the model "BPE" of tokenizer.json.
type bpe struct {
	raw      bool             // pieces are raw bytes, and so are the tables: ByteLevel's alphabet is folded into them
	byteIDs  [256]int32       // token of a byte (raw), or of an ASCII character; -1: none
	runeIDs  map[rune]int32   // tokens of other characters
	whole    map[string]int32 // with ignore_merges: pieces that are tokens as they are
	pairs    pairTable
	fallback *[256]int32 // <0x00> … <0xFF>, -1 for none; nil without byte_fallback
	unk      unknown
	segments segmenter
}

// unknown says what becomes of a character without token.
type unknown struct {
	token *string // nil: such characters are dropped
	id    int32   // -1: the token is not in the vocabulary
	fuse  bool    // neighbours become one token
}

// smallPiece is up to how many symbols a piece is merged by scanning for the best pair.
const smallPiece = 48

func (m *bpe) encode(s *scratch, ids []int, text string) ([]int, error) {
	if id, ok := m.whole[text]; ok {
		return append(ids, int(id)), nil
	}
	var err error
	for segment := ""; text != ""; {
		segment, text = m.segments.cut(text)
		if ids, err = m.encodeSegment(s, ids, segment); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (m *bpe) encodeSegment(s *scratch, ids []int, text string) ([]int, error) {
	symbols, err := m.symbols(s.symbols[:0], text)
	if err != nil {
		return nil, err
	}
	s.symbols = symbols
	if len(symbols) > smallPiece {
		return m.mergeLong(s, ids, symbols), nil
	}
	for _, id := range m.mergeShort(s, symbols) {
		ids = append(ids, int(id))
	}
	return ids, nil
}

// mergeShort merges in place, by looking for the best pair again after each merge.
func (m *bpe) mergeShort(s *scratch, ids []int32) []int32 {
	ranks := s.ranks[:0] // of the pairs (i, i+1)
	for i := 1; i < len(ids); i++ {
		ranks = append(ranks, m.pairs.get(ids[i-1], ids[i]))
	}
	s.ranks = ranks
	for {
		best, at := noMerge, 0
		for i, r := range ranks {
			if r < best {
				best, at = r, i
			}
		}
		if best == noMerge {
			return ids
		}
		ids[at] = int32(uint32(best))
		ids = append(ids[:at+1], ids[at+2:]...)
		ranks = append(ranks[:at], ranks[at+1:]...)
		if at > 0 {
			ranks[at-1] = m.pairs.get(ids[at-1], ids[at])
		}
		if at < len(ranks) {
			ranks[at] = m.pairs.get(ids[at], ids[at+1])
		}
	}
}

func (m *bpe) mergeLong(s *scratch, ids []int, symbols []int32) []int {
	s.chain.reset()
	for _, id := range symbols {
		s.chain.add(id, 0, 0)
	}
	s.chain.merge(func(left, right *symbol) uint64 { return m.pairs.get(left.id, right.id) })
	s.chain.each(func(sym *symbol) { ids = append(ids, int(sym.id)) })
	return ids
}

// symbols appends the tokens of the single characters of text.
func (m *bpe) symbols(dst []int32, text string) ([]int32, error) {
	pending := false // an unknown token is due
	for i := 0; i < len(text); {
		id, size := m.symbol(text, i)
		char := text[i : i+size]
		i += size
		if id >= 0 {
			dst, pending = m.flushUnknown(dst, pending), false
			dst = append(dst, id)
			continue
		}
		// as in the reference, bytes do not end a run of unknown characters before them
		if bytes, ok := m.bytes(dst, char); ok {
			dst = bytes
			continue
		}
		if m.unk.token == nil {
			continue
		}
		if m.unk.id < 0 {
			return nil, fmt.Errorf("%w: no token for %q, and unk_token %.40q is not in the vocabulary", ErrText, char, *m.unk.token)
		}
		if !m.unk.fuse {
			dst = m.flushUnknown(dst, pending)
		}
		pending = true
	}
	return m.flushUnknown(dst, pending), nil
}

func (m *bpe) flushUnknown(dst []int32, pending bool) []int32 {
	if pending {
		dst = append(dst, m.unk.id)
	}
	return dst
}

// keepsUnknown says whether a character without token leaves something between its neighbours.
func (m *bpe) keepsUnknown() bool {
	return m.unk.token != nil || m.fallback != nil && !slices.Contains(m.fallback[:], -1)
}

// symbol is the token of the character (raw: byte) at i, -1 if there is none, and its size.
func (m *bpe) symbol(text string, i int) (id int32, size int) {
	c := text[i]
	if m.raw || c < utf8.RuneSelf {
		return m.byteIDs[c], 1
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	if id, ok := m.runeIDs[r]; ok {
		return id, size
	}
	return -1, size
}

// bytes appends the byte tokens of char, if it has them all.
func (m *bpe) bytes(dst []int32, char string) ([]int32, bool) {
	if m.fallback == nil {
		return dst, false
	}
	n := len(dst)
	for i := 0; i < len(char); i++ {
		id := m.fallback[char[i]]
		if id < 0 {
			return dst[:n], false
		}
		dst = append(dst, id)
	}
	return dst, true
}
