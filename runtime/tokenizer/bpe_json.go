package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"
)

// bpeField is the model of tokenizer.json, vocab and merges aside.
type bpeField struct {
	Dropout                 *float64 `json:"dropout"`
	UnkToken                *string  `json:"unk_token"`
	ContinuingSubwordPrefix *string  `json:"continuing_subword_prefix"`
	EndOfWordSuffix         *string  `json:"end_of_word_suffix"`
	FuseUnk                 bool     `json:"fuse_unk"`
	ByteFallback            bool     `json:"byte_fallback"`
	IgnoreMerges            bool     `json:"ignore_merges"`
}

// parseModel reads the model of tokenizer.json and its vocabulary. raw asks for tables in bytes
// instead of ByteLevel's alphabet, which model.raw then says to be so.
func parseModel(f field, raw bool) (*bpe, vocabulary, error) {
	object, err := rawObject(f.raw)
	if err != nil {
		return nil, vocabulary{}, fmt.Errorf("%s: %w", f.path, err)
	}
	at := func(key string) field { return field{path: f.path + "." + key, raw: object[key]} }
	if err := wantBPE(f, at("type"), at("merges")); err != nil {
		return nil, vocabulary{}, err
	}
	v, err := parseVocabulary(at("vocab"))
	if err != nil {
		return nil, v, err
	}
	merges, err := parseMerges(at("merges"), &v)
	if err != nil {
		return nil, v, err
	}
	var json bpeField
	if err := decodeRest(f, object, &json); err != nil {
		return nil, v, err
	}
	m := &bpe{raw: raw && !json.ByteFallback, pairs: newPairTable(len(merges))}
	for rank, p := range merges {
		m.pairs.set(p.left, p.right, packMerge(rank, p.joined))
	}
	m.setSymbols(&v, json)
	if _, known := v.ids[spaceSymbol]; !m.raw && m.keepsUnknown() {
		m.segments = newSegmenter(spaceSymbol, known, func(yield func(string) bool) {
			for _, p := range merges {
				if !yield(v.tokens[p.joined]) {
					return
				}
			}
		})
	}
	return m, v, nil
}

// wantBPE checks the type; files from before types were written are BPE if they have merges.
func wantBPE(f, kind, merges field) error {
	var name string
	switch {
	case !kind.null():
		if err := kind.decode(&name); err != nil {
			return err
		}
	case !merges.null():
		name = "BPE"
	default:
		return f.errorf(ErrFormat, `no "type"`)
	}
	if name != "BPE" {
		return f.unknown(name)
	}
	return nil
}

// decodeRest reads the small fields of the model.
func decodeRest(f field, object map[string]json.RawMessage, to *bpeField) error {
	rest := maps.Clone(object)
	delete(rest, "vocab")
	delete(rest, "merges")
	data, err := json.Marshal(rest)
	if err != nil {
		return f.errorf(ErrFormat, "%s", jsonFault(err))
	}
	if err := (field{path: f.path, raw: data}).decode(to); err != nil {
		return err
	}
	return to.supported(f)
}

// parseVocabulary reads {"token": id, …}.
func parseVocabulary(f field) (vocabulary, error) {
	if f.null() {
		return vocabulary{}, f.errorf(ErrFormat, "an object of tokens and ids expected, found none")
	}
	ids := make(map[string]int32, len(f.raw)/16)
	s := jsonScan{data: f.raw}
	err := s.object(func(key []byte) error {
		token := string(key)
		id, err := s.int32()
		ids[token] = id
		return err
	})
	if err != nil {
		return vocabulary{}, fmt.Errorf("%s: %w", f.path, err)
	}
	v, err := newVocabulary(ids)
	if err != nil {
		return v, fmt.Errorf("%s: %w", f.path, err)
	}
	return v, nil
}

// mergeRule says which token a pair of tokens becomes.
type mergeRule struct {
	left, right, joined int32
}

// parseMerges reads a list of merges, each "a b" or ["a", "b"], the most important first.
func parseMerges(f field, v *vocabulary) ([]mergeRule, error) {
	var all []mergeRule
	if f.null() {
		return nil, nil
	}
	s := jsonScan{data: f.raw}
	var joined []byte
	err := s.array(func() error {
		left, right, err := s.mergePair()
		if err != nil {
			return err
		}
		joined = append(append(joined[:0], left...), right...)
		rule := mergeRule{}
		for _, part := range []struct {
			token []byte
			id    *int32
		}{{left, &rule.left}, {right, &rule.right}, {joined, &rule.joined}} {
			id, ok := v.ids[string(part.token)]
			if !ok {
				return fmt.Errorf("%w: token %.40q is not in the vocabulary", ErrFormat, part.token)
			}
			*part.id = id
		}
		all = append(all, rule)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s[%d]: %w", f.path, len(all), err)
	}
	return all, nil
}

// mergePair reads a merge.
func (s *jsonScan) mergePair() (left, right []byte, err error) {
	if s.next() != '[' {
		both, err := s.text()
		if err != nil {
			return nil, nil, err
		}
		left, right, ok := bytes.Cut(both, []byte(" "))
		if !ok || bytes.IndexByte(right, ' ') >= 0 {
			return nil, nil, s.errorf("merge %.40q: two tokens and one space expected", both)
		}
		return left, right, nil
	}
	n := 0
	err = s.array(func() error {
		token, err := s.text()
		left, right, n = right, token, n+1
		return err
	})
	if err == nil && n != 2 {
		err = s.errorf("a merge of %d tokens, 2 expected", n)
	}
	return left, right, err
}

func (j *bpeField) supported(f field) error {
	switch {
	case j.Dropout != nil && *j.Dropout != 0:
		return f.errorf(ErrUnsupported, "dropout %v", *j.Dropout)
	case j.ContinuingSubwordPrefix != nil && *j.ContinuingSubwordPrefix != "":
		return f.errorf(ErrUnsupported, "continuing_subword_prefix %q", *j.ContinuingSubwordPrefix)
	case j.EndOfWordSuffix != nil && *j.EndOfWordSuffix != "":
		return f.errorf(ErrUnsupported, "end_of_word_suffix %q", *j.EndOfWordSuffix)
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
