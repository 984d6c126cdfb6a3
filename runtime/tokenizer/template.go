package tokenizer

import "encoding/json"

// template is the ids that the post-processor puts around those of a text.
type template struct {
	before, after []int
}

// parseTemplate reads the post_processor of tokenizer.json. size is that of the vocabulary.
func parseTemplate(f field, size int) (template, error) {
	if f.null() {
		return template{}, nil
	}
	kind, err := f.kind()
	if err != nil {
		return template{}, err
	}
	switch kind {
	case "ByteLevel":
		return template{}, nil // it is about offsets only
	case "TemplateProcessing":
		return newTemplate(f, size)
	case "Sequence":
		return newTemplates(f, size)
	}
	return template{}, f.unknown(kind)
}

// newTemplates puts each template around what the ones before it made.
func newTemplates(f field, size int) (all template, err error) {
	list, err := f.list("processors")
	if err != nil {
		return all, err
	}
	for _, f := range list {
		t, err := parseTemplate(f, size)
		if err != nil {
			return all, err
		}
		all.before = append(t.before, all.before...)
		all.after = append(all.after, t.after...)
	}
	return all, nil
}

// templateField is a TemplateProcessing; the template for pairs of texts is not used.
type templateField struct {
	Single []struct {
		Sequence     *struct{ ID string }
		SpecialToken *struct{ ID string }
	} `json:"single"`
	SpecialTokens map[string]struct {
		IDs []json.Number `json:"ids"`
	} `json:"special_tokens"`
}

func newTemplate(f field, size int) (t template, err error) {
	var json templateField
	if err := f.decode(&json); err != nil {
		return t, err
	}
	texts := 0
	for _, piece := range json.Single {
		switch {
		case piece.Sequence != nil && piece.Sequence.ID == "A":
			texts++
		case piece.SpecialToken != nil:
			ids, err := json.ids(f, piece.SpecialToken.ID, size)
			if err != nil {
				return t, err
			}
			if texts == 0 {
				t.before = append(t.before, ids...)
			} else {
				t.after = append(t.after, ids...)
			}
		default:
			return t, f.errorf(ErrUnsupported, "single: a piece that is neither Sequence A nor SpecialToken")
		}
	}
	if texts != 1 {
		return t, f.errorf(ErrUnsupported, "single: %d times Sequence A, once expected", texts)
	}
	return t, nil
}

func (j *templateField) ids(f field, name string, size int) ([]int, error) {
	special, ok := j.SpecialTokens[name]
	if !ok {
		return nil, f.errorf(ErrFormat, "special_tokens has no %.40q", name)
	}
	var ids []int
	for _, number := range special.IDs {
		id, err := number.Int64()
		if err != nil || id < 0 || id >= int64(size) {
			return nil, f.errorf(ErrFormat, "special_tokens %.40q: id %s, the vocabulary has 0 … %d", name, number, size-1)
		}
		ids = append(ids, int(id))
	}
	return ids, nil
}
