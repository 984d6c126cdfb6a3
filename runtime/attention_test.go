package runtime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"octet/internal/vec"
	"octet/loader"
	"octet/quant"
)

// attentionSession is a session of one layer without weights, with room for n positions of
// random keys and values.
func attentionSession(c loader.Config, threads, n int) *Session {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	size := c.NumKVHeads * n * c.HeadDim
	s := &Session{model: &Model{config: c, pool: quant.NewPool(threads)}, room: n}
	s.caches = []cache{{k: random(size), v: random(size)}}
	s.act.q = random(n * c.NumHeads * c.HeadDim)
	s.act.att = make([]float32, len(s.act.q))
	return s
}

// simpleAttention is the attention of head h of a token q [heads, headDim] at position pos,
// as the package documents it.
func simpleAttention(c loader.Config, kv cache, room, h, pos int, q []float32) []float32 {
	d, scale := c.HeadDim, float32(1/math.Sqrt(float64(c.HeadDim)))
	from := h / (c.NumHeads / c.NumKVHeads) * room * d
	scores := make([]float32, pos+1)
	for i := range scores {
		scores[i] = float32(vec.Dot(q[h*d:][:d], kv.k[from+i*d:][:d]) * scale)
	}
	vec.Softmax(scores)
	out := make([]float32, d)
	for i, p := range scores {
		for j := range out {
			out[j] += float32(p * kv.v[from+i*d+j])
		}
	}
	return out
}

// TestAttendIsTheReference compares single tokens and batches at depths short and long, for
// heads that fit vector code and others, shared evenly by the workers and not.
func TestAttendIsTheReference(t *testing.T) {
	for _, c := range []loader.Config{
		{NumHeads: 9, NumKVHeads: 3, HeadDim: 64},
		{NumHeads: 4, NumKVHeads: 4, HeadDim: 80},
		{NumHeads: 10, NumKVHeads: 2, HeadDim: 24},
		{NumHeads: 32, NumKVHeads: 1, HeadDim: 128},
	} {
		for _, b := range []struct{ pos, n int }{{0, 1}, {0, 7}, {255, 1}, {256, 1}, {256, 2}, {600, 1}, {590, 20}} {
			for _, threads := range []int{1, 2, 3} {
				name := fmt.Sprintf("%d of %d heads of %d, %d tokens at %d, %d threads",
					c.NumHeads, c.NumKVHeads, c.HeadDim, b.n, b.pos, threads)
				t.Run(name, func(t *testing.T) { checkAttend(t, c, threads, b.pos, b.n) })
			}
		}
	}
}

func checkAttend(t *testing.T, c loader.Config, threads, pos, n int) {
	s := attentionSession(c, threads, pos+n)
	defer s.model.pool.Close()
	// What lies behind a token's position must not reach it.
	for i := range c.NumKVHeads {
		s.caches[0].v[(i+1)*s.room*c.HeadDim-1] = float32(math.NaN())
	}
	s.attend(&s.caches[0], pos, n)
	width := c.NumHeads * c.HeadDim
	for i := range n * c.NumHeads {
		token, h := i/c.NumHeads, i%c.NumHeads
		want := simpleAttention(c, s.caches[0], s.room, h, pos+token, s.act.q[token*width:][:width])
		got := s.act.att[i*c.HeadDim:][:c.HeadDim]
		if !slices.EqualFunc(got, want, func(a, b float32) bool { return a == b || a != a && b != b }) {
			t.Fatalf("token %d, head %d: got %v, want %v", token, h, got, want)
		}
	}
}

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
	s := attentionSession(c, threads, n)
	defer s.model.pool.Close()
	size := len(s.caches[0].k)
	for range 64 << 20 / (8 * size) {
		s.caches = append(s.caches, cache{slices.Clone(s.caches[0].k), slices.Clone(s.caches[0].v)})
	}
	b.SetBytes(int64(8 * size))
	for i := 0; b.Loop(); i++ {
		s.attend(&s.caches[i%len(s.caches)], n-1, 1)
	}
}
