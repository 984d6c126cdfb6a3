package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// few keeps the runs short.
var few = []string{"--tokens", "120", "--window", "64"}

func TestValidate(t *testing.T) {
	int8Dir := filepath.Join("..", "..", "testdata", "quantized", "llama_pack_g64")
	file := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(file, []byte("Once upon a time, there was a little fox. He lived in a cave."), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		stdin  string
		args   []string
		code   int
		stdout []string // parts
		stderr string   // part
	}{
		{"demo", "", few, exitGood, []string{
			"reference  demo: bf16 weights\n",
			"candidate  demo: int8 weights, groups of 64, int16 activations, head as stored\n",
			"built-in stories: 120 tokens in windows of 64",
			"KL divergence", "perplexity", "same top token", "furthest apart",
		}, "120 tokens through both models"},
		{"options", "", append([]string{"--group-size", "32", "--activations", "int8", "--head", "float", "--threads", "2"}, few...), exitGood,
			[]string{"groups of 32, int8 activations, head as stored", "2 threads"}, ""},
		{"kept", "", append([]string{"--max-kl", "0.0025", "--min-top1", "0.96", "--max-ppl-ratio", "1.05"}, few...), exitGood,
			[]string{"kl.mean", "at most 0.0025", "kept"}, ""},
		{"missed", "", append([]string{"--max-kl", "1e-9", "--max-ppl-ratio", "2"}, few...), exitThreshold,
			[]string{"MISSED", "kept"}, "octet: validate: kl.mean: at most 1e-09 expected, found"},
		{"missed, JSON", "", append([]string{"--max-kl", "0", "--json"}, few...), exitThreshold, []string{`"good": false`}, "kl.mean"},
		{"file", "", []string{"--text", file}, exitGood, []string{file + ": "}, ""},
		{"stdin", "Once upon a time", []string{"--text", "-"}, exitGood, []string{"stdin: "}, ""},
		{"empty text", "", []string{"--text", "-"}, exitFailed, nil, "at least 2 tokens expected, found 0"},
		{"no such text", "", []string{"--text", "no/such"}, exitFailed, nil, "no/such"},
		{"no such model", "", []string{"-m", "no/such"}, exitFailed, nil, "no/such"},
		{"no such candidate", "", []string{"--against", "no/such"}, exitFailed, nil, "no/such"},
		{"other vocabulary", "", []string{"--against", int8Dir, "--tokens", "20"}, exitFailed, nil, "vocabulary"},
		{"no tokenizer", "", []string{"-m", int8Dir}, exitFailed, nil, "tokenizer"},
		{"percent", "", []string{"--min-top1", "96"}, exitUsage, nil, "--min-top1: a number from 0 to 1 expected, found 96"},
		{"NaN", "", []string{"--max-kl", "NaN"}, exitUsage, nil, "--max-kl"},
		{"group size", "", []string{"--group-size", "48"}, exitUsage, nil, "--group-size: 32, 64 or 128"},
		{"group size of a candidate", "", []string{"--against", int8Dir, "--group-size", "32"}, exitUsage, nil, "--group-size: only where"},
		{"window", "", []string{"--window", "513"}, exitFailed, nil, "window of 513 tokens"},
		{"negative window", "", []string{"--window", "-1"}, exitUsage, nil, "--window"},
		{"threads", "", []string{"--threads", "-1"}, exitUsage, nil, "--threads"},
		{"argument", "", []string{"x"}, exitUsage, nil, "x"},
	} {
		o := octet(t, c.stdin, append([]string{"validate"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.stderr, c.stderr) {
			t.Errorf("%s: exit code %d, stderr %q; want %d, …%q…", c.name, o.code, o.stderr, c.code, c.stderr)
		}
		for _, part := range c.stdout {
			if !strings.Contains(o.stdout, part) {
				t.Errorf("%s: no %q in\n%s", c.name, part, o.stdout)
			}
		}
	}
}

// TestValidateInt8 measures an int8 model without its float original: against itself with
// float activations.
func TestValidateInt8(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "int8")
	good(t, "", "convert", "../../testdata/demo", dir)
	for _, c := range []struct {
		name                string
		args                []string
		reference, weights  string
		candidateActivation string
		maxKL               float64
	}{
		{"float against int8", []string{"--against", dir}, "demo", "bf16", "int16", 0.0025},
		{"int8 alone", []string{"-m", dir, "--head", "float", "--text", "../../testdata/demo-heldout.txt"}, dir, "int8", "int16", 1e-5},
		{"int8, float activations", []string{"-m", dir, "--activations", "float"}, dir, "int8", "float", 0},
	} {
		v := goodJSON[struct {
			Reference, Candidate struct {
				Model, Weights, Activations, KV string
			}
			Tokens int
			KL     struct{ Mean, Max, P999, P99, P95, P90, P50 *float64 }
			Top1   *float64
			PPL    struct{ Reference, Candidate, Ratio *float64 }
		}](t, "", append([]string{"validate", "--json"}, append(c.args, few...)...)...)
		if v.Reference.Model != c.reference || v.Reference.Weights != c.weights || v.Reference.Activations != "float" ||
			v.Candidate.Weights != "int8" || v.Candidate.Activations != c.candidateActivation {
			t.Errorf("%s: %+v", c.name, v)
		}
		if kv := map[string]string{"int16": "f16", "float": "f32"}[c.candidateActivation]; v.Reference.KV != "f32" || v.Candidate.KV != kv {
			t.Errorf("%s: caches %s and %s, want f32 and %s", c.name, v.Reference.KV, v.Candidate.KV, kv)
		}
		if v.KL.Max == nil || v.KL.P999 == nil || v.PPL.Ratio == nil || v.Top1 == nil || v.Tokens != 120 {
			t.Fatalf("%s: keys are missing: %+v", c.name, v)
		}
		if *v.KL.Mean > c.maxKL || *v.Top1 < 0.96 {
			t.Errorf("%s: KL %v, same top token %v", c.name, *v.KL.Mean, *v.Top1)
		}
	}
}
