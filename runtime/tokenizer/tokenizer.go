package tokenizer

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Errors that callers can tell apart with errors.Is; the messages name file, field and value.
var (
	ErrMissing     = errors.New("no tokenizer found")      // the directory holds none of the known files
	ErrFormat      = errors.New("damaged file")            // the file is not what its format demands
	ErrUnsupported = errors.New("unsupported")             // well formed, but asks for what this package does not have
	ErrRange       = errors.New("id out of range")         // an id that the vocabulary does not reach
	ErrText        = errors.New("text can't be encoded")   // a character without a token, and no unknown token
	ErrLimit       = errors.New("text exceeds the limits") // too long, or a pattern takes too long on it
)

// maxText is the longest text in bytes that Encode takes, so that positions fit an int32 after
// normalizers and pre-tokenizers have made it longer.
const maxText = 1 << 24

// Tokenizer turns text into token ids and back. It is immutable and safe for concurrent use.
type Tokenizer struct {
	vocab vocabulary
	added addedTokens
	norm  normalizer     // nil: none
	pre   []preTokenizer // in order
	model model
	post  template
	dec   decoder

	stripsLeft bool // norm removes white space at the start of a part
}

// model turns one piece of text into ids, appended to ids.
type model interface {
	encode(s *scratch, ids []int, piece string) ([]int, error)
}

// scratch is the working memory of one Encode call.
type scratch struct {
	pieces  [][]piece // of each pre-tokenizer
	spans   []span
	symbols []int32
	ranks   []uint64
	chain   chain
	buf     []byte
	budget  budget
}

func newScratch() *scratch { return &scratch{budget: newBudget()} }

// Encode returns the ids of text; with addSpecial also those that the post-processor puts around
// it (BOS, EOS). Invalid UTF-8 counts as U+FFFD. Errors: ErrLimit for a text beyond 16 MiB, or one
// on which the patterns of the file take more than 10 seconds in all; ErrText where the model has no token for a character.
func (t *Tokenizer) Encode(text string, addSpecial bool) ([]int, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("tokenizer: %w: %d bytes, at most %d at once", ErrLimit, len(text), maxText)
	}
	ids := make([]int, 0, len(text)/3+8)
	if addSpecial {
		ids = append(ids, t.post.before...)
	}
	ids, err := t.encodeText(newScratch(), ids, validText(text))
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	if addSpecial {
		ids = append(ids, t.post.after...)
	}
	return ids, nil
}

// encodeText cuts added tokens out of text and encodes what lies between them.
func (t *Tokenizer) encodeText(s *scratch, ids []int, text string) ([]int, error) {
	var err error
	t.added.raw.split(text, func(p part) bool {
		if p.id >= 0 {
			ids = append(ids, p.id)
			return true
		}
		ids, err = t.encodePart(s, ids, text[p.start:p.end], p.start == 0)
		return err == nil
	})
	return ids, err
}

// encodePart normalizes the text between added tokens, cuts out those that are matched in
// normalized text, and encodes the rest. first: the part is at the start of the whole text.
func (t *Tokenizer) encodePart(s *scratch, ids []int, text string, first bool) ([]int, error) {
	first = first && !(t.stripsLeft && startsWithSpace(text))
	text, err := t.normalize(&s.budget, text)
	if err != nil {
		return nil, err
	}
	t.added.normalized.split(text, func(p part) bool {
		if p.id >= 0 {
			ids = append(ids, p.id)
			return true
		}
		ids, err = t.encodePieces(s, ids, piece{text[p.start:p.end], first && p.start == 0})
		return err == nil
	})
	return ids, err
}

func (t *Tokenizer) encodePieces(s *scratch, ids []int, p piece) ([]int, error) {
	err := t.preTokenize(s, 0, p, func(text string) (err error) {
		ids, err = t.model.encode(s, ids, text)
		return err
	})
	return ids, err
}

func startsWithSpace(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsSpace(r)
}

func (t *Tokenizer) normalize(b *budget, text string) (string, error) {
	if t.norm == nil {
		return text, nil
	}
	return t.norm.normalize(b, text)
}

// Decode returns the text of ids, without special tokens if skipSpecial. The text is valid UTF-8.
// Error: ErrRange for an id that is negative or not below Size.
func (t *Tokenizer) Decode(ids []int, skipSpecial bool) (string, error) {
	out := make([]byte, 0, 4*len(ids)+16)
	d := t.dec.start(&out, false)
	for _, id := range ids {
		if err := t.decodeInto(d, id, skipSpecial); err != nil {
			return "", err
		}
	}
	d.flush()
	return string(out), nil
}

func (t *Tokenizer) decodeInto(d decoding, id int, skipSpecial bool) error {
	if id < 0 || id >= t.Size() {
		return fmt.Errorf("tokenizer: %w: %d, the vocabulary has 0 … %d", ErrRange, id, t.Size()-1)
	}
	if t.vocab.has(id) && !(skipSpecial && t.Special(id)) {
		d.push(id)
	}
	return nil
}

// Token returns the token with this id, as the vocabulary spells it.
func (t *Tokenizer) Token(id int) (string, bool) {
	if !t.vocab.has(id) {
		return "", false
	}
	return t.vocab.tokens[id], true
}

// ID returns the id of the token that the vocabulary or the added tokens spell exactly so.
func (t *Tokenizer) ID(token string) (int, bool) {
	id, ok := t.vocab.ids[token]
	return int(id), ok
}

// Special says whether id is a special token, one that Decode leaves out on request.
func (t *Tokenizer) Special(id int) bool { return t.vocab.special[id] }

// Size is one more than the largest id. There may be gaps below it.
func (t *Tokenizer) Size() int { return len(t.vocab.tokens) }
