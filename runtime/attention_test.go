package runtime

import (
	"fmt"
	"testing"

	"octet/loader"
	"octet/quant"
)

// BenchmarkAttend is the attention of one token in layers whose caches exceed the machine's.
func BenchmarkAttend(b *testing.B) {
	for _, threads := range []int{1, 2} {
		for _, c := range []loader.Config{
			{NumHeads: 9, NumKVHeads: 3, HeadDim: 64},
			{NumHeads: 32, NumKVHeads: 8, HeadDim: 64},
			{NumHeads: 32, NumKVHeads: 8, HeadDim: 128},
		} {
			for _, n := range []int{200, 4000} {
				b.Run(fmt.Sprintf("threads %d/heads %d of %d/length %d", threads, c.NumHeads, c.HeadDim, n), func(b *testing.B) {
					benchmarkAttend(b, c, threads, n)
				})
			}
		}
	}
}

func benchmarkAttend(b *testing.B, c loader.Config, threads, n int) {
	m := &Model{config: c, pool: quant.NewPool(threads)}
	defer m.pool.Close()
	size := c.NumKVHeads * n * c.HeadDim
	s := &Session{model: m, room: n, caches: make([]cache, 64<<20/(8*size)+1)}
	for i := range s.caches {
		s.caches[i] = cache{k: make([]float32, size), v: make([]float32, size)}
		for j := range size {
			s.caches[i].k[j], s.caches[i].v[j] = float32(j%17)-8, 1
		}
	}
	s.act.q, s.act.att = make([]float32, c.NumHeads*c.HeadDim), make([]float32, c.NumHeads*c.HeadDim)
	b.SetBytes(int64(8 * size))
	for i := 0; b.Loop(); i++ {
		s.attend(&s.caches[i%len(s.caches)], n-1, 1)
	}
}
