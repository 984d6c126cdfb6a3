package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece is a stretch of normalized text on its way to the model.
type piece struct {
	text  string
	first bool // it begins where the whole text begins
}

// preTokenizer splits pieces. Empty pieces are dropped after each.
type preTokenizer interface {
	split(s *scratch, dst []piece, p piece) ([]piece, error)
	growth() int // how many times longer a text can get
}

// preTokenize calls yield with the pieces that the pre-tokenizers from the given one on make of p, in
// order, until it returns an error. Each piece goes all the way before the next: a long text never
// is in memory as a list of its pieces, where the pre-tokenizers allow that.
func (t *Tokenizer) preTokenize(s *scratch, from int, p piece, yield func(text string) error) error {
	if from == len(t.pre) {
		return yield(p.text)
	}
	if next, text := scanned(t.pre[from], p.text); next != nil {
		for at := 0; at < len(text); {
			end := next(text, at)
			if err := t.preTokenize(s, from+1, piece{text[at:end], p.first && at == 0}, yield); err != nil {
				return err
			}
			at = end
		}
		return nil
	}
	for len(s.pieces) <= from {
		s.pieces = append(s.pieces, nil)
	}
	pieces, err := t.pre[from].split(s, s.pieces[from][:0], p)
	if err != nil {
		return err
	}
	s.pieces[from] = pieces
	for _, p := range pieces {
		if p.text == "" {
			continue
		}
		if err := t.preTokenize(s, from+1, p, yield); err != nil {
			return err
		}
	}
	return nil
}

// scanned returns the scanner whose matches in text are the pieces that pre makes, nil where they are
// not those of a scanner. The text may be longer than it was.
func scanned(pre preTokenizer, text string) (scanner, string) {
	switch pre := pre.(type) {
	case splitter:
		if next, ok := pre.pattern.(scanner); ok && (pre.behavior == isolated || pre.behavior == removed && pre.invert) {
			return next, text
		}
	case byteLevel:
		if pre.raw && pre.regex {
			return scanGPT2, pre.prefixed(text)
		}
	}
	return nil, text
}

// parsePreTokenizers reads the pre_tokenizer of tokenizer.json; Sequences become flat.
func parsePreTokenizers(f field) ([]preTokenizer, error) {
	if f.null() {
		return nil, nil
	}
	all, err := newPreTokenizers(f)
	if err != nil {
		return nil, err
	}
	growth := 1
	for _, pre := range all {
		growth = min(growth*pre.growth(), maxGrowth+1)
	}
	return all, f.grow(growth)
}

func newPreTokenizers(f field) ([]preTokenizer, error) {
	kind, err := f.kind()
	if err != nil {
		return nil, err
	}
	if kind != "Sequence" {
		pre, err := newPreTokenizer(f, kind)
		return []preTokenizer{pre}, err
	}
	list, err := f.list("pretokenizers")
	if err != nil {
		return nil, err
	}
	var all []preTokenizer
	for _, f := range list {
		pre, err := newPreTokenizers(f)
		if err != nil {
			return nil, err
		}
		if all = append(all, pre...); len(all) > maxSequence {
			return nil, f.errorf(ErrUnsupported, "more than %d pre-tokenizers", maxSequence)
		}
	}
	return all, nil
}

func newPreTokenizer(f field, kind string) (preTokenizer, error) {
	switch kind {
	case "Split":
		return newSplit(f)
	case "ByteLevel":
		return newByteLevel(f)
	case "Metaspace":
		return newMetaspace(f)
	case "Digits":
		return newDigits(f)
	case "Punctuation":
		return newPunctuation(f)
	case "Whitespace":
		return splitter{pattern: words{}, behavior: removed, invert: true}, nil
	case "WhitespaceSplit":
		return splitter{pattern: runeClass(unicode.IsSpace), behavior: removed}, nil
	}
	return nil, f.unknown(kind)
}

// splitter cuts pieces where a pattern matches.
type splitter struct {
	pattern  pattern
	behavior behavior
	invert   bool // what lies between the matches counts as match
}

