package runtime

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nlpodyssey/safetensors"

	"octet/quant"
)

const testdata = "../testdata"

// goldens is golden.json of a model directory, as far as the tests read it.
type goldens struct {
	Sequences []struct {
		IDs    []int `json:"ids"`
		Argmax []int `json:"argmax"`
	} `json:"sequences"`
	Greedy struct {
		Prompt []int `json:"prompt"`
		NewIDs []int `json:"new_ids"`
	} `json:"greedy"`
}

func readGoldens(t *testing.T, path string) (g goldens) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// readTensors returns the F32 tensors of a safetensors file, and the I64 ones as ids.
func readTensors(t *testing.T, path string) (floats map[string][]float32, ids map[string][]int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	st, err := safetensors.Deserialize(data)
	if err != nil {
		t.Fatal(err)
	}
	floats, ids = map[string][]float32{}, map[string][]int{}
	for _, n := range st.Tensors() {
		data := n.TensorView.Data()
		switch n.TensorView.DType() {
		case safetensors.F32:
			for ; len(data) > 0; data = data[4:] {
				floats[n.Name] = append(floats[n.Name], math.Float32frombits(binary.LittleEndian.Uint32(data)))
			}
		case safetensors.I64:
			for ; len(data) > 0; data = data[8:] {
				ids[n.Name] = append(ids[n.Name], int(binary.LittleEndian.Uint64(data)))
			}
		}
	}
	return floats, ids
}

func load(t testing.TB, path string, o Options) *Model {
	t.Helper()
	m, err := Load(filepath.Join(testdata, path), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// eval returns the logits [last, vocab] after ids in a new session.
func eval(t testing.TB, m *Model, ids []int, last int) []float32 {
	t.Helper()
	logits, err := m.NewSession().Eval(context.Background(), ids, last)
	if err != nil {
		t.Fatal(err)
	}
	return logits
}

// distance returns the largest KL divergence over positions, and the largest difference as a
// fraction of the range of want; both [n, vocab].
func distance(got, want []float32, vocab int) (kl, rel float64) {
	for i := 0; i < len(want); i += vocab {
		kl = max(kl, divergence(want[i:i+vocab], got[i:i+vocab]))
	}
	diff := 0.0
	for i := range want {
		diff = max(diff, math.Abs(float64(got[i])-float64(want[i])))
	}
	return kl, diff / float64(slices.Max(want)-slices.Min(want))
}

// divergence is KL(softmax(p) || softmax(q)).
func divergence(p, q []float32) (kl float64) {
	lp, lq := logSumExp(p), logSumExp(q)
	for i := range p {
		a, b := float64(p[i])-lp, float64(q[i])-lq
		kl += math.Exp(a) * (a - b)
	}
	return kl
}

func logSumExp(x []float32) float64 {
	top, sum := float64(slices.Max(x)), 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - top)
	}
	return top + math.Log(sum)
}

func checkLogits(t *testing.T, what string, got, want []float32, vocab int, maxKL, maxRel float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d logits, want %d", what, len(got), len(want))
	}
	kl, rel := distance(got, want, vocab)
	if !(kl <= maxKL && rel <= maxRel) {
		t.Errorf("%s: KL %.2e (at most %.0e), difference %.2e of the range (at most %.0e)", what, kl, maxKL, rel, maxRel)
	}
}

// TestGoldenModels compares float logits with those of transformers.
func TestGoldenModels(t *testing.T) {
	for _, name := range []string{"llama", "llama31", "llama_bias", "llama_dynamic", "llama_headdim", "llama_linear", "llama_yarn"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("models", name)
			m := load(t, dir, Options{})
			g := readGoldens(t, filepath.Join(testdata, dir, "golden.json"))
			want, _ := readTensors(t, filepath.Join(testdata, dir, "golden.safetensors"))
			vocab := m.config.VocabSize
			for i, seq := range g.Sequences {
				name := "seq" + string(rune('0'+i)) + ".last_logits"
				checkLogits(t, name, eval(t, m, seq.IDs, 1), want[name], vocab, 1e-8, 1e-4)
			}
			ids := g.Sequences[1].IDs
			checkLogits(t, "seq1.logits", eval(t, m, ids, len(ids)), want["seq1.logits"], vocab, 1e-8, 1e-4)
			checkHidden(t, m, ids, want)
			s := m.NewSession()
			r, err := s.Generate(t.Context(), g.Greedy.Prompt, GenerateOptions{MaxTokens: len(g.Greedy.NewIDs), IgnoreEOS: true}, nil)
			if err != nil || !slices.Equal(r.Tokens, g.Greedy.NewIDs) {
				t.Errorf("greedy: %v, %v, want %v", r.Tokens, err, g.Greedy.NewIDs)
			}
		})
	}
}

