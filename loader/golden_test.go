package loader

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"octet/testdata/demo"
)

// goldens returns the directories under testdata/kind.
func goldens(t *testing.T, kind string) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join("..", "testdata", kind, "*", configFile))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no golden models in testdata/%s: %v", kind, err)
	}
	for i, d := range dirs {
		dirs[i] = filepath.Dir(d)
	}
	return dirs
}

// open opens a model and closes it at the end of the test.
func open(t *testing.T, path string) *Checkpoint {
	t.Helper()
	c, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// checkTensors checks what Open promises of every tensor.
func checkTensors(t *testing.T, c *Checkpoint) {
	t.Helper()
	for _, name := range c.Names() {
		x, err := c.Tensor(name)
		if err != nil {
			t.Fatal(err)
		}
		if x.Name != name || x.File == "" || len(x.Data) != x.Len()*x.DType.Size() {
			t.Errorf("%s: %+v with %d bytes", name, x.describe(), len(x.Data))
		}
	}
}

// checkLinears opens every weight of the model by the shapes that its config gives.
func checkLinears(t *testing.T, c *Checkpoint) {
	t.Helper()
	g := c.Config
	q, kv := g.NumHeads*g.HeadDim, g.NumKVHeads*g.HeadDim
	shapes := map[string][2]int{
		"self_attn.q_proj": {q, g.HiddenSize},
		"self_attn.k_proj": {kv, g.HiddenSize},
		"self_attn.v_proj": {kv, g.HiddenSize},
		"self_attn.o_proj": {g.HiddenSize, q},
		"mlp.gate_proj":    {g.IntermediateSize, g.HiddenSize},
		"mlp.up_proj":      {g.IntermediateSize, g.HiddenSize},
		"mlp.down_proj":    {g.HiddenSize, g.IntermediateSize},
	}
	for layer := range g.NumLayers {
		for name, s := range shapes {
			name = layerName(layer, name)
			checkWeight(t, c, name, s[0], s[1], g.Quantization != nil)
		}
	}
	embeddingsToo := g.Quantization != nil && g.Quantization.Method == methodLlama2C
	checkWeight(t, c, "model.embed_tokens", g.VocabSize, g.HiddenSize, embeddingsToo)
	if !g.TieWordEmbeddings {
		_, packed := c.tensors["lm_head"+suffixPacked]
		checkWeight(t, c, "lm_head", g.VocabSize, g.HiddenSize, packed || embeddingsToo)
	}
}

func checkWeight(t *testing.T, c *Checkpoint, name string, rows, cols int, int8 bool) {
	t.Helper()
	w, err := c.Weight(name, rows, cols)
	if err != nil {
		t.Error(err)
		return
	}
	if w.Name != name || w.Rows != rows || w.Cols != cols {
		t.Errorf("%s: a weight %s [%d, %d]", name, w.Name, w.Rows, w.Cols)
	}
	if (w.Group != 0) != int8 {
		t.Errorf("%s: group %d, int8 %v", name, w.Group, int8)
	}
	if int8 && (w.Scales.Len() != rows*cols/w.Group || len(w.Values.Data) != rows*cols) {
		t.Errorf("%s: %s with scales %s", name, w.Values.describe(), w.Scales.describe())
	}
}

func TestOpenModels(t *testing.T) {
	for _, dir := range goldens(t, "models") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c := open(t, dir)
			checkTensors(t, c)
			checkLinears(t, c)
		})
	}
}

func TestOpenQuantized(t *testing.T) {
	for _, dir := range goldens(t, "quantized") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c := open(t, dir)
			checkTensors(t, c)
			checkLinears(t, c)
		})
	}
}

// Both spellings of a config mean the same.
func TestConfigSpellings(t *testing.T) {
	for _, dir := range goldens(t, "models") {
		others, _ := filepath.Glob(filepath.Join(dir, "config.v*.json"))
		if len(others) != 1 {
			t.Fatalf("%s: another spelling of config.json expected, found %v", dir, others)
		}
		a, b := readConfig(t, filepath.Join(dir, configFile)), readConfig(t, others[0])
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s:\n%+v\n%+v", others[0], a, b)
		}
	}
}

// readConfig parses a config but for its Raw.
func readConfig(t *testing.T, path string) Config {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := parseConfig(path, b)
	if err != nil {
		t.Fatal(err)
	}
	c.Raw = nil
	return c
}

func TestOpenFS(t *testing.T) {
	c, err := OpenFS(demo.FS)
	if err != nil {
		t.Fatal(err)
	}
	checkTensors(t, c)
	checkLinears(t, c)
	disk := open(t, "../testdata/demo")
	for _, name := range c.Names() {
		a, _ := c.Tensor(name)
		b, err := disk.Tensor(name)
		if err != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%s differs between embedded and mapped files: %v", name, err)
		}
	}
	if !reflect.DeepEqual(c.Config, disk.Config) || !reflect.DeepEqual(c.Generation, disk.Generation) {
		t.Error("the configs differ between embedded and mapped files")
	}
	if got := c.Generation.EOS; !reflect.DeepEqual(got, []int{0, 2}) {
		t.Errorf("generation eos: %v", got)
	}
}
