package tokenizer

// parseJSON reads a tokenizer.json.
func parseJSON(data []byte) (*Tokenizer, error) {
	file, err := rawObject(data)
	if err != nil {
		return nil, err
	}
	at := func(key string) field { return field{path: key, raw: file[key]} }
	if err := checkVersion(at("version")); err != nil {
		return nil, err
	}
	var added []addedToken
	if f := at("added_tokens"); !f.null() {
		if err := f.decode(&added); err != nil {
			return nil, err
		}
	}
	t := new(Tokenizer)
	if t.norm, err = parseNormalizer(at("normalizer")); err != nil {
		return nil, err
	}
	t.stripsLeft = stripsLeft(t.norm)
	if t.pre, err = parsePreTokenizers(at("pre_tokenizer")); err != nil {
		return nil, err
	}
	if err := t.setModel(at("model")); err != nil {
		return nil, err
	}
	spelled, err := t.added.add(&t.vocab, added, t.norm)
	if err != nil {
		return nil, err
	}
	if t.post, err = parseTemplate(at("post_processor"), t.Size()); err != nil {
		return nil, err
	}
	return t, t.setDecoder(at("decoder"), spelled)
}

func checkVersion(f field) error {
	if f.null() {
		return nil
	}
	var version string
	if err := f.decode(&version); err != nil {
		return err
	}
	if version != "1.0" {
		return f.errorf(ErrUnsupported, "%.40q", version)
	}
	return nil
}

// setModel reads the model. Where ByteLevel is the last pre-tokenizer, pieces stay in bytes, and
// the model's tables are made for that.
func (t *Tokenizer) setModel(f field) error {
	if f.null() {
		return f.errorf(ErrFormat, "an object expected, found none")
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
