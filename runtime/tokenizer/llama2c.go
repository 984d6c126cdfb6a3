package tokenizer

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"unicode/utf8"
)

// Ids that a llama2.c tokenizer.bin has by convention; the 256 byte tokens follow.
const (
	llama2cUnknown = 0
	llama2cBOS     = 1
	llama2cEOS     = 2
	llama2cByte    = 3
)

// lowestScore is where run.c begins to look for a better one.
const lowestScore = -1e10

// llama2c is the encoder of llama2.c's run.c: characters, or bytes where there is no token for
// them, are merged where the spellings of two neighbours together are a token's, the one of the
// highest score first, of equal ones the leftmost.
type llama2c struct {
	tokens  []string          // by id
	ids     map[string]int32  // of tokens spelled the same the first
	merges  map[string]uint64 // packed merge to each token that can be merged to
	longest int               // bytes of the longest token

	segments segmenter
}

// parseLlama2C reads a tokenizer.bin: the length of the longest token in bytes (int32), then each
// token's score (float32), length (int32) and bytes. How many there are the file doesn't say.
func parseLlama2C(data []byte) (*Tokenizer, error) {
	longest := int(int32(binary.LittleEndian.Uint32(data)))
	if longest < 1 {
		return nil, fmt.Errorf("%w: the longest token has 1 byte or more, found %d", ErrFormat, longest)
	}
	var pieces []spmPiece
	for at := 4; at < len(data); {
		if len(pieces) == maxTokens {
			return nil, fmt.Errorf("%w: more than %d tokens", ErrUnsupported, maxTokens)
		}
		p, n, err := llama2cToken(data[at:], longest)
		if err != nil {
			return nil, fmt.Errorf("token %d: %w", len(pieces), err)
		}
		pieces = append(pieces, p)
		at += n
	}
	if len(pieces) < llama2cByte+256 {
		return nil, fmt.Errorf("%w: %d tokens, at least %d expected", ErrFormat, len(pieces), llama2cByte+256)
	}
	m := newLlama2C(pieces, longest)
	return &Tokenizer{
		vocab: vocabulary{m.tokens, m.ids, map[int]bool{llama2cUnknown: true, llama2cBOS: true, llama2cEOS: true}},
		norm:  prepend{" "},
		model: m,
		post:  template{before: []int{llama2cBOS}},
		dec:   m.decoder(),
	}, nil
}

// llama2cToken reads the first token of data and returns how many bytes it takes.
func llama2cToken(data []byte, longest int) (p spmPiece, n int, err error) {
	if len(data) < 8 {
		return p, 0, fmt.Errorf("%w: %d bytes left, score and length take 8", ErrFormat, len(data))
	}
	p.score = math.Float32frombits(binary.LittleEndian.Uint32(data))
	length := int(int32(binary.LittleEndian.Uint32(data[4:])))
	if length < 0 || length > longest || length > len(data)-8 {
		return p, 0, fmt.Errorf("%w: %d bytes long, %d left, the longest has %d", ErrFormat, length, len(data)-8, longest)
	}
	p.text = string(data[8 : 8+length])
	if p.score != p.score || !utf8.ValidString(p.text) {
		return p, 0, fmt.Errorf("%w: score %v, text %.40q", ErrFormat, p.score, p.text)
	}
	return p, 8 + length, nil
}

func newLlama2C(pieces []spmPiece, longest int) *llama2c {
	m := &llama2c{ids: map[string]int32{}, merges: map[string]uint64{}, longest: longest}
	ranks := scoreRanks(pieces)
	for id, p := range pieces {
		m.tokens = append(m.tokens, p.text)
		if _, ok := m.ids[p.text]; ok {
			continue
		}
		m.ids[p.text] = int32(id)
		if p.score > lowestScore {
			m.merges[p.text] = packMerge(ranks[p.score], int32(id))
		}
	}
	_, known := m.ids[" "]
	m.segments = newSegmenter(" ", known, maps.Keys(m.merges))
	return m
}

func (m *llama2c) encode(s *scratch, ids []int, text string) ([]int, error) {
	for segment := ""; text != ""; {
		segment, text = m.segments.cut(text)
		ids = m.encodeSegment(s, ids, segment)
	}
	return ids, nil
}

func (m *llama2c) encodeSegment(s *scratch, ids []int, text string) []int {
	s.chain.reset()
	for i := 0; i < len(text); {
		_, size := utf8.DecodeRuneInString(text[i:])
		if id, ok := m.ids[text[i:i+size]]; ok {
			s.chain.add(id, 0, 0)
		} else {
			for _, b := range []byte(text[i : i+size]) {
				s.chain.add(llama2cByte+int32(b), 0, 0)
			}
		}
		i += size
	}
	s.chain.merge(func(left, right *symbol) uint64 {
		a, b := m.tokens[left.id], m.tokens[right.id]
		if len(a)+len(b) > m.longest {
			return noMerge
		}
		s.buf = append(append(s.buf[:0], a...), b...)
		if merge, ok := m.merges[string(s.buf)]; ok {
			return merge
		}
		return noMerge
	})
	s.chain.each(func(sym *symbol) { ids = append(ids, int(sym.id)) })
	return ids
}

// decoder is that of run.c: <0xNN> is a byte, and a space after BOS (here also at the beginning) is dropped.
func (m *llama2c) decoder() *surfaces {
	d := &surfaces{strip: true, restart: llama2cBOS}
	for _, text := range m.tokens {
		s := surface{text: text}
		s.value, s.isByte = byteToken(text)
		d.tokens = append(d.tokens, s)
	}
	for id := llama2cUnknown; id <= llama2cEOS; id++ {
		d.tokens[id] = surface{text: m.tokens[id], fixed: true}
	}
	return d
}