// TestGoldenLong compares logits at position 3000, where rounding of RoPE's angles shows: angles
// in float64 give a KL of 1e-10 to 6e-10, those rounded as in transformers 7e-12, which is the
// noise of the shorter sequences.
func TestGoldenLong(t *testing.T) {
	for _, name := range []string{"llama", "llama31"} {
		dir := filepath.Join("models", name)
		m := load(t, dir, Options{Context: 4096})
		want, ids := readTensors(t, filepath.Join(testdata, dir, "long.safetensors"))
		checkLogits(t, name, eval(t, m, ids["ids"], 1), want["logits"], m.config.VocabSize, 1e-10, 1e-5)
	}
}

// checkHidden compares what enters each layer; 1e-4 of the largest value, as for logits.
func checkHidden(t *testing.T, m *Model, ids []int, want map[string][]float32) {
	t.Helper()
	s, layers := m.NewSession(), 0
	s.OnHidden = func(layer, pos int, h []float32) {
		name := "seq1.hidden." + string(rune('0'+layer))
		_, rel := distance(h, want[name], m.config.HiddenSize)
		if !(rel <= 1e-4) {
			t.Errorf("%s: difference %.2e of the range", name, rel)
		}
		layers++
	}
	if _, err := s.Eval(t.Context(), ids, 0); err != nil || layers != m.config.NumLayers+1 {
		t.Errorf("%d hidden states, %v", layers, err)
	}
}

// TestGoldenQuantized compares int8 checkpoints with the logits of their dequantized weights.
func TestGoldenQuantized(t *testing.T) {
	limit := meanInt8Divergence(t)
	for _, name := range []string{
		"llama_handmade_g32", "llama_int_channel_w8a16", "llama_int_channel_w8a8", "llama_pack_channel",
		"llama_pack_g32", "llama_pack_g64", "llama_pack_g64_lmhead", "qwen3_pack_g32", "qwen3_pack_g64",
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("quantized", name)
			want, ids := readTensors(t, filepath.Join(testdata, dir, "golden.safetensors"))
			got := func(a quant.Activations) ([]float32, int) {
				m := load(t, dir, Options{Activations: a})
				return eval(t, m, ids["ids"], len(ids["ids"])), m.config.VocabSize
			}
			float, vocab := got(quant.Float)
			checkLogits(t, "float", float, want["logits"], vocab, 1e-8, 1e-4)
			int16, _ := got(quant.Int16)
			checkLogits(t, "int16", int16, want["logits"], vocab, 1e-5, 1e-2)
			int8, _ := got(quant.Int8)
			if kl := meanDivergence(want["logits"], int8, vocab); !(kl <= limit) {
				t.Errorf("int8: mean KL %.2e, at most %.2e", kl, limit)
			}
			for i, logits := range [][]float32{float, int16, int8} {
				kl, rel := distance(logits, want["logits"], vocab)
				t.Logf("%s: largest KL %.2e, difference %.2e of the range", []string{"float", "int16", "int8"}[i], kl, rel)
			}
		})
	}
}

// meanInt8Divergence is twice what int8 activations cost in transformers, with one scale a
// token: groups have finer scales, so ours should cost no more, up to chance.
func meanInt8Divergence(t *testing.T) float64 {
	want, ids := readTensors(t, filepath.Join(testdata, "quantized/llama_int_channel_w8a8/golden.safetensors"))
	return 2 * meanDivergence(want["logits"], want["logits_hf"], len(want["logits"])/len(ids["ids"]))
}

