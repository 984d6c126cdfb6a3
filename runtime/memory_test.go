package runtime

import (
	"math"
	"testing"

	"octet/loader"
)

// TestSessionBytes: the cache is all of it but for the scratch memory, and sizes that only a
// damaged config has do not wrap around.
func TestSessionBytes(t *testing.T) {
	c := loader.Config{HiddenSize: 64, IntermediateSize: 128, NumLayers: 2, NumHeads: 4, NumKVHeads: 2, HeadDim: 16,
		VocabSize: 100, MaxPositions: 1 << 20}
	o := Options{Threads: 1, KV: KVF16}
	const position = 2 * 2 * 2 * 16 * 2 // keys and values of 2 layers, 2 heads of 16 halves
	whole := SessionBytes(c, o)
	o.Context = 1 << 19
	half := SessionBytes(c, o)
	scores := int64(4 * max(queryRows, 2))
	if got, want := whole-half, int64(1<<19)*(position+scores); got != want {
		t.Errorf("half of the positions take %d bytes, want %d", got, want)
	}
	o.Context = 0
	c.NumLayers, c.NumHeads, c.NumKVHeads, c.HeadDim, c.MaxPositions = 1<<16, 1<<14, 1<<14, 1<<16, 1<<26
	if got := SessionBytes(c, o); got != math.MaxInt64 {
		t.Errorf("%d bytes where no int64 holds them", got)
	}
}
