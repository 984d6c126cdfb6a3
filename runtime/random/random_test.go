package random

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"octet/loader"
	"octet/quant"
	"octet/runtime"
	"octet/testdata/demo"
)

// demoConfig writes the demo model's config.json, after replacements, and returns its path.
func demoConfig(t *testing.T, replace ...string) string {
	t.Helper()
	b, err := demo.FS.ReadFile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, []byte(strings.NewReplacer(replace...).Replace(string(b))), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func config(t *testing.T, shape string) loader.Config {
	t.Helper()
	c, err := Config(shape)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestKnownShapes(t *testing.T) {
	for _, test := range []struct {
		shape      string
		parameters int64 // as published
	}{
		{"llama-1b", 1_100_048_384},
		{"llama-3-8b", 8_030_261_248},
	} {
		p, err := NewPlan(config(t, test.shape), Options{Type: loader.BF16})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Bytes(); got != 2*test.parameters {
			t.Errorf("%s: %d bytes, want two for each of %d parameters", test.shape, got, test.parameters)
		}
	}
	if got := strings.Join(Shapes(), " "); got != "llama-1b llama-3-8b" {
		t.Errorf("shapes %s", got)
	}
}

func TestLayersOfAShape(t *testing.T) {
	whole := config(t, "llama-3-8b")
	c := config(t, "llama-3-8b,layers=2")
	if c.NumLayers != 2 || c.HiddenSize != whole.HiddenSize || c.VocabSize != whole.VocabSize {
		t.Errorf("found %d layers of %d, vocabulary %d", c.NumLayers, c.HiddenSize, c.VocabSize)
	}
	path := demoConfig(t, `"hidden_act"`, `"layer_types": ["full_attention", "full_attention", "full_attention",
		"full_attention", "full_attention", "sliding_attention"], "hidden_act"`)
	if c := config(t, path+",layers=3"); len(c.Raw["layer_types"].([]any)) != 3 {
		t.Errorf("layer_types %v", c.Raw["layer_types"])
	}
	if c := config(t, filepath.Dir(path)); c.HiddenSize != 192 {
		t.Errorf("a directory: %d inputs", c.HiddenSize)
	}
}

func TestShapesRefused(t *testing.T) {
	damaged := demoConfig(t, "{", "[")
	for _, test := range []struct {
		shape, want string
		kind        error
	}{
		{"llama-2b", "llama-1b, llama-3-8b or the path of a config.json expected", ErrShape},
		{"llama-1b,layers=0", `a number of layers from 1 expected, found "0"`, ErrShape},
		{"llama-1b,layers=", `a number of layers from 1 expected, found ""`, ErrShape},
		{"llama-1b,layers=23", "at most num_hidden_layers = 22 expected, found 23", ErrShape},
		{damaged, "a JSON object expected", ErrShape},
		{demoConfig(t, "\n}", "\n} {}"), "one JSON object expected, found more after it", ErrShape},
		{demoConfig(t, `"hidden_size": 192`, `"hidden_size": "wide"`), "hidden_size", loader.ErrFormat},
	} {
		_, err := Config(test.shape)
		if !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.shape) {
			t.Errorf("%s: %v, want %q", test.shape, err, test.want)
		}
	}
	other := config(t, demoConfig(t, "LlamaForCausalLM", "MambaForCausalLM", `"llama"`, `"mamba"`))
	if _, err := NewPlan(other, Options{Type: loader.F32}); !errors.Is(err, runtime.ErrUnsupported) {
		t.Errorf("an unknown architecture: %v", err)
	}
	narrow := config(t, demoConfig(t, `"intermediate_size": 512`, `"intermediate_size": 500`))
	if _, err := NewPlan(narrow, Options{Int8: true, Group: 64}); !errors.Is(err, ErrOptions) {
		t.Errorf("a width that no group size divides: %v", err)
	}
}

// TestModels makes models of all kinds and evaluates them: every tensor is there, nothing is
// left over, and logits are finite and differ.
func TestModels(t *testing.T) {
	biased := []string{`"attention_bias": false`, `"attention_bias": true`, `"mlp_bias": false`, `"mlp_bias": true`}
	untied := []string{`"tie_word_embeddings": true`, `"tie_word_embeddings": false`}
	qwen3 := []string{"LlamaForCausalLM", "Qwen3ForCausalLM", `"model_type": "llama"`, `"model_type": "qwen3"`}
	for _, test := range []struct {
		name    string
		replace []string
		o       Options
		group   int
		head    bool // is int8
	}{
		{"int8", nil, Options{Int8: true, Group: 64}, 64, false}, // tied, and small enough to stay float
		{"int8 untied", untied, Options{Int8: true, Group: 128}, 64, true},
		{"int8 float head", untied, Options{Int8: true, Group: 32, FloatHead: true}, 32, false},
		{"bf16 biases", biased, Options{Type: loader.BF16}, 0, false},
		{"f16", untied, Options{Type: loader.F16}, 0, false},
		{"f32 qwen3", qwen3, Options{Type: loader.F32}, 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := NewPlan(config(t, demoConfig(t, test.replace...)), test.o)
			if err != nil {
				t.Fatal(err)
			}
			m := load(t, p)
			if m.GroupSize() != test.group || m.Int8Head() != test.head {
				t.Errorf("groups of %d, int8 head %v", m.GroupSize(), m.Int8Head())
			}
			checkLogits(t, m)
		})
	}
}

