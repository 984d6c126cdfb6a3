package validate

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPercentiles(t *testing.T) {
	thousand := make([]float64, 1000)
	for i := range thousand {
		thousand[i] = float64(i + 1)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(1000, func(i, j int) { thousand[i], thousand[j] = thousand[j], thousand[i] })
	for _, c := range []struct {
		name string
		kl   []float64
		want KL
	}{
		{"1 to 1000", thousand, KL{Mean: 500.5, Max: 1000, P999: 999, P99: 990, P95: 950, P90: 900, P50: 500}},
		{"one", []float64{7}, KL{7, 7, 7, 7, 7, 7, 7}},
		{"two", []float64{4, 2}, KL{Mean: 3, Max: 4, P999: 4, P99: 4, P95: 4, P90: 4, P50: 2}},
		{"eleven", []float64{10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, KL{Mean: 5, Max: 10, P999: 10, P99: 10, P95: 10, P90: 9, P50: 5}},
	} {
		if diff := cmp.Diff(c.want, newKL(slices.Clone(c.kl))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestNewReport(t *testing.T) {
	ln2 := math.Ln2
	distances := []distance{
		{kl: 0.25, reference: prediction{top: 1, loss: ln2}, candidate: prediction{top: 1, loss: 2 * ln2}},
		{kl: 0.50, reference: prediction{top: 2, loss: 3 * ln2}, candidate: prediction{top: 3, loss: 4 * ln2}},
		{kl: 0.75, reference: prediction{top: 4, loss: 2 * ln2}, candidate: prediction{top: 4, loss: 3 * ln2}},
		{kl: 0.50, reference: prediction{top: 5}, candidate: prediction{top: 5}},
	}
	r, err := newReport(distances, 4, 3)
	if err != nil {
		t.Fatal(err)
	}
	if r.Tokens != 4 || r.Scored != 3 || r.Window != 4 || r.Top1 != 0.75 || r.KL.Mean != 0.5 {
		t.Errorf("%+v", r)
	}
	if p := r.PPL; !near(p.Reference, 4, 1e-12) || !near(p.Candidate, 8, 1e-12) || !near(p.Ratio, 2, 1e-12) {
		t.Errorf("perplexity %+v, want 4, 8, 2", p)
	}
	if got := worst(distances, 3); !slices.Equal(got, []int{2, 1, 3}) {
		t.Errorf("worst: %v", got)
	}
	if got := worst(distances, 9); len(got) != 4 {
		t.Errorf("worst of too few: %v", got)
	}
}

// TestPerplexityTooLarge: infinity is neither a result nor JSON.
func TestPerplexityTooLarge(t *testing.T) {
	d := distance{candidate: prediction{loss: 800}}
	if r, err := newReport([]distance{d}, 2, 1); err == nil {
		t.Errorf("no error, %+v", r)
	}
}

// TestJSONKeys: scripts depend on them.
func TestJSONKeys(t *testing.T) {
	r := Report{
		Tokens: 5, Scored: 4, Window: 5, KL: KL{1, 2, 3, 4, 5, 6, 7}, Top1: 0.5, PPL: Perplexity{8, 9, 1.125},
		Worst: []Position{{Index: 3, KL: 2, Context: "a", Reference: Guess{1, "b", 0.25}, Candidate: Guess{2, "c", 0.5}}},
	}
	got, err := json.Marshal(r)
	want := `{"tokens":5,"scored":4,"window":5,` +
		`"kl":{"mean":1,"max":2,"p999":3,"p99":4,"p95":5,"p90":6,"p50":7},"top1":0.5,` +
		`"ppl":{"reference":8,"candidate":9,"ratio":1.125},` +
		`"worst":[{"position":3,"kl":2,"context":"a","reference":{"id":1,"text":"b","p":0.25},"candidate":{"id":2,"text":"c","p":0.5}}]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}
