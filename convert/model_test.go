package convert

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/nlpodyssey/safetensors"

	"octet/loader"
)

// model is a small Hugging Face directory for a test to change before it is saved.
type model struct {
	config  map[string]any
	tensors map[string]array
	files   map[string]string
}

// array is a tensor of a model; its values are stored as BF16.
type array struct {
	shape  []int
	values []float32
}

// newModel makes a Llama of one layer with random weights: 2 heads of 32, 1 key/value
// head, hidden size 64, intermediate size hidden.
func newModel(hidden int) *model {
	m := &model{
		config: map[string]any{
			"architectures": []string{"LlamaForCausalLM"}, "model_type": "llama",
			"hidden_size": 64, "intermediate_size": hidden, "num_hidden_layers": 1,
			"num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 96,
			"max_position_embeddings": 128, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
			"hidden_act": "silu", "tie_word_embeddings": true, "torch_dtype": "bfloat16",
		},
		tensors: make(map[string]array),
		files:   map[string]string{"tokenizer.json": "{}"},
	}
	m.add("model.embed_tokens.weight", 96, 64)
	m.add("model.norm.weight", 64)
	for name, shape := range map[string][]int{
		"input_layernorm": {64}, "post_attention_layernorm": {64},
		"self_attn.q_proj": {64, 64}, "self_attn.k_proj": {32, 64}, "self_attn.v_proj": {32, 64}, "self_attn.o_proj": {64, 64},
		"mlp.gate_proj": {hidden, 64}, "mlp.up_proj": {hidden, 64}, "mlp.down_proj": {64, hidden},
	} {
		m.add("model.layers.0."+name+".weight", shape...)
	}
	return m
}

// add makes a tensor of random values, the same for the same name and shape.
func (m *model) add(name string, shape ...int) {
	n, seed := 1, uint64(len(name))
	for _, d := range shape {
		n *= d
		seed = seed*31 + uint64(d)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	m.tensors[name] = array{shape, values}
}

// save writes the model to a new directory.
func (m *model) save(t testing.TB) string {
	t.Helper()
	views := make(map[string]safetensors.TensorView)
	for name, a := range m.tensors {
		data := make([]byte, 0, 2*len(a.values))
		for _, v := range a.values {
			data = binary.LittleEndian.AppendUint16(data, uint16(math.Float32bits(v)>>16))
		}
		v, err := safetensors.NewTensorView(safetensors.BF16, dims(a.shape), data)
		if err != nil {
			t.Fatal(err)
		}
		views[name] = v
	}
	weights, err := safetensors.Serialize(views, map[string]string{"format": "pt"})
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(m.config)
	if err != nil {
		t.Fatal(err)
	}
	files := maps.Clone(m.files)
	files[configFile], files[weightsFile] = string(config), string(weights)
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	return dir
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// open opens a checkpoint until the end of the test.
func open(t *testing.T, path string) *loader.Checkpoint {
	t.Helper()
	ck, err := loader.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ck.Close() })
	return ck
}

// contents reads all files below dir, by their names.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// entries lists the names in a directory; nil where it does not exist.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