func meanDivergence(p, q []float32, vocab int) (mean float64) {
	for i := 0; i < len(p); i += vocab {
		mean += divergence(p[i:i+vocab], q[i:i+vocab])
	}
	return mean * float64(vocab) / float64(len(p))
}

// TestGoldenBase compares the BF16 models that the int8 checkpoints come from.
func TestGoldenBase(t *testing.T) {
	for _, name := range []string{"llama_base", "qwen3_base"} {
		m := load(t, filepath.Join("quantized", name), Options{})
		want, ids := readTensors(t, filepath.Join(testdata, "quantized", name, "golden.safetensors"))
		checkLogits(t, name, eval(t, m, ids["ids"], len(ids["ids"])), want["logits"], m.config.VocabSize, 1e-8, 1e-4)
	}
}

// TestGoldenLlama2C compares llama2.c bins with run.c's logits (v0) and those of the
// dequantized weights (v2).
func TestGoldenLlama2C(t *testing.T) {
	for _, name := range []string{"llama2c_shared", "llama2c_unshared"} {
		dir := filepath.Join("llama2c", name)
		want, ids := readTensors(t, filepath.Join(testdata, dir, "golden.safetensors"))
		for _, c := range []struct {
			file, logits  string
			activations   quant.Activations
			maxKL, maxRel float64
		}{
			{"model_v0.bin", "logits_v0", quant.Int16, 1e-8, 1e-4},
			{"model_v2.bin", "logits_v2_dequantized", quant.Float, 1e-8, 1e-4},
			{"model_v2.bin", "logits_v2_dequantized", quant.Int16, 1e-5, 1e-2},
		} {
			m := load(t, filepath.Join(dir, c.file), Options{Activations: c.activations})
			checkLogits(t, name+" "+c.file, eval(t, m, ids["ids"], len(ids["ids"])), want[c.logits], m.config.VocabSize, c.maxKL, c.maxRel)
		}
	}
}

// TestGoldenDemo compares the demo model's prompts with what PyTorch made of them.
func TestGoldenDemo(t *testing.T) {
	var g struct {
		Prompts []struct {
			Prompt     string    `json:"prompt"`
			PromptIDs  []int     `json:"prompt_ids"`
			GreedyIDs  []int     `json:"greedy_ids"`
			GreedyText string    `json:"greedy_text"`
			Top5IDs    []int     `json:"top5_ids"`
			Top5Logits []float64 `json:"top5_logits"`
		} `json:"prompts"`
	}
	data, err := os.ReadFile(filepath.Join(testdata, "demo-goldens.json"))
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil || len(g.Prompts) == 0 {
		t.Fatal(err)
	}
	m := load(t, "demo", Options{})
	if testing.Short() { // emulated, or under the race detector
		g.Prompts = g.Prompts[:2]
	}
	for _, p := range g.Prompts {
		ids, err := m.tok.Encode(p.Prompt, true)
		if err != nil || !slices.Equal(ids, p.PromptIDs) {
			t.Errorf("%q: ids %v, %v, want %v", p.Prompt, ids, err, p.PromptIDs)
		}
		s := m.NewSession()
		logits, err := s.Eval(t.Context(), p.PromptIDs, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range p.Top5IDs {
			if math.Abs(float64(logits[id])-p.Top5Logits[i]) > 1e-3 {
				t.Errorf("%q: logit %v of %d, want %v", p.Prompt, logits[id], id, p.Top5Logits[i])
			}
		}
		s.Truncate(0)
		r, err := s.Generate(t.Context(), p.PromptIDs, GenerateOptions{MaxTokens: len(p.GreedyIDs), IgnoreEOS: true}, nil)
		if err != nil || !slices.Equal(r.Tokens, p.GreedyIDs) {
			t.Errorf("%q: greedy %v, %v, want %v", p.Prompt, r.Tokens, err, p.GreedyIDs)
		}
	}
}
