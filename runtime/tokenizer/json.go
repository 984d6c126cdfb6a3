package tokenizer

import (
	"encoding/json"
	"fmt"
)

// file is tokenizer.json.
type file struct {
	Version       *string         `json:"version"`
	AddedTokens   []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Decoder       json.RawMessage `json:"decoder"`
	Model         json.RawMessage `json:"model"`
}

// parseJSON reads a tokenizer.json.
func parseJSON(data []byte) (*Tokenizer, error) {
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFormat, err)
	}
	if f.Version != nil && *f.Version != "1.0" {
		return nil, fmt.Errorf("%w: version %.40q", ErrUnsupported, *f.Version)
	}
	t := new(Tokenizer)
	var err error
	if t.norm, err = parseNormalizer(field{path: "normalizer", raw: f.Normalizer}); err != nil {
		return nil, err
	}
	if t.pre, err = parsePreTokenizers(field{path: "pre_tokenizer", raw: f.PreTokenizer}); err != nil {
		return nil, err
	}
	if err := t.setModel(field{path: "model", raw: f.Model}); err != nil {
		return nil, err
	}
	spelled, err := t.added.add(&t.vocab, f.AddedTokens, t.norm)
	if err != nil {
		return nil, err
	}
	if t.post, err = parseTemplate(field{path: "post_processor", raw: f.PostProcessor}, t.Size()); err != nil {
		return nil, err
	}
	return t, t.setDecoder(field{path: "decoder", raw: f.Decoder}, spelled)
}

// setModel reads the model. Where ByteLevel is the last pre-tokenizer, pieces stay in bytes, and
// the model's tables are made for that.
func (t *Tokenizer) setModel(f field) error {
	if f.null() {
		return f.errorf(ErrFormat, "missing")
	}
	last := len(t.pre) - 1
	level, ok := byteLevel{}, false
	if last >= 0 {
		level, ok = t.pre[last].(byteLevel)
	}
	m, v, err := parseModel(f, ok)
	if err != nil {
		return err
	}
	if m.raw {
		level.raw = true
		t.pre[last] = level
		if !level.regex && !level.prefixSpace {
			t.pre = t.pre[:last]
		}
	}
	t.model, t.vocab = m, v
	return nil
}

// setDecoder reads the decoder. spelled has the tokens that it gets in another spelling than the
// vocabulary's.
func (t *Tokenizer) setDecoder(f field, spelled map[int]string) error {
	s, err := parseDecoder(f)
	if err != nil {
		return err
	}
	tokens := t.vocab.tokens
	t.dec = &steps{steps: s, spelled: func(id int) string {
		if text, ok := spelled[id]; ok {
			return text
		}
		return tokens[id]
	}}
	return nil
}
