package convert

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"octet/loader"
	"octet/quant"
)

const bins = "../testdata/llama2c/"

// A float .bin becomes, byte for byte, what version2_export of llama2.c's export.py
// makes of the same model.
func TestBinGolden(t *testing.T) {
	for _, name := range []string{"llama2c_shared", "llama2c_unshared"} {
		dst := filepath.Join(t.TempDir(), "model.bin")
		s := run(t, bins+name+"/model_v0.bin", dst, Options{Format: Llama2C, GroupSize: 32})
		got, err := os.ReadFile(dst)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(bins + name + "/model_v2.bin")
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: other bytes than export.py's", name)
		}
		if s.DestinationBytes != int64(len(want)) {
			t.Errorf("%s: %d bytes in the summary, %d in the file", name, s.DestinationBytes, len(want))
		}
	}
}

// The demo model has groups of 64, half-split RoPE and BF16 weights: all of that changes
// in a .bin.
func TestDirectoryToBin(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "demo.bin")
	s := run(t, "../testdata/demo", dst, Options{Format: Llama2C, GroupSize: 128})
	if s.GroupSize != 64 || len(s.Notes) != 1 || len(s.Copied) != 0 {
		t.Errorf("summary %+v", s)
	}
	source, made := open(t, "../testdata/demo"), open(t, dst)
	c := source.Config
	got := made.Config
	if got.HiddenSize != c.HiddenSize || got.NumLayers != c.NumLayers || got.NumKVHeads != c.NumKVHeads ||
		got.VocabSize != c.VocabSize || got.MaxPositions != c.MaxPositions || !got.TieWordEmbeddings {
		t.Errorf("config %+v", got)
	}
	for _, l := range append(llamaLayer(&c, "model.layers.5."), linear{name: "model.embed_tokens", rows: c.VocabSize, cols: c.HiddenSize}) {
		was, is := values(t, source, l), values(t, made, l)
		if l.heads > 0 {
			was = interleave(was, l, c.HeadDim)
		}
		compareQuantized(t, l, was, is, 64)
	}
	for _, name := range []string{"model.norm.weight", "model.layers.3.post_attention_layernorm.weight"} {
		was, _ := source.Tensor(name)
		is, _ := made.Tensor(name)
		wide := make([]byte, 4*was.Len())
		widenRow(wide, floats(was))
		if is.DType != loader.F32 || string(is.Data) != string(wide) {
			t.Errorf("%s: other values", name)
		}
	}
}

// values reads the weight of a layer, dequantized where it is int8.
func values(t *testing.T, ck *loader.Checkpoint, l linear) []float32 {
	t.Helper()
	w, err := ck.Weight(l.name, l.rows, l.cols)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]float32, l.rows*l.cols)
	if w.Group == 0 {
		floats(w.Values).Widen(all, 0)
		return all
	}
	scales := make([]float32, len(all)/w.Group)
	floats(w.Scales).Widen(scales, 0)
	for i, q := range w.Values.Data {
		if w.Values.DType == loader.I32 {
			q ^= 0x80
		}
		all[i] = float32(int8(q)) * scales[i/w.Group]
	}
	return all
}

// interleave orders the rows of each head for RoPE on pairs (2i, 2i+1).
func interleave(w []float32, l linear, headDim int) []float32 {
	row := func(r int) []float32 { return w[r*l.cols:][:l.cols] }
	var out []float32
	for h := range l.heads {
		for i := range headDim / 2 {
			out = append(out, row(h*headDim+i)...)
			out = append(out, row(h*headDim+headDim/2+i)...)
		}
	}
	return out
}