func newSplit(f field) (splitter, error) {
	var json struct {
		Pattern  patternField `json:"pattern"`
		Behavior behavior     `json:"behavior"`
		Invert   bool         `json:"invert"`
	}
	if err := f.decode(&json); err != nil {
		return splitter{}, err
	}
	if !json.Behavior.known() {
		return splitter{}, f.errorf(ErrUnsupported, "behavior %q", json.Behavior)
	}
	p, _, err := json.Pattern.parse(f, "")
	return splitter{p, json.Behavior, json.Invert}, err
}

func newDigits(f field) (splitter, error) {
	var json struct {
		Individual bool `json:"individual_digits"`
	}
	s := splitter{pattern: runeClass(isNumber), behavior: contiguous}
	err := f.decode(&json)
	if json.Individual {
		s.behavior = isolated
	}
	return s, err
}

func newPunctuation(f field) (splitter, error) {
	json := struct {
		Behavior behavior `json:"behavior"`
	}{isolated}
	if err := f.decode(&json); err != nil {
		return splitter{}, err
	}
	if !json.Behavior.known() {
		return splitter{}, f.errorf(ErrUnsupported, "behavior %q", json.Behavior)
	}
	return splitter{pattern: runeClass(isPunctuation), behavior: json.Behavior}, nil
}

func (sp splitter) growth() int { return 1 }

func (sp splitter) split(s *scratch, dst []piece, p piece) ([]piece, error) {
	spans, err := sp.pattern.find(&s.budget, s.spans[:0], p.text)
	if err != nil {
		return nil, err
	}
	s.spans = spans
	if sp.invert {
		for i := range spans {
			spans[i].match = !spans[i].match
		}
	}
	for _, span := range sp.behavior.group(spans) {
		dst = append(dst, piece{p.text[span.start:span.end], p.first && span.start == 0})
	}
	return dst, nil
}

func isPunctuation(r rune) bool {
	return unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.IsSymbol(r)
}

// words is the pattern \w+|[^\w\s]+.
type words struct{}

func (words) find(_ *budget, dst []span, text string) ([]span, error) {
	const none = 2 // white space; 0 and 1: not a word, word
	start, before := 0, none
	for i, r := range text {
		now := none
		if isWord(r) {
			now = 1
		} else if !unicode.IsSpace(r) {
			now = 0
		}
		if i > 0 && now != before {
			dst = append(dst, span{start, i, before != none})
			start = i
		}
		before = now
	}
	if start < len(text) {
		dst = append(dst, span{start, len(text), before != none})
	}
	return dst, nil
}

// metaspace writes spaces as a visible character and may put one in front.
type metaspace struct {
	replacement string
	scheme      string // always, first, never
	pieces      bool   // each space begins a new piece
}

func newMetaspace(f field) (metaspace, error) {
	json := struct {
		Replacement string `json:"replacement"`
		AddPrefix   *bool  `json:"add_prefix_space"` // the older spelling
		Scheme      string `json:"prepend_scheme"`
		Split       *bool  `json:"split"`
	}{}
	if err := f.decode(&json); err != nil {
		return metaspace{}, err
	}
	if utf8.RuneCountInString(json.Replacement) != 1 {
		return metaspace{}, f.errorf(ErrFormat, "replacement %.40q: one character expected", json.Replacement)
	}
	if json.Scheme == "" {
		json.Scheme = "always"
		if json.AddPrefix != nil && !*json.AddPrefix {
			json.Scheme = "never"
		}
	}
	switch json.Scheme {
	case "always", "first", "never":
	default:
		return metaspace{}, f.errorf(ErrUnsupported, "prepend_scheme %q", json.Scheme)
	}
	return metaspace{json.Replacement, json.Scheme, json.Split == nil || *json.Split}, nil
}

func (m metaspace) growth() int { return 2 * len(m.replacement) }

func (m metaspace) split(s *scratch, dst []piece, p piece) ([]piece, error) {
	text := strings.ReplaceAll(p.text, " ", m.replacement)
	if (m.scheme == "always" || m.scheme == "first" && p.first) && !strings.HasPrefix(text, m.replacement) {
		text = m.replacement + text
	}
	if !m.pieces {
		return append(dst, piece{text, p.first}), nil
	}
	cut := splitter{pattern: literal(m.replacement), behavior: mergedWithNext}
	return cut.split(s, dst, piece{text, p.first})
}
