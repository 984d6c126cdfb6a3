package tokenizer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

func read(t testing.TB, elem ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{testdata}, elem...)...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestLoadPrefersJSON(t *testing.T) {
	dir := fstest.MapFS{
		"tokenizer.json":  {Data: read(t, "gpt2", "tokenizer.json")},
		"tokenizer.model": {Data: read(t, "sentencepiece", "tokenizer.model")},
		"tokenizer.bin":   {Data: read(t, "sentencepiece", "tokenizer.bin")},
	}
	for _, want := range []struct {
		file  string
		token string // that only this file has
	}{{"tokenizer.json", "Ġthe"}, {"tokenizer.model", "▁the"}, {"tokenizer.bin", " the"}} {
		tok, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := tok.ID(want.token); !ok {
			t.Errorf("%s is not what was loaded", want.file)
		}
		delete(dir, want.file)
	}
	if _, err := Load(dir); !errors.Is(err, ErrMissing) {
		t.Errorf("empty directory: %v", err)
	}
}

func TestLoadFileByContent(t *testing.T) {
	for file, token := range map[string]string{"gpt2/tokenizer.json": "Ġthe", "sentencepiece/tokenizer.model": "▁the", "sentencepiece/tokenizer.bin": " the"} {
		path := filepath.Join(t.TempDir(), "renamed")
		if err := os.WriteFile(path, read(t, file), 0o666); err != nil {
			t.Fatal(err)
		}
		tok, err := LoadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := tok.ID(token); !ok {
			t.Errorf("%s: no token %q", file, token)
		}
	}
	if _, err := LoadFile(filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := LoadFile(t.TempDir()); !errors.Is(err, ErrMissing) {
		t.Errorf("empty directory: %v", err)
	}
}

func TestSentencePieceConfig(t *testing.T) {
	model := read(t, "sentencepiece", "tokenizer.model")
	for _, c := range []struct {
		config string
		want   []int // around no text
	}{
		{`{}`, []int{1}},
		{`{"add_bos_token": false}`, nil},
		{`{"add_bos_token": true, "add_eos_token": true}`, []int{1, 2}},
		{`{"add_bos_token": null, "add_eos_token": null}`, []int{1}},
	} {
		dir := fstest.MapFS{"tokenizer.model": {Data: model}, "tokenizer_config.json": {Data: []byte(c.config)}}
		tok, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tok.Encode("", true)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.config, got, err, c.want)
		}
	}
	dir := fstest.MapFS{"tokenizer.model": {Data: model}, "tokenizer_config.json": {Data: []byte(`{"add_bos_token": 1}`)}}
	if _, err := Load(dir); !errors.Is(err, ErrFormat) {
		t.Errorf("damaged tokenizer_config.json: %v", err)
	}
}

func TestVocabulary(t *testing.T) {
	for _, file := range append([]string{"sentencepiece/tokenizer.model", "sentencepiece/tokenizer.bin"}, styles...) {
		tok := load(t, file)
		special := 0
		for id := range tok.Size() {
			token, ok := tok.Token(id)
			if back, found := tok.ID(token); !ok || !found || back != id {
				t.Errorf("%s: id %d is %q (%v), whose id is %d (%v)", file, id, token, ok, back, found)
			}
			if tok.Special(id) {
				special++
			}
		}
		if special == 0 {
			t.Errorf("%s: no special token", file)
		}
	}
}
