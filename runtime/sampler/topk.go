package sampler

import (
	"math"
	"slices"

	"octet/internal/vec"
)

// bestK keeps the best k tokens.
type bestK struct {
	selection
	k      int
	sorted []float32 // [blocks]
	ids    []int     // those kept, ascending; room for k
	logits []float32 // of ids
}

func newBestK(vocab, k int) *bestK {
	return &bestK{
		selection: newSelection(vocab, unit{make([]float32, vocab)}),
		k:         k, sorted: make([]float32, blocks(vocab)),
		ids: make([]int, 0, k), logits: make([]float32, 0, k),
	}
}

// keep sets ids and logits to the best k tokens, without those that are NaN or -Inf; one at
// least is a number, and none +Inf.
func (b *bestK) keep(logits, maxima []float32) {
	list := b.candidates(logits, maxima)
	l := b.of(logits, maxima, list, float64(len(list)), float64(b.k))
	b.ids, b.logits = b.ids[:0], b.logits[:0]
	for i, most := range maxima {
		if most < l.least {
			continue
		}
		for j, x := range block(logits, i) {
			if id := i*blockSize + j; l.has(id, x) {
				b.ids = append(b.ids, id)
				b.logits = append(b.logits, x)
			}
		}
	}
}

// candidates lists the logits that can be among the best k. As k blocks hold k tokens or more
// that are no less than the k-th largest of their maxima, those below it cannot.
func (b *bestK) candidates(logits, maxima []float32) []float32 {
	least := float32(-math.MaxFloat32)
	if n := len(maxima); b.k <= n {
		copy(b.sorted, maxima)
		slices.Sort(b.sorted)
		least = max(least, b.sorted[n-b.k])
	}
	n := 0
	for i, most := range maxima {
		if most >= least {
			n += vec.Between(b.list[n:], block(logits, i), least, inf)
		}
	}
	return b.list[:n]
}
