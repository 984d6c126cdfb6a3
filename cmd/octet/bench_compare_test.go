package main

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// compareBench runs a short comparison whose sides are processes of this test binary.
func compareBench(t *testing.T, args ...string) outcome {
	t.Helper()
	t.Setenv(asProgram, "1")
	return octet(t, "", append([]string{"bench", "-p", "4", "-n", "2", "-r", "3", "--threads", "1"}, args...)...)
}

func TestCompareBackends(t *testing.T) {
	t.Setenv(asProgram, "1")
	results := goodJSON[[]benchResult](t, "", "bench", "-p", "4", "-n", "2", "-r", "3", "--quantize", "int8",
		"--compare", "cpu=generic", "--compare", "threads=2", "--json")
	if len(results) != 4 {
		t.Fatalf("%d results, want 2 tests of 2 sides", len(results))
	}
	for i, r := range results {
		a, b := i%2 == 0, i%2 == 1
		if r.Side != string("AB"[i%2]) || r.Test != []string{"pp4", "tg2"}[i/2] || r.TokensPerSecond <= 0 || r.ReadGBPerSecond <= 0 {
			t.Errorf("result %d: %+v", i, r)
		}
		if a && (r.Ratio != 0 || r.RatioStddev != nil) || b && (r.Ratio <= 0 || r.RatioStddev == nil || r.Backend != "generic" || r.Threads != 2) {
			t.Errorf("result %d: %+v", i, r)
		}
	}
}

func TestCompareModels(t *testing.T) {
	shape := demoShape(t)
	got := compareBench(t, "--compare", "random="+shape, "-o", "csv", "-d", "0,3")
	rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
	if err != nil || got.code != exitGood || len(rows) != 1+8 {
		t.Fatalf("found %+v, %v", got, err)
	}
	for i, row := range rows[1:] {
		want := []string{"demo", "random " + shape}[i%2]
		if row[0] != want || row[17] != string("AB"[i%2]) || (row[18] == "") != (i%2 == 0) {
			t.Errorf("row %d: %q", i, row)
		}
	}
	got = compareBench(t, "--compare", "activations=int8", "--quantize", "int8")
	if got.code != exitGood || !strings.Contains(got.stdout, "B to A") || strings.Count(got.stdout, " ± ") != 4+2 ||
		!strings.Contains(got.stdout, "\nA memory: ") || !strings.Contains(got.stdout, "\nB memory: ") {
		t.Errorf("found %+v", got)
	}
}

func TestCompareFails(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"a wrong value", []string{"--compare", "threads=-3"}, exitUsage, "side B: --threads: 1 to 4096 expected, found -3"},
		{"no such instruction set", []string{"--compare", "cpu=abacus"}, exitFailed, `side B: OCTET_CPU: quant: backend "abacus"`},
		{"no such model", []string{"--compare", "model=/nowhere"}, exitFailed, "side B: loader: /nowhere: no such file"},
		{"side A", []string{"-m", "/nowhere", "--compare", "threads=1"}, exitFailed, "side A: loader: /nowhere: no such file"},
		{"a shorter context", []string{"-p", "20", "--compare", "random=" + demoShape(t, `"max_position_embeddings": 512`, `"max_position_embeddings": 16`)},
			exitFailed, "the same tests on both sides expected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := compareBench(t, test.args...)
			if got.code != test.code || !strings.Contains(got.stderr, test.want) || got.stdout != "" {
				t.Errorf("found %+v, want %q", got, test.want)
			}
		})
	}
}

// TestRatioKeys: one repetition has a deviation of 0, and scripts find it.
func TestRatioKeys(t *testing.T) {
	t.Setenv(asProgram, "1")
	results := goodJSON[[]map[string]any](t, "", "bench", "-p", "0", "-n", "2", "-r", "1", "--compare", "threads=1", "--json")
	if stddev, found := results[1]["ratio_stddev"]; !found || stddev != 0.0 {
		t.Errorf("found %v", results[1])
	}
}

func TestSideFlags(t *testing.T) {
	model := []string{"-m", "one", "-d", "0,5", "--threads", "2", "--json", "--compare", "x"}
	shape := []string{"--random", "llama-1b", "--group-size", "32"}
	for _, test := range []struct {
		given   []string
		changes map[string]string
		want    string
	}{
		{model, nil, "--depth=0,5 --model=one --threads=2"},
		{model, map[string]string{"cpu": "avx2"}, "--depth=0,5 --model=one --threads=2"},
		{model, map[string]string{"threads": "1", "model": "two"}, "--depth=0,5 --model=two --threads=1"},
		{model, map[string]string{"random": "llama-1b"}, "--depth=0,5 --random=llama-1b --threads=2"},
		{shape, map[string]string{"weights": "bf16"}, "--random=llama-1b --weights=bf16"},
		{shape, map[string]string{"weights": "int8"}, "--random=llama-1b --weights=int8 --group-size=32"},
		{shape, map[string]string{"model": "two"}, "--model=two"},
		{shape, map[string]string{"model": "two", "quantize": "int8"}, "--model=two --quantize=int8 --group-size=32"},
	} {
		c := newBenchCommand()
		if err := c.ParseFlags(test.given); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(sideFlags(c, test.changes), " "); got != "bench --in-turns "+test.want {
			t.Errorf("%v: %s, want %s", test.changes, got, test.want)
		}
	}
}

// TestSideFlagsAreComplete: every flag of the command reaches the sides, or concerns the whole.
func TestSideFlagsAreComplete(t *testing.T) {
	c := newBenchCommand()
	var want []string
	for _, flag := range regexp.MustCompile(`(?m)^ +(?:-\w, |    )--([\w-]+)`).FindAllStringSubmatch(c.Flags().FlagUsages(), -1) {
		want = append(want, flag[1])
	}
	got := slices.Concat(shared, compared, []string{"compare", "json", "output", "repetitions"})
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("known to comparisons: %q, of the command: %q", got, want)
	}
}

func TestRatio(t *testing.T) {
	median, stddev := ratio([]float64{2, 4, 30}, []float64{1, 2, 3})
	if median != 2 {
		t.Errorf("ratio of medians %v, want 2", median)
	}
	if _, want := meanStddev([]float64{2, 2, 10}); stddev != want {
		t.Errorf("deviation %v, want %v", stddev, want)
	}
	if got := medianOf([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("median %v, want 2.5", got)
	}
}
