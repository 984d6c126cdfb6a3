package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"octet/testdata/demo"
)

// demoShape writes the demo model's config.json, with replacements, and returns its path.
func demoShape(t *testing.T, replace ...string) string {
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

func TestBenchRandom(t *testing.T) {
	for _, test := range []struct {
		args                     []string
		weights, activations, kv string
	}{
		{nil, "int8", "int16", "f16"},
		{[]string{"--activations", "int8", "--group-size", "32"}, "int8", "int8", "f16"},
		{[]string{"--activations", "float"}, "int8", "float", "f32"},
		{[]string{"--weights", "bf16"}, "bf16", "float", "f32"},
		{[]string{"--weights", "f16"}, "f16", "float", "f32"},
		{[]string{"--kv", "int8"}, "int8", "int16", "int8"},
		{[]string{"--weights", "f32"}, "f32", "float", "f32"},
	} {
		shape := demoShape(t) + ",layers=2"
		args := append([]string{"bench", "--random", shape, "-p", "5", "-n", "3", "-r", "2", "--json"}, test.args...)
		results := goodJSON[[]benchResult](t, "", args...)
		if len(results) != 2 {
			t.Fatalf("%q: %d results", test.args, len(results))
		}
		for _, r := range results {
			if r.Model != "random "+shape || r.Weights != test.weights || r.Activations != test.activations || r.KV != test.kv ||
				r.TokensPerSecond <= 0 || r.MemoryBytes <= 0 || r.LoadSeconds <= 0 {
				t.Errorf("%q: found %+v", test.args, r)
			}
		}
	}
}

// TestBenchRandomMemory: what memory cannot hold is refused with the figures, before any of it
// is taken.
func TestBenchRandomMemory(t *testing.T) {
	shape := demoShape(t, `"hidden_size": 192`, `"hidden_size": 33554432`)
	got := octet(t, "", "bench", "--random", shape, "--weights", "f32")
	if got.code == exitGood {
		t.Fatalf("found %+v", got)
	}
	for _, want := range []string{"--random " + shape, "f32 weights, cache and the tests need 2.1 TB (1.9 TB + ", "are available"} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("no %q in %s", want, got.stderr)
		}
	}
}

// TestBenchRandomRefused: what is wrong with a shape is told with its name.
func TestBenchRandomRefused(t *testing.T) {
	shape := demoShape(t, "LlamaForCausalLM", "MambaForCausalLM", `"llama"`, `"mamba"`)
	got := octet(t, "", "bench", "--random", shape)
	if want := "--random " + shape + `: runtime: unsupported: architectures: "MambaForCausalLM"`; got.code != exitFailed || !strings.Contains(got.stderr, want) {
		t.Errorf("found %+v, want %q", got, want)
	}
}

func TestAddBytes(t *testing.T) {
	if got := addBytes(1, 2, 3); got != 6 {
		t.Errorf("sum %d", got)
	}
	if got := addBytes(math.MaxInt64, 1, math.MaxInt64, 5); got != math.MaxInt64 {
		t.Errorf("overflow: %d", got)
	}
}

// TestBenchRandomContext: the tests are cut to the shape's context, unless --context says more.
func TestBenchRandomContext(t *testing.T) {
	shape := demoShape(t, `"max_position_embeddings": 512`, `"max_position_embeddings": 16`)
	got := octet(t, "", "bench", "--random", shape, "-p", "20", "-n", "0", "-r", "1")
	if want := "octet: the context holds 16 tokens: -p 16 instead of 20\n"; got.stderr != want || !strings.Contains(got.stdout, "pp16") {
		t.Errorf("found %+v", got)
	}
	got = octet(t, "", "bench", "--random", shape, "-p", "20", "-n", "0", "-r", "1", "--context", "32")
	if got.stderr != "" || !strings.Contains(got.stdout, "pp20") {
		t.Errorf("found %+v", got)
	}
}
