package loader

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// shard is a safetensors file that holds U8 [1] tensors of these names.
func shard(names ...string) string {
	var entries []string
	for i, name := range names {
		entries = append(entries, entryJSON(name, "U8", "[1]", uint64(i), uint64(i+1)))
	}
	return string(safetensorsFile("{"+strings.Join(entries, ",")+"}", len(names)))
}

func TestShards(t *testing.T) {
	c := open(t, modelDir(t, map[string]string{
		"model-1.safetensors": shard("a", "b"),
		"model-2.safetensors": shard("c"),
		indexFile:             `{"weight_map":{"a":"model-1.safetensors","b":"model-1.safetensors","c":"model-2.safetensors"}}`,
	}))
	if got := c.Names(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("tensors %v", got)
	}
	if x, err := c.Tensor("c"); err != nil || x.File != "model-2.safetensors" {
		t.Errorf("%+v, %v", x, err)
	}
	_, err := c.Tensor("d")
	checkError(t, err, ErrMissingTensor, `no tensor "d" among the 3 there`)
}

// A model.safetensors wins over an index, as in transformers.
func TestSingleFileBeforeIndex(t *testing.T) {
	c := open(t, modelDir(t, map[string]string{weightsFile: shard("a"), indexFile: "{}"}))
	if got := c.Names(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("tensors %v", got)
	}
}

func TestDamagedDirectories(t *testing.T) {
	index := func(file string) string { return `{"weight_map":{"a":"` + file + `"}}` }
	cases := []struct {
		name  string
		files map[string]string
		kind  error
		text  string
	}{
		{"no weights", nil, fs.ErrNotExist, "model.safetensors: missing, and no model.safetensors.index.json either"},
		{"pytorch", map[string]string{"pytorch_model.bin": ""}, ErrUnsupported,
			"pytorch_model.bin: weights as model.safetensors (or shards with model.safetensors.index.json) are needed"},
		{"pytorch shards", map[string]string{"pytorch_model-00001-of-00002.bin": ""}, ErrUnsupported, "pytorch_model-00001-of-00002.bin: weights as"},
		{"gguf", map[string]string{"model.gguf": ""}, ErrUnsupported, "model.gguf: weights as model.safetensors"},
		{"consolidated", map[string]string{"consolidated.00.pth": ""}, ErrUnsupported, "consolidated.00.pth: weights as"},
		{"shards without index", map[string]string{"model-00001-of-00002.safetensors": shard("a")}, ErrFormat,
			`missing: model.safetensors or an index of shards is needed to read "model-00001-of-00002.safetensors"`},
		{"index is no JSON", map[string]string{indexFile: "weight_map"}, ErrFormat, "index.json: invalid character"},
		{"index without map", map[string]string{indexFile: `{"metadata":{}}`}, ErrFormat, "weight_map: a file for each tensor expected"},
		{"index with a number", map[string]string{indexFile: `{"weight_map":{"a":1}}`}, ErrFormat, "cannot unmarshal number"},
		{"missing shard", map[string]string{indexFile: index("model-2.safetensors")}, fs.ErrNotExist,
			"model-2.safetensors: missing, though model.safetensors.index.json names it"},
		{"parent", map[string]string{indexFile: index("../x.safetensors")}, ErrFormat, `found "../x.safetensors"`},
		{"absolute", map[string]string{indexFile: index("/etc/x.safetensors")}, ErrFormat, `found "/etc/x.safetensors"`},
		{"folder", map[string]string{indexFile: index("sub/x.safetensors")}, ErrFormat, `found "sub/x.safetensors"`},
		{"backslash", map[string]string{indexFile: index(`..\\x.safetensors`)}, ErrFormat, `found "..\\x.safetensors"`},
		{"drive", map[string]string{indexFile: index(`C:x.safetensors`)}, ErrFormat, `found "C:x.safetensors"`},
		{"empty name", map[string]string{indexFile: index("")}, ErrFormat, `found ""`},
		{"other file", map[string]string{indexFile: index("config.json")}, ErrFormat, `found "config.json"`},
		{"tensor absent", map[string]string{indexFile: index("m.safetensors"), "m.safetensors": shard("b")}, ErrFormat,
			`m.safetensors: tensor "a" is missing, though model.safetensors.index.json places it there`},
		{"tensor elsewhere", map[string]string{
			indexFile:       `{"weight_map":{"a":"1.safetensors","b":"2.safetensors"}}`,
			"1.safetensors": shard("b"), "2.safetensors": shard("a"),
		}, ErrFormat, "places it there"},
		{"tensor in two shards", map[string]string{
			indexFile:       `{"weight_map":{"a":"1.safetensors","b":"2.safetensors"}}`,
			"1.safetensors": shard("a"), "2.safetensors": shard("b", "a"),
		}, ErrFormat, `2.safetensors: tensor "a" is in 1.safetensors too`},
		{"truncated shard", map[string]string{
			indexFile: index("1.safetensors"), "1.safetensors": shard("a")[:40],
		}, ErrFormat, "1.safetensors: header of"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			dir := modelDir(t, tc.files)
			_, err := Open(dir)
			checkError(t, err, tc.kind, tc.text)
			_, err = OpenFS(os.DirFS(dir))
			checkError(t, err, tc.kind, tc.text)
		})
	}
}

func TestNoModel(t *testing.T) {
	other := t.TempDir()
	writeIn(t, other, "model-q8.gguf", "")
	weights := t.TempDir()
	writeIn(t, weights, weightsFile, shard("a"))
	cases := []struct {
		name, path string
		kind       error
		text       string
	}{
		{"missing path", filepath.Join(t.TempDir(), "none"), fs.ErrNotExist, "none: "},
		{"empty directory", t.TempDir(), fs.ErrNotExist, "config.json: a model directory expected, found an empty one"},
		{"gguf directory", other, ErrUnsupported, "model-q8.gguf: a Hugging Face directory with config.json and safetensors files is needed"},
		{"no config", weights, fs.ErrNotExist, "config.json: file does not exist"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Open(tc.path)
			checkError(t, err, tc.kind, tc.text)
		})
	}
}

// A directory in the place of a file is refused on every system.
func TestDirectoryInPlaceOfFile(t *testing.T) {
	dir := modelDir(t, map[string]string{indexFile: `{"weight_map":{"a":"m.safetensors"}}`})
	if err := os.Mkdir(filepath.Join(dir, "m.safetensors"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir)
	checkError(t, err, nil, "m.safetensors: a regular file expected")
	fsys := fstest.MapFS{"config.json/x": {}}
	_, err = OpenFS(fsys)
	checkError(t, err, nil, "config.json: a regular file expected")
}

func TestConfigTooLarge(t *testing.T) {
	big := strings.Repeat(" ", maxConfig) + smallConfig
	_, err := OpenFS(fstest.MapFS{configFile: {Data: []byte(big)}})
	checkError(t, err, ErrFormat, "config.json: at most 4194304 bytes expected")
}

func TestClose(t *testing.T) {
	c, err := Open("../testdata/models/llama")
	if err != nil {
		t.Fatal(err)
	}
	if c.FS() == nil || c.Path != "../testdata/models/llama" {
		t.Error("no FS or path")
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := c.Tensor("lm_head.weight"); !errors.Is(err, ErrMissingTensor) {
		t.Errorf("a tensor after Close: %v", err)
	}
}