// load makes a model and checks that its tensors take what the plan says.
func load(t *testing.T, p *Plan) *runtime.Model {
	t.Helper()
	var done atomic.Int64
	ck, err := p.Make(context.Background(), func(n int64) { done.Store(max(done.Load(), n)) })
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, name := range ck.Names() {
		tensor, err := ck.Tensor(name)
		if err != nil {
			t.Fatal(err)
		}
		sum += int64(len(tensor.Data))
	}
	if sum != p.Bytes() || done.Load() > sum {
		t.Errorf("%d bytes, %d planned, %d reported", sum, p.Bytes(), done.Load())
	}
	m, err := runtime.New(ck, runtime.Options{Threads: 2, FloatHead: !p.int8Head()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// int8Head tells whether the head is int8 as it is made.
func (p *Plan) int8Head() bool {
	return p.blocks[len(p.blocks)-1].tensor.Name == "lm_head.weight_shape"
}

func checkLogits(t *testing.T, m *runtime.Model) {
	t.Helper()
	logits, err := m.NewSession().Eval(context.Background(), []int{1, 2, 3, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[float32]bool{}
	for _, x := range logits {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			t.Fatalf("logit %v", x)
		}
		seen[x] = true
	}
	if len(seen) < len(logits)*9/10 {
		t.Errorf("%d different logits of %d", len(seen), len(logits))
	}
}

// TestDeepModel checks that activations stay finite, and of a size, through many layers.
func TestDeepModel(t *testing.T) {
	c := config(t, demoConfig(t, `"num_hidden_layers": 6`, `"num_hidden_layers": 64`))
	p, err := NewPlan(c, Options{Int8: true, Group: 64})
	if err != nil {
		t.Fatal(err)
	}
	s := load(t, p).NewSession()
	largest := 0.0
	s.OnHidden = func(_, _ int, h []float32) {
		for _, x := range h {
			largest = max(largest, math.Abs(float64(x))) // NaN stays
		}
	}
	if _, err := s.Eval(context.Background(), []int{5, 6, 7}, 0); err != nil {
		t.Fatal(err)
	}
	if !(largest > 0.1 && largest < 1000) {
		t.Errorf("largest activation %v", largest)
	}
}

func TestInt8WeightsAreSymmetric(t *testing.T) {
	for i, b := range (pattern{filling: filling{bytes: true}, dtype: loader.I32}).make() {
		if b == 0 {
			t.Fatalf("byte %d: weight -128", i)
		}
	}
}

func TestFloatPatterns(t *testing.T) {
	for _, test := range []struct {
		dtype   loader.DType
		element quant.Element
	}{{loader.F32, quant.F32}, {loader.BF16, quant.BF16}, {loader.F16, quant.F16}} {
		b := pattern{filling{exponent: -5, signed: true}, test.dtype}.make()
		f := quant.Floats{Element: test.element, Data: b}
		x := make([]float32, f.Len())
		f.Widen(x, 0)
		negative := 0
		for i, v := range x {
			if v < 0 {
				negative++
				v = -v
			}
			if v < 1./32 || v >= 2./32 {
				t.Fatalf("%v: value %d is %v", test.dtype, i, x[i])
			}
		}
		if negative < len(x)*4/10 || negative > len(x)*6/10 {
			t.Errorf("%v: %d of %d are negative", test.dtype, negative, len(x))
		}
	}
}

func TestMakeIsInterrupted(t *testing.T) {
	p, err := NewPlan(config(t, demoConfig(t)), Options{Int8: true, Group: 64})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := p.Make(ctx, func(int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestHugeSizes: what overflows is the largest number of bytes, and nothing is allocated.
func TestHugeSizes(t *testing.T) {
	c := config(t, demoConfig(t, `"hidden_size": 192`, `"hidden_size": 2147483646`, `"vocab_size": 2048`, `"vocab_size": 2147483647`))
	p, err := NewPlan(c, Options{Type: loader.F32})
	if err != nil || p.Bytes() != math.MaxInt64 {
		t.Errorf("%d bytes, %v", p.Bytes(), err)
	}
}
