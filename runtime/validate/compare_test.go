package validate

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"octet/loader"
	"octet/quant"
	"octet/runtime"
)

const testdata = "../../testdata/"

func load(t *testing.T, path string, o runtime.Options) *runtime.Model {
	t.Helper()
	m, err := runtime.Load(testdata+path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// encode returns the tokens of text with nothing added.
func encode(t *testing.T, m *runtime.Model, text string) []int {
	t.Helper()
	ids, err := m.Tokenizer().Encode(text, false)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// sequence returns n ids of a vocabulary, the same ones each time.
func sequence(n, vocab int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = (i*i*31 + i*7 + 3) % vocab
	}
	return ids
}

func compare(t *testing.T, reference, candidate *runtime.Model, ids []int, o Options) *Report {
	t.Helper()
	r, err := Compare(t.Context(), reference, candidate, ids, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPerplexityOfTheDemoModel is that of PyTorch: demo-goldens.json says how it was measured.
// The candidate is the same model in int8, whose figures must be sensible.
func TestPerplexityOfTheDemoModel(t *testing.T) {
	if testing.Short() {
		t.Skip("short tests leave 10,008 tokens out")
	}
	var g struct {
		HeldOut struct {
			Tokens     int     `json:"tokens"`
			Window     int     `json:"window"`
			Scored     int     `json:"tokens_scored"`
			Perplexity float64 `json:"perplexity"`
		} `json:"heldout"`
	}
	data, err := os.ReadFile(testdata + "demo-goldens.json")
	if err == nil {
		err = json.Unmarshal(data, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(testdata + "demo-heldout.txt")
	if err != nil {
		t.Fatal(err)
	}
	float := load(t, "demo", runtime.Options{})
	int8Model := load(t, "demo", runtime.Options{Quantize: 64})
	r := compare(t, float, int8Model, encode(t, float, string(text)), Options{Window: g.HeldOut.Window})
	if r.Tokens != g.HeldOut.Tokens || r.Scored != g.HeldOut.Scored {
		t.Errorf("%d tokens, %d scored, want %d, %d", r.Tokens, r.Scored, g.HeldOut.Tokens, g.HeldOut.Scored)
	}
	if !near(r.PPL.Reference, g.HeldOut.Perplexity, 1e-4) {
		t.Errorf("perplexity %v, want %v", r.PPL.Reference, g.HeldOut.Perplexity)
	}
	checkSensible(t, r, Thresholds{new(0.0025), new(0.96), new(1.005)})
	t.Logf("%+v", *r)
}

// checkSensible checks what holds for every report of int8 against float.
func checkSensible(t *testing.T, r *Report, limits Thresholds) {
	t.Helper()
	if err := Missed(limits.Check(r)); err != nil {
		t.Error(err)
	}
	k := r.KL
	order := []float64{0, k.P50, k.P90, k.P95, k.P99, k.P999, k.Max, math.MaxFloat64}
	for i := range order[1:] {
		if !(order[i] <= order[i+1]) {
			t.Errorf("percentiles not in order: %+v", k)
		}
	}
	if !(k.Mean > 0 && k.Mean < k.Max && r.Top1 <= 1) {
		t.Errorf("%+v", r)
	}
}

// TestSameModel: a model is at no distance from itself, exactly.
func TestSameModel(t *testing.T) {
	for _, c := range []struct {
		path string
		o    runtime.Options
	}{
		{"models/llama", runtime.Options{}},
		{"models/llama_dynamic", runtime.Options{}},
		{"quantized/llama_pack_g64", runtime.Options{Activations: quant.Int8}},
	} {
		a, b := load(t, c.path, c.o), load(t, c.path, c.o)
		for _, candidate := range []*runtime.Model{a, b} {
			r := compare(t, a, candidate, sequence(200, a.Config().VocabSize), Options{Window: 90})
			if r.KL != (KL{}) || r.Top1 != 1 || r.PPL.Ratio != 1 || r.PPL.Reference != r.PPL.Candidate || r.PPL.Reference <= 1 {
				t.Errorf("%s: %+v", c.path, r)
			}
		}
	}
}

// simpleReport computes a report from the definitions, window by window.
func simpleReport(t *testing.T, reference, candidate *runtime.Model, ids []int, o Options) (kl []float64, same int, losses [2]float64, scored int) {
	t.Helper()
	size, vocab := o.Window-len(o.Prefix), reference.Config().VocabSize
	for from := 0; from < len(ids); from += size {
		part := ids[from:min(from+size, len(ids))]
		logits := [2][]float32{}
		for i, m := range []*runtime.Model{reference, candidate} {
			all, err := m.NewSession().Eval(t.Context(), append(o.Prefix[:len(o.Prefix):len(o.Prefix)], part...), len(part))
			if err != nil {
				t.Fatal(err)
			}
			logits[i] = all
		}
		for i := range part {
			x, y := logits[0][i*vocab:][:vocab], logits[1][i*vocab:][:vocab]
			kl = append(kl, simpleKL(x, y))
			if argmax(x) == argmax(y) {
				same++
			}
			if i+1 < len(part) {
				scored++
				losses[0] -= math.Log(simpleSoftmax(x)[part[i+1]])
				losses[1] -= math.Log(simpleSoftmax(y)[part[i+1]])
			}
		}
	}
	return kl, same, losses, scored
}

func argmax(x []float32) (top int) {
	for i := range x {
		if x[i] > x[top] {
			top = i
		}
	}
	return top
}

func TestCompareIsTheDefinition(t *testing.T) {
	float := load(t, "models/llama", runtime.Options{})
	int8Model := load(t, "models/llama", runtime.Options{Quantize: 32, Activations: quant.Int8})
	vocab := float.Config().VocabSize
	for _, c := range []struct {
		name string
		n    int
		o    Options
	}{
		{"one window", 50, Options{Window: 64}},
		{"several", 150, Options{Window: 40}},
		{"longer than a piece", 180, Options{Window: piece + 9}},
		{"last window of one", 81, Options{Window: 40}},
		{"prefix", 100, Options{Window: 40, Prefix: []int{1, 2}}},
		{"shortest", 7, Options{Window: 2}},
	} {
		ids := sequence(c.n, vocab)
		r := compare(t, float, int8Model, ids, c.o)
		kl, same, losses, scored := simpleReport(t, float, int8Model, ids, c.o)
		if r.Tokens != c.n || r.Scored != scored || r.Window != c.o.Window || r.Top1 != float64(same)/float64(c.n) {
			t.Errorf("%s: %+v, want %d same of %d, %d scored", c.name, r, same, c.n, scored)
		}
		want := newKL(kl)
		for _, x := range [][2]float64{{r.KL.Mean, want.Mean}, {r.KL.Max, want.Max}, {r.KL.P999, want.P999},
			{r.KL.P99, want.P99}, {r.KL.P95, want.P95}, {r.KL.P90, want.P90}, {r.KL.P50, want.P50},
			{r.PPL.Reference, math.Exp(losses[0] / float64(scored))}, {r.PPL.Candidate, math.Exp(losses[1] / float64(scored))},
			{r.PPL.Ratio, math.Exp((losses[1] - losses[0]) / float64(scored))}} {
			if !near(x[0], x[1], 1e-9) {
				t.Errorf("%s: %v, want %v", c.name, x[0], x[1])
			}
		}
	}
}

// TestThreadsChangeNothing, in either model.
func TestThreadsChangeNothing(t *testing.T) {
	var want *Report
	for _, threads := range []int{1, 2, 5} {
		float := load(t, "demo", runtime.Options{Threads: threads})
		int8Model := load(t, "demo", runtime.Options{Threads: threads, Quantize: 64, Activations: quant.Int8})
		r := compare(t, float, int8Model, encode(t, float, Stories())[:150], Options{Window: 100, Worst: 5})
		if want == nil {
			want = r
			checkSensible(t, r, Thresholds{new(0.01), new(0.9), new(1.02)})
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%d threads: %s", threads, diff)
		}
	}
}

func TestWorst(t *testing.T) {
	float := load(t, "demo", runtime.Options{})
	int8Model := load(t, "demo", runtime.Options{Quantize: 64})
	ids := encode(t, float, "Once upon a time, there was a little fox named Oscar. He lived in a small house.")
	r := compare(t, float, int8Model, ids, Options{Worst: 3})
	if len(r.Worst) != 3 || r.Worst[0].KL != r.KL.Max {
		t.Fatalf("%+v", r.Worst)
	}
	for _, p := range r.Worst {
		text, err := float.Tokenizer().Decode(ids[:p.Index+1], false)
		if err != nil || !strings.HasSuffix(text, p.Context) || p.Context == "" || p.Reference.Text == "" || p.Candidate.P <= 0 {
			t.Errorf("%+v in %q, %v", p, text, err)
		}
	}
	for _, p := range compare(t, float, int8Model, ids, Options{Window: 5, Worst: len(ids)}).Worst {
		if want, _ := float.Tokenizer().Decode(ids[p.Index/5*5:p.Index+1], false); p.Context != want {
			t.Errorf("window of 5, position %d: context %q, want %q", p.Index, p.Context, want)
		}
	}
	if r := compare(t, float, int8Model, ids, Options{}); len(r.Worst) != 0 || r.Worst == nil {
		t.Errorf("worst %v, want an empty list", r.Worst)
	}
}

func TestProgress(t *testing.T) {
	m := load(t, "models/llama", runtime.Options{})
	var steps []int
	compare(t, m, m, sequence(170, m.Config().VocabSize), Options{Window: 100, Progress: func(done, total int) {
		if total != 170 {
			t.Errorf("total %d", total)
		}
		steps = append(steps, done)
	}})
	if diff := cmp.Diff([]int{64, 100, 164, 170}, steps); diff != "" {
		t.Error(diff)
	}
}

func TestRefused(t *testing.T) {
	m, other := load(t, "models/llama", runtime.Options{}), load(t, "demo", runtime.Options{})
	short := load(t, "models/llama", runtime.Options{Context: 32})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	ids := sequence(50, m.Config().VocabSize)
	for _, c := range []struct {
		name      string
		ctx       context.Context
		candidate *runtime.Model
		ids       []int
		o         Options
		is        error
		text      string
	}{
		{"vocabularies", t.Context(), other, ids, Options{}, ErrMismatch, "vocabulary of"},
		{"no tokens", t.Context(), m, nil, Options{}, nil, "at least 2 tokens expected, found 0"},
		{"one token", t.Context(), m, ids[:1], Options{}, nil, "at least 2 tokens expected, found 1"},
		{"window of one", t.Context(), m, ids, Options{Window: 1}, nil, "window: at least 2 tokens"},
		{"negative window", t.Context(), m, ids, Options{Window: -5}, nil, "window: at least 2 tokens"},
		{"prefix as long as the window", t.Context(), m, ids, Options{Window: 3, Prefix: []int{1, 2}}, nil, "window: at least 4"},
		{"window beyond the context", t.Context(), short, ids, Options{Window: 33}, runtime.ErrContext, "window of 33"},
		{"negative id", t.Context(), m, []int{1, 2, -1}, Options{}, runtime.ErrToken, "id -1 at 2"},
		{"large id", t.Context(), m, []int{1, 1 << 40}, Options{}, runtime.ErrToken, "at 1"},
		{"id in the prefix", t.Context(), m, ids, Options{Prefix: []int{1 << 20}}, runtime.ErrToken, "at 0"},
		{"cancelled", cancelled, m, ids, Options{}, context.Canceled, "reference"},
	} {
		r, err := Compare(c.ctx, m, c.candidate, c.ids, c.o)
		if r != nil || err == nil || !strings.Contains(err.Error(), c.text) || (c.is != nil && !errors.Is(err, c.is)) {
			t.Errorf("%s: %v, %v", c.name, r, err)
		}
	}
	if r := compare(t, m, short, ids, Options{}); r.Window != 32 {
		t.Errorf("default window %d, want the shorter context, 32", r.Window)
	}
}

// TestNaNNamesThePosition: a damaged model gives no report.
func TestNaNNamesThePosition(t *testing.T) {
	c := &comparison{vocab: 4, threads: 2, ids: sequence(20, 4), distances: make([]distance, 20)}
	good := make([]float32, 5*4)
	bad := make([]float32, 5*4)
	bad[3*4+2], bad[4*4+1] = float32(math.NaN()), float32(math.Inf(1))
	err := c.measure(good, bad, 10, 15, 20)
	if err == nil || err.Error() != "validate: position 13: candidate: logit of token 2: a finite number expected, found NaN" {
		t.Error(err)
	}
}

func TestPrefix(t *testing.T) {
	if ids, err := Prefix(load(t, "demo", runtime.Options{}).Tokenizer()); err != nil || len(ids) != 0 {
		t.Errorf("demo: %v, %v, want none", ids, err)
	}
	// The tokenizer beside the bin puts BOS, id 1, before a text.
	m := load(t, "llama2c/llama2c_shared/model_v0.bin", runtime.Options{})
	if m.Checkpoint().Format != loader.Llama2C {
		t.Fatal("not a llama2.c model")
	}
	if ids, err := Prefix(m.Tokenizer()); err != nil || len(ids) != 1 || ids[0] != 1 {
		t.Errorf("llama2.c: %v, %v, want [1]", ids, err)
	}
}
