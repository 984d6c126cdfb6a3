package tokenizer

import (
	"errors"
	"io/fs"
)

// Errors that callers can tell apart with errors.Is; the messages name file, field and value.
var (
	ErrMissing     = errors.New("tokenizer: no tokenizer found")      // the directory holds none of the known files
	ErrFormat      = errors.New("tokenizer: damaged file")            // the file is not what its format demands
	ErrUnsupported = errors.New("tokenizer: unsupported")             // well formed, but of a type that this package does not know
	ErrRange       = errors.New("tokenizer: id out of range")         // an id that the vocabulary does not have
	ErrLimit       = errors.New("tokenizer: text exceeds the limits") // too long, or a pattern takes too long on it
)

// Tokenizer turns text into token ids and back. It is immutable and safe for concurrent use.
type Tokenizer struct{}

// Load reads the tokenizer of the model directory fsys.
func Load(fsys fs.FS) (*Tokenizer, error) { return nil, ErrMissing }

// LoadFile reads a tokenizer file, or the tokenizer of a directory.
func LoadFile(path string) (*Tokenizer, error) { return nil, ErrMissing }

// Encode returns the ids of text.
func (t *Tokenizer) Encode(text string, addSpecial bool) ([]int, error) { return nil, ErrMissing }

// Decode returns the text of ids.
func (t *Tokenizer) Decode(ids []int, skipSpecial bool) (string, error) { return "", ErrMissing }

// Token returns the token with this id, as the vocabulary spells it.
func (t *Tokenizer) Token(id int) (string, bool) { return "", false }

// ID returns the id of a token that is spelled so.
func (t *Tokenizer) ID(token string) (int, bool) { return 0, false }

// Special says whether id is a special token.
func (t *Tokenizer) Special(id int) bool { return false }

// Size is one more than the largest id.
func (t *Tokenizer) Size() int { return 0 }

// NewStream starts decoding ids one by one.
func (t *Tokenizer) NewStream(skipSpecial bool) *Stream { return &Stream{} }

// Stream decodes ids one by one.
type Stream struct{}

// Push returns the text that is certain now.
func (s *Stream) Push(id int) (string, error) { return "", ErrMissing }

// Flush returns what was held back.
func (s *Stream) Flush() string { return "" }
