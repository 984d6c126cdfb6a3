package convert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"octet/loader"
)

// Tensors that the tests change.
const (
	gate       = "model.layers.0.mlp.gate_proj.weight"
	norm       = "model.layers.0.input_layernorm.weight"
	embeddings = "model.embed_tokens.weight"
)

// What cannot be converted is refused with an error that names it, and leaves nothing.
func TestRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	tests := []struct {
		name   string
		change func(*model)
		kind   error
		text   string
	}{
		{"not a number", func(m *model) { m.tensors[gate].values[3*64+5] = nan }, ErrWeight, `"` + gate + `": a number expected at [3, 5], found NaN`},
		{"infinite", func(m *model) { m.tensors[gate].values[0] = inf }, ErrWeight, "at [0, 0], found -Inf"},
		{"first of two", func(m *model) {
			m.tensors[gate].values[63*64+1], m.tensors[gate].values[9*64+63] = nan, nan
		}, ErrWeight, "at [9, 63]"},
		{"not a number in a norm", func(m *model) { m.tensors[norm].values[7] = nan }, ErrWeight, `"` + norm + `": a number expected at [7], found NaN`},
		{"infinite embedding", func(m *model) { m.tensors[embeddings].values[2*64+1] = inf }, ErrWeight, `"` + embeddings + `": a number expected at [2, 1], found -Inf`},
		{"infinite head", func(m *model) {
			m.config["tie_word_embeddings"] = false
			m.add("lm_head.weight", 96, 64)
			m.tensors["lm_head.weight"].values[95*64+63] = inf
		}, ErrWeight, `"lm_head.weight": a number expected at [95, 63]`},
		{"unknown architecture", func(m *model) {
			m.config["architectures"], m.config["model_type"] = []string{"FooForCausalLM"}, "foo"
		}, ErrUnsupported, `architectures: one of LlamaForCausalLM, Qwen3ForCausalLM, llama2.c expected, found "FooForCausalLM"`},
		{"odd width", func(m *model) {
			m.config["intermediate_size"] = 80
			m.add(gate, 80, 64)
			m.add("model.layers.0.mlp.up_proj.weight", 80, 64)
			m.add("model.layers.0.mlp.down_proj.weight", 64, 80)
		}, ErrUnsupported, `"model.layers.0.mlp.down_proj.weight": a number of inputs that 32 divides expected, found 80`},
		{"missing matrix", func(m *model) { delete(m.tensors, gate) }, loader.ErrMissingTensor, gate},
		{"wrong shape", func(m *model) { m.add(gate, 64, 32) }, loader.ErrFormat, "[64, 64] expected, found [64, 32]"},
		{"matrix of no layer", func(m *model) { m.add("model.layers.0.adapter.weight", 4, 4) }, loader.ErrUnsupported, `"model.layers.0.adapter.weight"`},
		{"bias that the config does not name", func(m *model) { m.add("model.layers.0.self_attn.q_proj.bias", 64) },
			loader.ErrUnsupported, `tensors that no layer of LlamaForCausalLM uses: "model.layers.0.self_attn.q_proj.bias"`},
		{"more tensors than a message lists", func(m *model) {
			for i := range 10 {
				m.add(fmt.Sprint("extra.", i), 2)
			}
		}, loader.ErrUnsupported, `"extra.0", "extra.1", "extra.2", "extra.3", "extra.4", "extra.5", "extra.6", "extra.7" and 2 more`},
		{"head of a model with tied embeddings, by another name", func(m *model) { m.add("model.lm_head.weight", 96, 64) }, loader.ErrUnsupported, `"model.lm_head.weight"`},
		{"missing norm", func(m *model) { delete(m.tensors, "model.norm.weight") }, loader.ErrMissingTensor, "model.norm.weight"},
		{"missing norm of a block", func(m *model) { delete(m.tensors, norm) }, loader.ErrMissingTensor, norm},
		{"missing bias", func(m *model) { m.config["attention_bias"] = true }, loader.ErrMissingTensor, "model.layers.0.self_attn.q_proj.bias"},
		{"missing embeddings", func(m *model) { delete(m.tensors, embeddings) }, loader.ErrMissingTensor, embeddings},
		{"missing head", func(m *model) { m.config["tie_word_embeddings"] = false }, loader.ErrMissingTensor, "lm_head.weight"},
		{"norm of another shape", func(m *model) { m.add(norm, 32) }, ErrUnsupported, `"` + norm + `": floats [64] expected, found BF16 [32]`},
		{"more layers than there are", func(m *model) { m.config["num_hidden_layers"] = 60000 }, loader.ErrMissingTensor, "model.layers.1."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newModel(64)
			test.change(m)
			dst := filepath.Join(t.TempDir(), "a", "out")
			_, err := Run(context.Background(), m.save(t), dst, Options{})
			checkError(t, err, test.kind, test.text)
			if left := entries(t, filepath.Dir(filepath.Dir(dst))); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A bias is copied, and the norms of a llama2.c file are widened: neither hides a NaN.
func TestNotANumber(t *testing.T) {
	nan := float32(math.NaN())
	m := newModel(64)
	m.config["mlp_bias"] = true
	for name, n := range map[string]int{"gate_proj": 64, "up_proj": 64, "down_proj": 64} {
		m.add("model.layers.0.mlp."+name+".bias", n)
	}
	const bias = "model.layers.0.mlp.up_proj.bias"
	m.tensors[bias].values[63] = nan
	_, err := Run(context.Background(), m.save(t), filepath.Join(t.TempDir(), "out"), Options{})
	checkError(t, err, ErrWeight, `"`+bias+`": a number expected at [63], found NaN`)
	m = newModel(64)
	m.tensors["model.norm.weight"].values[5] = nan
	_, err = Run(context.Background(), m.save(t), filepath.Join(t.TempDir(), "out.bin"), Options{Format: Llama2C})
	checkError(t, err, ErrWeight, `"model.norm.weight": a number expected at [5], found NaN`)
}

// The largest numbers of each type pass; the smallest bits above them do not.
func TestCheckFinite(t *testing.T) {
	for _, test := range []struct {
		dtype     loader.DType
		good, bad string // element, little-endian
	}{
		{loader.BF16, "\x7f\x7f", "\x80\x7f"},
		{loader.BF16, "\x7f\xff", "\x81\xff"},
		{loader.F16, "\xff\x7b", "\x00\x7c"},
		{loader.F16, "\xff\xfb", "\x01\xfc"},
		{loader.F32, "\xff\xff\x7f\x7f", "\x00\x00\x80\x7f"},
		{loader.F32, "\xff\xff\x7f\xff", "\x01\x00\x80\xff"},
		{loader.I64, "\xff\xff\xff\xff\xff\xff\xff\xff", ""},
	} {
		tensor := loader.Tensor{Name: "x", DType: test.dtype, Shape: []int{2, 3, 4}}
		if err := checkFinite(tensor, []byte(test.good+test.good), 0); err != nil {
			t.Errorf("%v %x: %v", test.dtype, test.good, err)
		}
		if test.bad != "" {
			err := checkFinite(tensor, []byte(test.good+test.bad+test.bad), 17)
			checkError(t, err, ErrWeight, "at [1, 1, 2], found")
		}
	}
}

// Tensors that follow from the others are no reason to refuse a model.
func TestStrayTensors(t *testing.T) {
	m := newModel(64)
	m.add("lm_head.weight", 96, 64)
	m.add("model.layers.0.self_attn.rotary_emb.inv_freq", 16)
	src := m.save(t)
	run(t, src, t.TempDir(), Options{})
	run(t, src, filepath.Join(t.TempDir(), "model.bin"), Options{Format: Llama2C})
}

// checkError checks kind and text of an error.
func checkError(t *testing.T, err, kind error, text string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want %q, %v", err, text, kind)
	}
}

func TestQuantizedSourceIsRefused(t *testing.T) {
	for _, name := range []string{
		"quantized/llama_pack_g32", "quantized/qwen3_pack_g64", "quantized/llama_pack_channel", "quantized/llama_int_channel_w8a8",
		"llama2c/llama2c_shared/model_v2.bin",
	} {
		for _, format := range []Format{PackQuantized, Llama2C} {
			_, err := Run(context.Background(), "../testdata/"+name, filepath.Join(t.TempDir(), "out.bin"), Options{Format: format})
			checkError(t, err, ErrUnsupported, "quantized already")
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, g := range []int{-64, 1, 16, 48, 65, 256} {
		_, err := Run(context.Background(), "../testdata/demo", t.TempDir(), Options{GroupSize: g})
		checkError(t, err, ErrUnsupported, "32, 64 or 128 expected")
	}
	_, err := Run(context.Background(), "../testdata/demo", t.TempDir(), Options{Format: 7})
	checkError(t, err, ErrUnsupported, "number 7")
	_, err = ParseFormat("gguf")
	checkError(t, err, ErrUnsupported, `"gguf"`)
	for _, f := range []Format{PackQuantized, Llama2C} {
		if g, err := ParseFormat(f.String()); g != f || err != nil {
			t.Errorf("%v is parsed as %v, %v", f, g, err)
		}
	}
}

func TestMissingSource(t *testing.T) {
	_, err := Run(context.Background(), filepath.Join(t.TempDir(), "none"), t.TempDir(), Options{})
	checkError(t, err, fs.ErrNotExist, "none")
}

// Whatever config.json says, a convert ends, with a result that opens or an error that
// leaves nothing.
func FuzzRun(f *testing.F) {
	base := newModel(64)
	config, err := json.Marshal(base.config)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(config, byte(0))
	f.Add(config, byte(1))
	f.Add([]byte(`{"architectures":["LlamaForCausalLM"],"model_type":"llama","num_hidden_layers":99999999}`), byte(0))
	src := base.save(f)
	f.Fuzz(func(t *testing.T, config []byte, format byte) {
		writeFile(t, filepath.Join(src, configFile), string(config))
		parent := t.TempDir()
		dst := filepath.Join(parent, "out.bin")
		_, err := Run(context.Background(), src, dst, Options{Format: Format(format % 2), Threads: 1})
		if err != nil && len(entries(t, parent)) > 0 {
			t.Errorf("error %v leaves %v", err, entries(t, parent))
		}
		if err == nil {
			open(t, dst)
		}
	})
}