// compareQuantized checks that is holds was, quantized with F32 scales.
func compareQuantized(t *testing.T, l linear, was, is []float32, group int) {
	t.Helper()
	var data []byte
	for _, v := range was {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	q, scales := make([]byte, len(was)), make([]byte, 4*len(was)/group)
	if _, err := quant.QuantizeRows(q, scales, quant.Floats{Element: quant.F32, Data: data}, l.cols, group); err != nil {
		t.Fatal(err)
	}
	for i := range is {
		scale := math.Float32frombits(binary.LittleEndian.Uint32(scales[i/group*4:]))
		if want := float32(int(q[i])-128) * scale; is[i] != want {
			t.Fatalf("%s [%d, %d]: %g, want %g (float %g)", l.name, i/l.cols, i%l.cols, is[i], want, was[i])
		}
	}
}

func TestBinToDirectory(t *testing.T) {
	for _, name := range []string{"llama2c_shared", "llama2c_unshared"} {
		dst := t.TempDir()
		s := run(t, bins+name+"/model_v0.bin", dst, Options{GroupSize: 32})
		source, made := open(t, bins+name+"/model_v0.bin"), open(t, dst)
		c, got := source.Config, made.Config
		got.Raw, got.Quantization = nil, nil
		c.Architecture, c.ModelType, c.RoPE.Interleaved = "LlamaForCausalLM", "llama", false
		got.RoPE.Truncate = c.RoPE.Truncate
		if !equalConfigs(c, got) {
			t.Errorf("%s: config\n%+v, want\n%+v", name, got, c)
		}
		layers, err := families[0].linears(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range layers {
			was, is := values(t, source, l), values(t, made, l)
			if l.heads > 0 {
				is = interleave(is, l, c.HeadDim)
			}
			compareQuantized(t, l, was, is, 32)
		}
		if embedded, err := made.Weight("model.embed_tokens", c.VocabSize, c.HiddenSize); err != nil || embedded.Group != 0 {
			t.Errorf("%s: embeddings %v, %v", name, embedded.Values.DType, err)
		}
		shared := name == "llama2c_shared" // the one with a tokenizer
		if _, ok := contents(t, dst)[tokenizerFile]; ok != shared || len(s.Copied) == len(s.Notes) {
			t.Errorf("%s: tokenizer copied: %v, summary %+v", name, ok, s)
		}
	}
}

// equalConfigs compares all but the order of end tokens.
func equalConfigs(a, b loader.Config) bool {
	same := slices.Equal(a.BOS, b.BOS) && slices.Equal(a.EOS, b.EOS)
	a.BOS, a.EOS, b.BOS, b.EOS = nil, nil, nil, nil
	return same && a.RoPE == b.RoPE && a.HiddenSize == b.HiddenSize && a.IntermediateSize == b.IntermediateSize &&
		a.NumLayers == b.NumLayers && a.NumHeads == b.NumHeads && a.NumKVHeads == b.NumKVHeads && a.HeadDim == b.HeadDim &&
		a.VocabSize == b.VocabSize && a.MaxPositions == b.MaxPositions && a.NormEps == b.NormEps &&
		a.HiddenAct == b.HiddenAct && a.TieWordEmbeddings == b.TieWordEmbeddings && a.DType == b.DType &&
		a.AttentionBias == b.AttentionBias && a.MLPBias == b.MLPBias && a.ModelType == b.ModelType && a.Architecture == b.Architecture
}

// What runq.c would compute wrongly is refused by the name of the field.
func TestBinRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(*model)
		text   string
	}{
		{"theta", func(m *model) { m.config["rope_theta"] = 500000.0 }, "rope_theta: a llama2.c file needs 10000, found 500000"},
		{"rope", func(m *model) {
			m.config["rope_scaling"] = map[string]any{"type": "linear", "factor": 2.0}
		}, "rope_scaling: a llama2.c file needs none, found linear"},
		{"eps", func(m *model) { m.config["rms_norm_eps"] = 1e-6 }, "rms_norm_eps: a llama2.c file needs 1e-05, found 1e-06"},
		{"activation", func(m *model) { m.config["hidden_act"] = "gelu" }, "hidden_act: a llama2.c file needs silu, found gelu"},
		{"head size", func(m *model) { m.config["head_dim"] = 16 }, "head_dim: a llama2.c file needs 32, found 16"},
		{"attention bias", func(m *model) { m.add("model.layers.0.self_attn.q_proj.bias", 64) }, "attention_bias: a llama2.c file needs false"},
		{"mlp bias", func(m *model) { m.config["mlp_bias"] = true }, "mlp_bias: a llama2.c file needs false"},
		{"family", func(m *model) {
			m.config["architectures"], m.config["model_type"], m.config["head_dim"] = []string{"Qwen3ForCausalLM"}, "qwen3", 32
		}, "architectures: a llama2.c file needs LlamaForCausalLM, found Qwen3ForCausalLM"},
	}
	for _, test := range tests {
		m := newModel(64)
		test.change(m)
		_, err := Run(context.Background(), m.save(t), filepath.Join(t.TempDir(), "out.bin"), Options{Format: Llama2C})
		checkError(t, err, ErrUnsupported, test.text)
	}
	c := loader.Config{VocabSize: 1 << 18, HiddenSize: 1 << 13, IntermediateSize: 1}
	checkError(t, checkInts(&c), ErrUnsupported, "262144 x 8192")
}

// toHalves and toPairs put the rows of one head in each other's order.
func TestRowOrders(t *testing.T) {
	const headDim = 8
	var pairs []int
	for r := range 2 * headDim {
		pairs = append(pairs, toPairs(headDim)(r))
		if back := toPairs(headDim)(toHalves(headDim)(r)); back != r {
			t.Errorf("row %d there and back is row %d", r, back)
		}
	}
	if want := []int{0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15}; !slices.Equal(pairs, want) {
		t.Errorf("order %v, want %v", pairs, want)
	}
}
