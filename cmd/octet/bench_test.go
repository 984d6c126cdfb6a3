package main

import (
	"encoding/csv"
	"math"
	"slices"
	"strings"
	"testing"
)

var benchKeys = []string{"model", "backend", "activations", "weights", "threads", "test", "depth",
	"tokens_per_second", "stddev", "bytes_per_token", "gb_per_second", "bandwidth_share"}

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
		if r["model"] != "demo" || r["weights"] != "bf16" || r["activations"] != "float" || r["threads"] != 1.0 {
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
	if err != nil || len(rows) != 2 || !slices.Equal(rows[0], benchKeys) {
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

// TestSumParallel checks that the bandwidth test reads every byte, whatever the division.
func TestSumParallel(t *testing.T) {
	buf := make([]uint64, 1003)
	want := uint64(0)
	for i := range buf {
		buf[i] = uint64(i * i)
		want += buf[i]
	}
	for _, threads := range []int{1, 2, 3, 7, 64} {
		if got := sumParallel(buf, threads); got != want {
			t.Errorf("%d threads: %d, want %d", threads, got, want)
		}
	}
	if rate := readBandwidth(2, 1<<16, 2); rate <= 0 {
		t.Errorf("bandwidth %v", rate)
	}
}
