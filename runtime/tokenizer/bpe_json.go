package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// bpeField is the model of tokenizer.json.
type bpeField struct {
	Type                    *string          `json:"type"` // absent in old files
	Dropout                 *float64         `json:"dropout"`
	UnkToken                *string          `json:"unk_token"`
	ContinuingSubwordPrefix *string          `json:"continuing_subword_prefix"`
	EndOfWordSuffix         *string          `json:"end_of_word_suffix"`
	FuseUnk                 bool             `json:"fuse_unk"`
	ByteFallback            bool             `json:"byte_fallback"`
	IgnoreMerges            bool             `json:"ignore_merges"`
	Vocab                   map[string]int32 `json:"vocab"`
	Merges                  []mergePair      `json:"merges"`
}

// mergePair is "a b" or ["a", "b"].
type mergePair [2]string

func (m *mergePair) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		var pair []string
		if err := json.Unmarshal(raw, &pair); err != nil {
			return err
		}
		if len(pair) != 2 {
			return fmt.Errorf("a merge of %d tokens, 2 expected", len(pair))
		}
		*m = mergePair(pair)
		return nil
	}
	var both string
	if err := json.Unmarshal(raw, &both); err != nil {
		return err
	}
	left, right, ok := strings.Cut(both, " ")
	if !ok || strings.Contains(right, " ") {
		return fmt.Errorf("merge %.40q: two tokens and one space expected", both)
	}
	*m = mergePair{left, right}
	return nil
}

// parseModel reads the model of tokenizer.json and its vocabulary. raw asks for tables in bytes
// instead of ByteLevel's alphabet, which model.raw then says to be so.
func parseModel(f field, raw bool) (*bpe, vocabulary, error) {
	kind, err := modelKind(f)
	if err != nil {
		return nil, vocabulary{}, err
	}
	if kind != "BPE" {
		return nil, vocabulary{}, f.unknown(kind)
	}
	var json bpeField
	if err := f.decode(&json); err != nil {
		return nil, vocabulary{}, err
	}
	if err := json.supported(f); err != nil {
		return nil, vocabulary{}, err
	}
	v, err := newVocabulary(json.Vocab)
	if err != nil {
		return nil, v, fmt.Errorf("%s.vocab: %w", f.path, err)
	}
	m := &bpe{raw: raw && !json.ByteFallback}
	m.setSymbols(&v, json)
	if err := m.setMerges(&v, json.Merges); err != nil {
		return nil, v, fmt.Errorf("%s.%w", f.path, err)
	}
	return m, v, nil
}

// modelKind is the type of a model; files from before types were written are BPE if they have merges.
func modelKind(f field) (string, error) {
	var head struct {
		Type   *string         `json:"type"`
		Merges json.RawMessage `json:"merges"`
	}
	if err := f.decode(&head); err != nil {
		return "", err
	}
	switch {
	case head.Type != nil:
		return *head.Type, nil
	case head.Merges != nil:
		return "BPE", nil
	}
	return "", f.errorf(ErrFormat, `no "type"`)
}

func (j *bpeField) supported(f field) error {
	switch {
	case j.Dropout != nil && *j.Dropout != 0:
		return f.errorf(ErrUnsupported, "dropout %v", *j.Dropout)
	case j.ContinuingSubwordPrefix != nil && *j.ContinuingSubwordPrefix != "":
		return f.errorf(ErrUnsupported, "continuing_subword_prefix %q", *j.ContinuingSubwordPrefix)
	case j.EndOfWordSuffix != nil && *j.EndOfWordSuffix != "":
		return f.errorf(ErrUnsupported, "end_of_word_suffix %q", *j.EndOfWordSuffix)
	case len(j.Vocab) == 0:
		return f.errorf(ErrFormat, "no vocab")
	}
	return nil
}

// setSymbols fills the tables of single characters and, with ignore_merges, whole pieces.
func (m *bpe) setSymbols(v *vocabulary, json bpeField) {
	m.runeIDs = map[rune]int32{}
	for b := range m.byteIDs {
		m.byteIDs[b] = -1
	}
	if json.IgnoreMerges {
		m.whole = make(map[string]int32, len(v.ids))
	}
	for token, id := range v.ids {
		m.setSymbol(token, id)
	}
	if json.ByteFallback {
		table, _ := v.byteTokens()
		m.fallback = &table
	}
	m.unk = unknown{token: json.UnkToken, id: -1, fuse: json.FuseUnk}
	if json.UnkToken != nil {
		if id, ok := v.ids[*json.UnkToken]; ok {
			m.unk.id = id
		}
	}
}

func (m *bpe) setSymbol(token string, id int32) {
	if m.raw {
		raw, ok := fromAlphabet(nil, token)
		if !ok {
			return // no piece can hold it
		}
		token = string(raw)
	}
	if m.whole != nil {
		m.whole[token] = id
	}
	r, size := utf8.DecodeRuneInString(token)
	switch {
	case len(token) == 1 && (m.raw || r < utf8.RuneSelf):
		m.byteIDs[token[0]] = id
	case !m.raw && size > 0 && size == len(token):
		m.runeIDs[r] = id
	}
}

func (m *bpe) setMerges(v *vocabulary, merges []mergePair) error {
	m.pairs = newPairTable(len(merges))
	var joined []byte
	for rank, pair := range merges {
		var ids [2]int32
		for i, token := range pair {
			id, ok := v.ids[token]
			if !ok {
				return fmt.Errorf("merges[%d]: %w: token %.40q is not in the vocabulary", rank, ErrFormat, token)
			}
			ids[i] = id
		}
		joined = append(append(joined[:0], pair[0]...), pair[1]...)
		id, ok := v.ids[string(joined)]
		if !ok {
			return fmt.Errorf("merges[%d]: %w: token %.40q is not in the vocabulary", rank, ErrFormat, joined)
		}
		m.pairs.set(ids[0], ids[1], packMerge(rank, id))
	}
	return nil
}
