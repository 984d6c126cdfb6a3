package tokenizer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFile is the size of the largest tokenizer file that is read. Published ones reach 35 MB.
const maxFile = 256 << 20

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

// LoadFile reads a tokenizer.json, tokenizer.model or tokenizer.bin, told apart by content and not by
// name, or the tokenizer of a directory. Errors as of Load.
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
	t, err := parse(fsys, data)
	if err != nil {
		return nil, fmt.Errorf("tokenizer: %s: %w", name, err)
	}
	return t, nil
}

func parse(fsys fs.FS, data []byte) (*Tokenizer, error) {
	switch {
	case looksJSON(data):
		return parseJSON(bytes.TrimPrefix(data, []byte("\uFEFF")))
	case looksLlama2C(data):
		return parseLlama2C(data)
	}
	return parseSentencePiece(data, fsys)
}

func looksJSON(data []byte) bool {
	data = bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\uFEFF")), " \t\r\n")
	return len(data) > 0 && data[0] == '{'
}

// looksLlama2C: the file begins with the longest token's length, int32, which is small; a
// tokenizer.model with the tag, length and first tag of a piece, which are not zero.
func looksLlama2C(data []byte) bool { return len(data) >= 4 && data[2] == 0 && data[3] == 0 }

func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Size() < maxFile {
		data.Grow(int(info.Size()) + bytes.MinRead)
	}
	n, err := data.ReadFrom(io.LimitReader(f, maxFile+1))
	if err == nil && n > maxFile {
		err = fmt.Errorf("%s: %w: more than %d bytes", name, ErrUnsupported, maxFile)
	}
	return data.Bytes(), err
}
