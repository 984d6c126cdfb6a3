package sampler

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// weightKinds are lists of n weights, all at most 1, that a selection may find hard.
func weightKinds(n int) map[string][]float32 {
	random := rand.New(rand.NewPCG(uint64(n), 3))
	each := func(f func(i int) float64) []float32 {
		w := make([]float32, n)
		for i := range w {
			w[i] = float32(f(i))
		}
		w[n/2] = 1
		return w
	}
	return map[string][]float32{
		"all equal":      each(func(int) float64 { return 1 }),
		"two values":     each(func(i int) float64 { return 1 - 0.5*float64(i%2) }),
		"few values":     each(func(int) float64 { return float64(random.IntN(5)) / 8 }),
		"rising":         each(func(i int) float64 { return float64(i) / float64(n) }),
		"falling":        each(func(i int) float64 { return 1 - float64(i)/float64(n) }),
		"as of a model":  each(func(int) float64 { return math.Exp(2*random.NormFloat64() - 10) }),
		"one of all":     each(func(int) float64 { return 1e-9 }),
		"heavy and many": each(func(i int) float64 { return 0.5 / float64(n) }),
		"mostly zero":    each(func(i int) float64 { return float64(1-min(i%50, 1)) * random.Float64() }),
		"every 7th":      each(func(i int) float64 { return 0.1 + 0.8*float64(1-min(i%7, 1)) }),
		"subnormal":      each(func(i int) float64 { return 0x1p-149 * float64(i%9) }),
	}
}

// TestNucleusIsThatOfASort: what is kept reaches the target, is the best there is, and would
// not reach it without its last weight.
func TestNucleusIsThatOfASort(t *testing.T) {
	for _, n := range []int{1, 2, 17, 256, 257, 1000, 30_000} {
		for name, weights := range weightKinds(n) {
			for _, p := range []float64{0.001, 0.3, 0.5, 0.9, 0.95, 0.999, 1 - 1e-9} {
				t.Run(fmt.Sprintf("%s/%d/%g", name, n, p), func(t *testing.T) {
					checkNucleus(t, weights, p)
				})
			}
		}
	}
}

func checkNucleus(t *testing.T, weights []float32, p float64) {
	order := make([]int, len(weights))
	total := 0.0
	for i, w := range weights {
		order[i] = i
		total += float64(w)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(weights[b], weights[a])
	})
	room := newNucleus(len(weights))
	l := room.limit(weights, p*total, total)
	kept, sum := 0, 0.0
	for kept < len(order) && l.has(order[kept], weights[order[kept]]) {
		sum += float64(weights[order[kept]])
		kept++
	}
	for _, i := range order[kept:] {
		if l.has(i, weights[i]) {
			t.Fatalf("%d of weight %g is kept, a better one is not", i, weights[i])
		}
	}
	// Every addition of the three sums rounds by half a unit of the total at most.
	rounding := 3 * float64(len(weights)) * 0x1p-53 * total
	if sum < p*total-rounding {
		t.Errorf("%d are kept, their share %g", kept, sum/total)
	}
	if last := float64(weights[order[kept-1]]); sum-last >= p*total+rounding {
		t.Errorf("%d are kept, their share is %g without the last", kept, (sum-last)/total)
	}
}
