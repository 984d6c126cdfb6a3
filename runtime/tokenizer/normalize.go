package tokenizer

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// normalizer rewrites a part of the text before it is split.
type normalizer interface {
	normalize(b *budget, text string) (string, error)
	growth() int // how many times longer a text can get, Unicode's own expansions aside
}

// parseNormalizer reads the normalizer of tokenizer.json, nil for null.
func parseNormalizer(f field) (normalizer, error) {
	if f.null() {
		return nil, nil
	}
	n, err := newNormalizer(f)
	if err != nil {
		return nil, err
	}
	return n, f.grow(n.growth())
}

func newNormalizer(f field) (normalizer, error) {
	kind, err := f.kind()
	if err != nil {
		return nil, err
	}
	switch kind {
	case "NFC":
		return unicodeForm(norm.NFC), nil
	case "NFD":
		return unicodeForm(norm.NFD), nil
	case "NFKC":
		return unicodeForm(norm.NFKC), nil
	case "NFKD":
		return unicodeForm(norm.NFKD), nil
	case "Lowercase":
		return lowercase{}, nil
	case "Prepend":
		n := prepend{}
		return n, f.decode(&n)
	case "Strip":
		n := strip{}
		return n, f.decode(&n)
	case "Replace":
		return newReplace(f)
	case "Sequence":
		return newNormalizers(f)
	}
	return nil, f.unknown(kind)
}

// unicodeForm is NFC, NFD, NFKC or NFKD.
type unicodeForm norm.Form

func (unicodeForm) growth() int { return 1 }

func (n unicodeForm) normalize(_ *budget, text string) (string, error) {
	return norm.Form(n).String(text), nil
}

// lowercase maps each character by itself, without looking at its neighbours.
type lowercase struct{}

func (lowercase) growth() int { return 1 }

func (lowercase) normalize(_ *budget, text string) (string, error) {
	// the one character whose full mapping is longer than its simple one
	text = strings.ReplaceAll(text, "İ", "i\u0307")
	return strings.Map(unicode.ToLower, text), nil
}

// prepend puts a string before every part that is not empty.
type prepend struct {
	Prepend string `json:"prepend"`
}

func (n prepend) growth() int { return 1 + len(n.Prepend) }

func (n prepend) normalize(_ *budget, text string) (string, error) {
	if text == "" {
		return text, nil
	}
	return n.Prepend + text, nil
}

// strip removes white space from the ends.
type strip struct {
	Left  bool `json:"strip_left"`
	Right bool `json:"strip_right"`
}

func (strip) growth() int { return 1 }

func (n strip) normalize(_ *budget, text string) (string, error) {
	if n.Left {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
	}
	if n.Right {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	return text, nil
}

// stripsLeft says whether n removes white space at the start: what follows is then not at the
// start of the whole text for a Metaspace that looks for that.
func stripsLeft(n normalizer) bool {
	switch n := n.(type) {
	case strip:
		return n.Left
	case normalizers:
		return slices.ContainsFunc(n, stripsLeft)
	}
	return false
}

// replace puts content in the place of every match.
type replace struct {
	pattern pattern
	content string
	factor  int
}

func newReplace(f field) (replace, error) {
	var json struct {
		Pattern patternField `json:"pattern"`
		Content string       `json:"content"`
	}
	if err := f.decode(&json); err != nil {
		return replace{}, err
	}
	p, growth, err := json.Pattern.parse(f, json.Content)
	return replace{p, json.Content, growth}, err
}

func (n replace) growth() int { return n.factor }

func (n replace) normalize(b *budget, text string) (string, error) {
	if old, ok := n.pattern.(literal); ok {
		return strings.ReplaceAll(text, string(old), n.content), nil
	}
	spans, err := n.pattern.find(b, nil, text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, s := range spans {
		if s.match {
			out.WriteString(n.content)
		} else {
			out.WriteString(text[s.start:s.end])
		}
	}
	return out.String(), nil
}

// normalizers is a Sequence.
type normalizers []normalizer

func newNormalizers(f field) (normalizers, error) {
	list, err := f.list("normalizers")
	if err != nil {
		return nil, err
	}
	var all normalizers
	for _, f := range list {
		n, err := newNormalizer(f)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, f.grow(all.growth())
}

func (all normalizers) growth() int {
	growth := 1
	for _, n := range all {
		growth *= min(n.growth(), maxGrowth+1)
		growth = min(growth, maxGrowth+1)
	}
	return growth
}

func (all normalizers) normalize(b *budget, text string) (string, error) {
	for _, n := range all {
		var err error
		if text, err = n.normalize(b, text); err != nil {
			return "", err
		}
	}
	return text, nil
}
