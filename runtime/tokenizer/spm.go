package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// spaceSymbol is how SentencePiece writes a space.
const spaceSymbol = "▁"

// parseSentencePiece reads a tokenizer.model. Whether BOS and EOS are added says the
// tokenizer_config.json beside it; without, BOS is and EOS is not, as of a Llama tokenizer.
func parseSentencePiece(data []byte, fsys fs.FS) (*Tokenizer, error) {
	f, err := readSPM(data)
	if err != nil {
		return nil, err
	}
	m, v, err := newSPM(f)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{vocab: v, model: m, norm: spmNormalizer{f, m.user}}
	t.dec = newSPMDecoder(f)
	addBOS, addEOS, err := addedByConfig(fsys)
	if err != nil {
		return nil, err
	}
	if addBOS && f.control(f.bos) {
		t.post.before = []int{f.bos}
	}
	if addEOS && f.control(f.eos) {
		t.post.after = []int{f.eos}
	}
	return t, nil
}

func (f *spmFile) control(id int) bool {
	return id >= 0 && id < len(f.pieces) && f.pieces[id].kind == pieceControl
}

func addedByConfig(fsys fs.FS) (bos, eos bool, err error) {
	data, err := readFile(fsys, "tokenizer_config.json")
	if errors.Is(err, fs.ErrNotExist) {
		return true, false, nil
	}
	if err != nil {
		return false, false, err
	}
	config := struct {
		BOS *bool `json:"add_bos_token"`
		EOS *bool `json:"add_eos_token"`
	}{}
	if err := json.Unmarshal(data, &config); err != nil {
		return false, false, fmt.Errorf("tokenizer_config.json: %w: %s", ErrFormat, jsonFault(err))
	}
	return config.BOS == nil || *config.BOS, config.EOS != nil && *config.EOS, nil
}

// spm is SentencePiece's byte pair encoding: neighbours become the piece that they spell, the
// piece of the highest score first, of equal ones the leftmost.
type spm struct {
	merges   map[string]uint64 // packed merge to each piece that can be in a text
	longest  int               // bytes of the longest of them
	user     *matcher          // user-defined symbols, taken out first; nil: none
	unused   map[int32]bool    // merged to, but then taken apart again
	fallback *[256]int32
	unk      int32
	segments segmenter
}

func newSPM(f *spmFile) (*spm, vocabulary, error) {
	m := &spm{merges: map[string]uint64{}, unk: -1, unused: map[int32]bool{}}
	ids := make(map[string]int32, len(f.pieces))
	user := new(matcher)
	ranks := scoreRanks(f.pieces)
	for i, p := range f.pieces {
		if before, ok := ids[p.text]; ok {
			return nil, vocabulary{}, fmt.Errorf("pieces[%d]: %w: piece %.40q is that of id %d too", i, ErrFormat, p.text, before)
		}
		ids[p.text] = int32(i)
		if err := m.add(p, int32(i), ranks[p.score], user); err != nil {
			return nil, vocabulary{}, fmt.Errorf("pieces[%d]: %w", i, err)
		}
	}
	v, err := newVocabulary(ids)
	if err != nil {
		return nil, v, err
	}
	if len(user.tokens) > 0 {
		user.build()
		m.user = user
	} else {
		_, known := m.merges[spaceSymbol]
		m.segments = newSegmenter(spaceSymbol, known, maps.Keys(m.merges))
	}
	return m, v, m.setSpecial(f, &v)
}

// add files a piece by its kind.
func (m *spm) add(p spmPiece, id int32, rank int, user *matcher) error {
	switch p.kind {
	case pieceControl, pieceByte:
		return nil
	case pieceUnknown:
		if m.unk >= 0 {
			return fmt.Errorf("%w: a second unknown piece", ErrFormat)
		}
		m.unk = id
		return nil
	case pieceUserDefined:
		if len(p.text) > maxAdded {
			return fmt.Errorf("%w: user-defined, %d bytes, at most %d", ErrUnsupported, len(p.text), maxAdded)
		}
		user.tokens = append(user.tokens, addedToken{ID: int(id), Content: p.text})
	case pieceUnused:
		m.unused[id] = true
	}
	m.merges[p.text] = packMerge(rank, id)
	m.longest = max(m.longest, len(p.text))
	return nil
}

// setSpecial finds the byte tokens and says which tokens are special.
func (m *spm) setSpecial(f *spmFile, v *vocabulary) error {
	if m.unk < 0 {
		return fmt.Errorf("%w: no unknown piece", ErrFormat)
	}
	for id, p := range f.pieces {
		if p.kind == pieceUnknown || p.kind == pieceControl {
			v.special[id] = true
		}
		if _, ok := byteToken(p.text); p.kind == pieceByte && !ok {
			return fmt.Errorf("pieces[%d]: %w: byte piece %.40q", id, ErrFormat, p.text)
		}
	}
	if !f.byteFallback {
		return nil
	}
	table, _ := v.byteTokens()
	for b, id := range table {
		if id < 0 || f.pieces[id].kind != pieceByte {
			return fmt.Errorf("%w: byte_fallback, but no piece <0x%02X>", ErrFormat, b)
		}
	}
	m.fallback = &table
	return nil
}

