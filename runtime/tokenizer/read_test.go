package tokenizer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// closed is a directory in which only one file may be opened.
type closed struct {
	fstest.MapFS
	but string
	t   *testing.T
}

func (c closed) Open(name string) (fs.File, error) {
	if name != c.but {
		c.t.Errorf("%s was opened", name)
	}
	return c.MapFS.Open(name)
}

// Opening a pipe would wait for ever.
func TestLoadOnlyRegularFiles(t *testing.T) {
	model := &fstest.MapFile{Data: read(t, "sentencepiece", "tokenizer.model")}
	for _, name := range append(names, "tokenizer_config.json") {
		for _, mode := range []fs.FileMode{fs.ModeNamedPipe, fs.ModeDevice, fs.ModeSocket, fs.ModeDir, fs.ModeIrregular} {
			files := fstest.MapFS{name: {Mode: mode}}
			if name == "tokenizer_config.json" {
				files["tokenizer.model"] = model
			}
			_, err := Load(closed{files, "tokenizer.model", t})
			if name == "tokenizer.model" { // the one that closed lets through
				_, err = Load(closed{files, "", t})
			}
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), name+": damaged file: a regular file expected") {
				t.Errorf("%s, %v: %v", name, mode, err)
			}
		}
	}
}

// A file that is too large is refused by its size, without reading: its blocks need not exist.
func TestLoadTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(250<<20), f.Close()); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = LoadFile(path)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "at most 67108864 bytes expected, found 262144000") || allocated > 1<<20 {
		t.Errorf("%v, %d bytes allocated", err, allocated)
	}
}

// A tokenizer.json is JSON, whatever it looks like; messages speak of JSON, not of Go or protobuf.
func TestWording(t *testing.T) {
	const wanted = `damaged file: a JSON object with a "model" expected, found `
	zeros := strings.Repeat("\x00", 1000)
	for _, c := range []struct{ file, data, say string }{
		{"tokenizer.json", "", wanted + "nothing"},
		{"tokenizer.json", " \n", wanted + "nothing"},
		{"tokenizer.json", "null", wanted + `"null"`},
		{"tokenizer.json", "[1]", wanted + "a list"},
		{"tokenizer.json", `"a"`, wanted + "a string"},
		{"tokenizer.json", zeros, wanted + "byte 0x00"},
		{"tokenizer.json", protoBPE, wanted + "byte 0x12"},
		{"tokenizer.json", "{}", "model: damaged file: an object expected, found none"},
		{"tokenizer.json", `{"version"`, "':' expected, found the end"},
		{"tokenizer.json", `{"version" 1}`, "':' expected, found '1'"},
		{"tokenizer.json", `{"version":1}`, "version: damaged file: a string expected, found a number"},
		{"tokenizer.json", `{"version":x}`, "version: damaged file: JSON expected, at its byte 1: "},
		{"tokenizer.json", `{"added_tokens":{}}`, "added_tokens: damaged file: a list expected, found an object"},
		{"tokenizer.json", `{"added_tokens":[{"id":"x"}]}`, "id: a whole number expected, found a string"},
		{"tokenizer.json", `{"normalizer":{"type":[]}}`, "normalizer: damaged file: type: a string expected, found a list"},
		{"tokenizer.json", `{"model":{"type":"BPE","vocab":{"a":1e9}}}`, `a whole number below 2147483648 expected, found "1e9"`},
		{"tokenizer.json", `{"model":{"type":"BPE","vocab":{"a":`, "'}' expected, found the end"},
		{"tokenizer.json", `{"model":{"type":"BPE","vocab":{"a":x}}}`, `a whole number below 2147483648 expected, found "x"`},
		{"tokenizer.model", "", "a tokenizer expected, found an empty file"},
		{"tokenizer.bin", zeros, "the longest token has 1 byte or more, found 0"},
	} {
		_, err := Load(fstest.MapFS{c.file: {Data: []byte(c.data)}})
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s %.40q: %v, want %q", c.file, c.data, err, c.say)
			continue
		}
		for _, inner := range []string{"Go ", "cannot ", "strconv", "protobuf", "unmarshal"} {
			if strings.Contains(err.Error(), inner) {
				t.Errorf("%s %.40q: %v", c.file, c.data, err)
			}
		}
	}
}
