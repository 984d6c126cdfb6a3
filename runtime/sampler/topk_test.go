package sampler

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBestKIsThatOfASort(t *testing.T) {
	nan := float32(math.NaN())
	random := rand.New(rand.NewPCG(8, 8))
	kinds := map[string]func(i int) float32{
		"ordinary":      func(int) float32 { return float32(random.NormFloat64()) },
		"few values":    func(int) float32 { return float32(random.IntN(3)) },
		"all equal":     func(int) float32 { return -3 },
		"rising":        func(i int) float32 { return float32(i) },
		"falling":       func(i int) float32 { return -float32(i) },
		"in one block":  func(i int) float32 { return -float32(max(i-100, 100-i)) },
		"NaN and -Inf":  func(i int) float32 { return []float32{nan, negInf, 1, 2, nan}[random.IntN(5)] },
		"mostly banned": func(i int) float32 { return []float32{negInf, 4}[1-min(i%1000, 1)] },
	}
	for name, value := range kinds {
		for _, n := range []int{2, 300, 5000, 20_000} {
			for _, k := range []int{1, 2, 40, 78, 79, 500, 4000} {
				if k >= n {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d of %d", name, k, n), func(t *testing.T) {
					logits := make([]float32, n)
					for i := range logits {
						logits[i] = value(i)
					}
					logits[n/2] = 2
					checkBestK(t, logits, k)
				})
			}
		}
	}
}

func checkBestK(t *testing.T, logits []float32, k int) {
	var want []int
	for id, x := range logits {
		if x > negInf { // nor NaN
			want = append(want, id)
		}
	}
	slices.SortStableFunc(want, func(a, b int) int {
		return cmp.Compare(logits[b], logits[a])
	})
	want = want[:min(k, len(want))]
	slices.Sort(want)
	maxima := make([]float32, blocks(len(logits)))
	largest(logits, maxima)
	b := newBestK(len(logits), k)
	b.keep(logits, maxima)
	if !slices.Equal(b.ids, want) {
		t.Fatalf("%v, want %v", b.ids, want)
	}
	for i, id := range b.ids {
		if b.logits[i] != logits[id] {
			t.Errorf("token %d: logit %v, want %v", id, b.logits[i], logits[id])
		}
	}
}