// scoreRanks numbers the scores from the highest; equal ones are one rank.
func scoreRanks(pieces []spmPiece) map[float32]int {
	scores := make([]float32, len(pieces))
	for i, p := range pieces {
		scores[i] = p.score
	}
	slices.Sort(scores)
	scores = slices.Compact(scores)
	ranks := make(map[float32]int, len(scores))
	for i, score := range scores {
		ranks[score] = len(scores) - 1 - i
	}
	return ranks
}

// Ids of symbols in the chain that are no tokens yet: characters, and user-defined symbols, which
// are never merged.
const (
	symbolText   = -1
	symbolFrozen = -2
)

func (m *spm) encode(s *scratch, ids []int, text string) ([]int, error) {
	for segment := ""; text != ""; {
		segment, text = m.segments.cut(text)
		ids = m.encodeSegment(s, ids, segment)
	}
	return ids, nil
}

func (m *spm) encodeSegment(s *scratch, ids []int, text string) []int {
	s.chain.reset()
	for i := 0; i < len(text); {
		if u := m.userSymbol(text[i:]); u != nil {
			s.chain.add(symbolFrozen, i, i+len(u.Content))
			i += len(u.Content)
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		s.chain.add(symbolText, i, i+size)
		i += size
	}
	var apart map[string]int // where unused pieces were last joined
	s.chain.merge(func(left, right *symbol) uint64 {
		if left.id == symbolFrozen || right.id == symbolFrozen || int(right.end-left.start) > m.longest {
			return noMerge
		}
		joined := text[left.start:right.end]
		merge, ok := m.merges[joined]
		if !ok {
			return noMerge
		}
		if len(m.unused) > 0 && m.unused[int32(uint32(merge))] {
			if apart == nil {
				apart = map[string]int{}
			}
			apart[joined] = int(left.end - left.start)
		}
		return merge
	})
	unknown := false // the last one was, and neighbours become one
	s.chain.each(func(sym *symbol) {
		ids, unknown = m.appendPiece(ids, text[sym.start:sym.end], apart, unknown)
	})
	return ids
}

func (m *spm) userSymbol(text string) *addedToken {
	if m.user == nil {
		return nil
	}
	return m.user.longest(text)
}

// appendPiece appends the ids of a piece: its own, those of its halves if it is unused, or of its bytes.
func (m *spm) appendPiece(ids []int, text string, apart map[string]int, unknown bool) ([]int, bool) {
	merge, ok := m.merges[text]
	id := int32(uint32(merge))
	switch {
	case ok && m.unused[id] && apart[text] > 0:
		at := apart[text]
		ids, unknown = m.appendPiece(ids, text[:at], apart, unknown)
		return m.appendPiece(ids, text[at:], apart, unknown)
	case ok:
		return append(ids, int(id)), false
	case m.fallback != nil:
		for i := 0; i < len(text); i++ {
			ids = append(ids, int(m.fallback[text[i]]))
		}
		return ids, false
	case unknown:
		return ids, true
	}
	return append(ids, int(m.unk)), true
}

// spmNormalizer prepares the white space of a text as a tokenizer.model says.
type spmNormalizer struct {
	file *spmFile
	user *matcher // user-defined symbols are left as they are
}

func (spmNormalizer) growth() int { return len(spaceSymbol) }

func (n spmNormalizer) normalize(_ *budget, text string) (string, error) {
	if strings.Trim(text, " ") == "" && (n.file.removeExtra || text == "") {
		return "", nil
	}
	if n.file.removeExtra {
		text = n.removeExtra(text)
	}
	switch {
	case n.file.dummyPrefix && n.file.suffixSpace:
		text += " "
	case n.file.dummyPrefix && text != "":
		text = " " + text
	}
	if n.file.escapeSpaces {
		text = strings.ReplaceAll(text, " ", spaceSymbol)
	}
	return text, nil
}

// removeExtra takes away spaces at the ends of text, and all but one of several in a row.
func (n spmNormalizer) removeExtra(text string) string {
	out := make([]byte, 0, len(text))
	afterSpace := true
	for text != "" {
		_, size := utf8.DecodeRuneInString(text)
		if n.user != nil {
			if u := n.user.longest(text); u != nil {
				size = len(u.Content)
			}
		}
		unit := text[:size]
		text = text[size:]
		if afterSpace {
			unit = strings.TrimLeft(unit, " ")
		}
		if unit != "" {
			out = append(out, unit...)
			afterSpace = strings.HasSuffix(unit, " ")
		}
	}
	trimmed := strings.TrimRight(string(out), " ")
	if n.file.escapeSpaces {
		trimmed = strings.TrimRight(trimmed, " "+spaceSymbol)
	}
	return trimmed
}
