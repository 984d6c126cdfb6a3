package main

import (
	"encoding/csv"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var benchKeys = []string{"model", "backend", "activations", "weights", "threads", "test", "depth",
	"tokens_per_second", "stddev", "bytes_per_token", "gb_per_second", "bandwidth_share",
	"read_gb_per_second", "memory_bytes", "peak_bytes", "kv", "load_seconds"}

// comparedKeys are those of comparisons: in CSV always there.
var comparedKeys = []string{"side", "ratio", "ratio_stddev"}

func TestBenchJSON(t *testing.T) {
	results := goodJSON[[]map[string]any](t, "", "bench", "-p", "16", "-n", "4", "-r", "1", "-o", "json", "--threads", "1")
	if len(results) != 2 || results[0]["test"] != "pp16" || results[1]["test"] != "tg4" {
		t.Fatalf("tests pp16 and tg4 expected, found %v", results)
	}
	for _, r := range results {
		for _, key := range benchKeys {
			if _, ok := r[key]; !ok {
				t.Errorf("%v: no %q", r["test"], key)
			}
		}
		if r["model"] != "demo" || r["weights"] != "bf16" || r["activations"] != "float" || r["kv"] != "f32" || r["threads"] != 1.0 {
			t.Errorf("found %v", r)
		}
		if r["tokens_per_second"].(float64) <= 0 || r["bandwidth_share"].(float64) <= 0 {
			t.Errorf("positive numbers expected, found %v", r)
		}
	}
}

func TestBenchCSV(t *testing.T) {
	out := good(t, "", "bench", "-p", "0", "-n", "2", "-r", "2", "-o", "csv", "--quantize", "int8", "--activations", "int8", "-d", "3")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 2 || !slices.Equal(rows[0], slices.Concat(benchKeys, comparedKeys)) {
		t.Fatalf("a header and a row expected, found %v, %v", rows, err)
	}
	if row := rows[1]; row[2] != "int8" || row[3] != "int8" || row[5] != "tg2" || row[6] != "3" {
		t.Errorf("found %v", row)
	}
}

// TestBenchFits: tests longer than the context are cut, and that is said.
func TestBenchFits(t *testing.T) {
	got := octet(t, "", "bench", "--context", "8", "-p", "100", "-n", "3", "-d", "2", "-r", "1")
	if got.code != exitGood || !strings.Contains(got.stdout, "pp6") || !strings.Contains(got.stdout, "tg3") {
		t.Errorf("found %+v", got)
	}
	if want := "octet: the context holds 8 tokens: -p 6 instead of 100\n"; got.stderr != want {
		t.Errorf("stderr %q, want %q", got.stderr, want)
	}
}

func TestMeanStddev(t *testing.T) {
	for _, test := range []struct {
		x            []float64
		mean, stddev float64
	}{
		{[]float64{5}, 5, 0},
		{[]float64{1, 3}, 2, math.Sqrt2},
		{[]float64{4, 4, 4, 4}, 4, 0},
	} {
		if mean, stddev := meanStddev(test.x); mean != test.mean || stddev != test.stddev {
			t.Errorf("%v: %v ± %v, want %v ± %v", test.x, mean, stddev, test.mean, test.stddev)
		}
	}
}

// TestReads checks that the bandwidth test reads every byte, or every line of 64 bytes,
// whatever the division.
func TestReads(t *testing.T) {
	buf := make([]uint64, 1003)
	inParallel(buf, 3, 100, func(x []uint64) uint64 {
		for i := range x {
			x[i] = uint64(len(x)-i) * 7
		}
		return 0
	})
	want := uint64(0)
	for _, v := range buf {
		want += v
	}
	for _, threads := range []int{1, 2, 3, 7, 64} {
		for _, piece := range []int{1, 8, 1000, 1003, 5000, part(buf, threads)} {
			if got := inParallel(buf, threads, piece, sum); got != want {
				t.Errorf("%d threads, pieces of %d: %d, want %d", threads, piece, got, want)
			}
		}
	}
	for n := range 100 {
		want := uint64(0)
		for i := 0; i < n; i += 8 {
			want += buf[i]
		}
		if got := sumLines(buf[:n]); got != want {
			t.Errorf("lines of %d values: %d, want %d", n, got, want)
		}
	}
	if rate := readBandwidth(newReadBuffer(2, 1<<16), 2); rate <= 0 {
		t.Errorf("bandwidth %v", rate)
	}
}

// TestReadBufferIsLargerThanCaches: it grows with the threads, but not beyond the processors.
func TestReadBufferIsLargerThanCaches(t *testing.T) {
	if one, two := bandwidthBytes(1, 2), bandwidthBytes(4096, 2); one != two || one > bandwidthBuffer {
		t.Errorf("%d bytes for a thread, %d for thousands on two processors", one, two)
	}
	if few, all := bandwidthBytes(4, 16), bandwidthBytes(0, 16); few > all {
		t.Errorf("%d bytes for 4 threads, %d for all", few, all)
	}
}

// TestBenchDepths: each test at each depth, cut ones once.
func TestBenchDepths(t *testing.T) {
	got := octet(t, "", "bench", "-p", "8", "-n", "2", "-r", "1", "-d", "0,5,30,40", "--context", "12", "-o", "csv", "--threads", "2")
	rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
	if err != nil || got.code != exitGood {
		t.Fatalf("found %+v, %v", got, err)
	}
	var found []string
	for _, row := range rows[1:] {
		found = append(found, row[5]+" at "+row[6])
	}
	want := []string{"pp8 at 0", "tg2 at 0", "pp7 at 5", "tg2 at 5", "pp1 at 11", "tg1 at 11"}
	if !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	for _, note := range []string{"-p 7 instead of 8 at depth 5\n", "-d 11 instead of 30\n", "-p 1 instead of 8 at depth 11\n"} {
		if !strings.Contains(got.stderr, "octet: the context holds 12 tokens: "+note) {
			t.Errorf("no %q in %s", note, got.stderr)
		}
	}
}

// TestBytesPerToken: a generated token reads the weights and the keys and values up to itself.
func TestBytesPerToken(t *testing.T) {
	const heads = 2 * 6 * 2 // keys and values of 6 layers, 2 heads of 32
	checkBytesPerToken(t, heads*32*4)
	checkBytesPerToken(t, heads*32*2, "--quantize", "int8")
	checkBytesPerToken(t, heads*(32+4), "--kv", "int8")
}

func checkBytesPerToken(t *testing.T, position int64, flags ...string) {
	results := goodJSON[[]benchResult](t, "", append([]string{"bench", "-p", "4", "-n", "3", "-r", "1", "-d", "0,10", "--json"}, flags...)...)
	weights := 4 * results[0].BytesPerToken
	for i, want := range []int64{weights / 4, weights + 2*position, weights / 4, weights + 12*position} {
		// The prompt's share is rounded down.
		if got := results[i].BytesPerToken; got < want || got >= want+4 {
			t.Errorf("%s at %d: %d bytes a token, want %d", results[i].Test, results[i].Depth, got, want)
		}
	}
	if got, want := results[3].MemoryBytes-results[1].MemoryBytes, 10*position; got != want {
		t.Errorf("10 positions take %d bytes, want %d", got, want)
	}
}

func TestBenchTable(t *testing.T) {
	out := good(t, "", "bench", "-p", "4", "-n", "0", "-r", "2", "--threads", "1")
	for _, want := range []string{"tokens/s", "pp4", " ± ", " %\n", "\nmodel: demo\nbf16 weights, float activations, f32 cache; ", ", threads: 1\n",
		"\nmemory: weights and cache ", "\nfirst token after ", "GB/s\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestBenchTableWidth: a terminal of 80 columns holds the lines, those of large models too.
func TestBenchTableWidth(t *testing.T) {
	a := benchResult{Model: "a", Backend: "generic", Weights: "int8", Activations: "float", KV: "int8", Threads: 128, Test: "pp512",
		Depth: 32768, TokensPerSecond: 1234.5, Stddev: 123.4, BytesPerToken: 123e9, GBPerSecond: 123.45, BandwidthShare: 1.234,
		MemoryBytes: 123e9, PeakBytes: 123e9, LoadSeconds: 1234, ReadGBPerSecond: 1234.5, Side: "A"}
	b := a
	stddev := 1.234
	b.Side, b.Ratio, b.RatioStddev = "B", 12.345, &stddev
	var out strings.Builder
	if err := printBench(&out, "table", []benchResult{a, b}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(line) - 1; n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestBenchUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-d", "-1"}, "no negative numbers"},
		{[]string{"-p", "999999999999"}, "at most 67108864 expected, found 999999999999"},
		{[]string{"--weights", "f32"}, "--weights: only with --random"},
		{[]string{"--random", "llama-1b", "--quantize", "int8"}, "--quantize: not with --random"},
		{[]string{"--random", "llama-1b", "--weights", "f32", "--group-size", "32"}, "--group-size: only with --weights int8"},
		{[]string{"--random", "llama-1b", "--group-size", "48"}, "--group-size: 32, 64 or 128 expected, found 48"},
		{[]string{"--random", "llama-1b", "-m", "x"}, "[model random]"},
		{[]string{"--compare", "avx2"}, `NAME=VALUE expected, where NAME is cpu, model, random,`},
		{[]string{"--compare", "output=csv"}, `found "output=csv"`},
		{[]string{"--compare", "cpu="}, `found "cpu="`},
		{[]string{"--compare", "cpu=avx2", "--compare", "cpu=generic"}, "each NAME once expected, found cpu=avx2 and cpu=generic"},
	} {
		got := octet(t, "", append([]string{"bench"}, test.args...)...)
		if got.code != exitUsage || !strings.Contains(got.stderr, test.want) {
			t.Errorf("%q: code %d, %s", test.args, got.code, got.stderr)
		}
	}
}
