package convert

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

func TestTokenizerOption(t *testing.T) {
	dst := t.TempDir()
	s := run(t, bins+"llama2c_unshared/model_v0.bin", dst, Options{GroupSize: 32, Tokenizer: bins + "llama2c_shared/tokenizer.bin"})
	want := contents(t, bins+"llama2c_shared")[tokenizerFile]
	if contents(t, dst)[tokenizerFile] != want || !slices.Equal(s.Copied, []string{tokenizerFile}) {
		t.Errorf("copied %v", s.Copied)
	}
	parent := t.TempDir()
	_, err := Run(context.Background(), bins+"llama2c_unshared/model_v0.bin", filepath.Join(parent, "x"), Options{GroupSize: 32, Tokenizer: "none.bin"})
	if !errors.Is(err, fs.ErrNotExist) || len(entries(t, parent)) > 0 {
		t.Errorf("missing tokenizer: error %v, left %v", err, entries(t, parent))
	}
	for _, format := range []Format{PackQuantized, Llama2C} {
		_, err = Run(context.Background(), "../testdata/demo", filepath.Join(parent, "x.bin"), Options{Format: format, Tokenizer: bins + "llama2c_shared/tokenizer.bin"})
		checkError(t, err, ErrUnsupported, "tokenizer: a llama2.c source expected with this option, found ../testdata/demo")
	}
}

// Beside its source a .bin shares the tokenizer.
func TestBinBesideSource(t *testing.T) {
	dir := t.TempDir()
	for name, text := range contents(t, bins+"llama2c_shared") {
		writeFile(t, filepath.Join(dir, name), text)
	}
	before := contents(t, dir)
	run(t, filepath.Join(dir, "model_v0.bin"), filepath.Join(dir, "new.bin"), Options{Format: Llama2C})
	after := contents(t, dir)
	delete(after, "new.bin")
	if len(after) != len(before) || after[tokenizerFile] != before[tokenizerFile] {
		t.Errorf("files %v", entries(t, dir))
	}
}

// A tokenizer for the new file does not take the place of the source's own, with
// Overwrite neither; the same one again is no harm.
func TestTokenizerOfSourceStays(t *testing.T) {
	dir := t.TempDir()
	for name, text := range contents(t, bins+"llama2c_shared") {
		writeFile(t, filepath.Join(dir, name), text)
	}
	before := contents(t, dir)
	src, dst := filepath.Join(dir, "model_v0.bin"), filepath.Join(dir, "new.bin")
	other := filepath.Join(t.TempDir(), "other.bin")
	writeFile(t, other, before[tokenizerFile]+binToken(-1, "x"))
	for _, overwrite := range []bool{false, true} {
		_, err := Run(context.Background(), src, dst, Options{Format: Llama2C, Tokenizer: other, Overwrite: overwrite})
		checkError(t, err, ErrDestination, `tokenizer.bin: it is the source's own and would be replaced by "other.bin"`)
	}
	if !maps.Equal(before, contents(t, dir)) {
		t.Errorf("files %v", entries(t, dir))
	}
	s := run(t, src, dst, Options{Format: Llama2C, Tokenizer: bins + "llama2c_shared/tokenizer.bin"})
	if len(s.Copied) != 0 || contents(t, dir)[tokenizerFile] != before[tokenizerFile] {
		t.Errorf("copied %v", s.Copied)
	}
	elsewhere := t.TempDir()
	writeFile(t, filepath.Join(elsewhere, tokenizerFile), "old")
	run(t, src, filepath.Join(elsewhere, "new.bin"), Options{Format: Llama2C, Tokenizer: other, Overwrite: true})
	if text, _ := os.ReadFile(other); contents(t, elsewhere)[tokenizerFile] != string(text) {
		t.Error("a tokenizer that is not the source's is not overwritten")
	}
}

// binToken is a token of a tokenizer.bin.
func binToken(score float32, text string) string {
	b := binary.LittleEndian.AppendUint32(nil, math.Float32bits(score))
	return string(binary.LittleEndian.AppendUint32(b, uint32(len(text)))) + text
}

func TestCheckTokenizer(t *testing.T) {
	longest := func(n int32) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
	good := longest(3) + binToken(0, "abc") + binToken(-1, "")
	tests := []struct{ name, data, text string }{
		{"good", good, ""},
		{"empty", "", "after 0 tokens"},
		{"no tokens", longest(3), "after 0 tokens"},
		{"json", `{"version": "1.0", "truncation": null}`, "after 0 tokens"},
		{"no length", longest(0) + binToken(0, ""), "after 0 tokens"},
		{"beyond any length", longest(math.MaxInt32) + binToken(0, ""), "after 0 tokens"},
		{"longer than the longest", good + binToken(0, "abcd"), "after 2 tokens"},
		{"negative length", good + "\x00\x00\x00\x00\xff\xff\xff\xff", "after 2 tokens"},
		{"score is no number", good + binToken(float32(math.NaN()), "a"), "after 2 tokens"},
		{"cut in a score", good + "\x00\x00", "after 2 tokens"},
		{"cut in a token", good[:len(good)-9], "after 0 tokens"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := file{name: tokenizerFile, from: fstest.MapFS{"t.bin": {Data: []byte(test.data)}}, as: "t.bin"}
			err := checkTokenizer(f, "a/t.bin")
			if test.text == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			checkError(t, err, ErrUnsupported, "a/t.bin: a tokenizer.bin of llama2.c expected, found something else "+test.text)
		})
	}
	dir := file{name: tokenizerFile, from: os.DirFS(t.TempDir()), as: "."}
	checkError(t, checkTokenizer(dir, "dir"), ErrUnsupported, "no regular file")
}
