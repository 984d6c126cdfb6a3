package tokenizer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// names are the files of a model directory, in the order of preference.
var names = []string{"tokenizer.json", "tokenizer.model", "tokenizer.bin"}

// Load reads the tokenizer of the model directory fsys: tokenizer.json, else tokenizer.model
// (SentencePiece BPE), else tokenizer.bin (llama2.c). Errors: ErrMissing where the directory has
// none of them, ErrFormat, ErrUnsupported, and those of fsys.
func Load(fsys fs.FS) (*Tokenizer, error) {
	for _, name := range names {
		t, err := loadFrom(fsys, name)
		if !errors.Is(err, fs.ErrNotExist) {
			return t, err
		}
	}
	return nil, fmt.Errorf("tokenizer: %w: none of %v", ErrMissing, names)
}

// LoadFile reads a tokenizer.json, tokenizer.model or tokenizer.bin, told apart by content
// unless it is called tokenizer.json, or the tokenizer of a directory. Errors as of Load.
func LoadFile(path string) (*Tokenizer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	if info.IsDir() {
		return Load(os.DirFS(path))
	}
	return loadFrom(os.DirFS(filepath.Dir(path)), filepath.Base(path))
}

func loadFrom(fsys fs.FS, name string) (*Tokenizer, error) {
	data, err := readFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %w", err)
	}
	t, err := parse(fsys, name, data)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %s: %w", name, err)
	}
	return t, nil
}

// parse tells files apart by content, so that they may have any name; a tokenizer.json must be JSON.
func parse(fsys fs.FS, name string, data []byte) (*Tokenizer, error) {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\uFEFF")), " \t\r\n")
	switch {
	case bytes.HasPrefix(text, []byte("{")):
		return parseJSON(bytes.TrimPrefix(data, []byte("\uFEFF")))
	case name == "tokenizer.json":
		return nil, fmt.Errorf("%w: a JSON object with a \"model\" expected, found %s", ErrFormat, foundJSON(text))
	case len(data) == 0:
		return nil, fmt.Errorf("%w: a tokenizer expected, found an empty file", ErrFormat)
	case looksLlama2C(data):
		return parseLlama2C(data)
	}
	return parseSentencePiece(data, fsys)
}

// looksLlama2C: the file begins with the longest token's length, int32, which is small; a
// tokenizer.model with the tag, length and first tag of a piece, which are not zero.
func looksLlama2C(data []byte) bool { return len(data) >= 4 && data[2] == 0 && data[3] == 0 }
