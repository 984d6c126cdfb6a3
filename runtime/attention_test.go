package runtime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/x448/float16"

	"octet/internal/vec"
	"octet/loader"
	"octet/quant"
)

// attentionSession is a session of one layer without weights, with n positions of random
// keys and values, which are returned [n, kvHeads, headDim].
func attentionSession(c loader.Config, kv KV, threads, n int) (s *Session, k, v []float32) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		return x
	}
	m := &Model{config: c, pool: quant.NewPool(threads), kv: kv, context: n}
	s = &Session{model: m, caches: []cache{m.newCache()}}
	width := c.NumKVHeads * c.HeadDim
	k, v = random(n*width), random(n*width)
	for pos := range n {
		s.reserve(pos + 1)
		s.caches[0].store(k[pos*width:][:width], v[pos*width:][:width], pos)
		s.ids = append(s.ids, 0)
	}
	s.act = newActivations(s)
	s.act.q = random(n * c.NumHeads * c.HeadDim)
	return s, k, v
}

// attendTokens is the attention of n tokens from pos on, in a layer.
func attendTokens(s *Session, layer, pos, n int) []float32 {
	s.ids = s.ids[:pos]
	p := &s.act.whole
	p.take(0, n)
	p.attend(s.caches[layer])
	return p.att
}

// rounded is a row as a cache of the type holds it, and its scale.
func rounded(kv KV, x []float32) (y []float32, scale float32) {
	y = make([]float32, len(x))
	switch kv {
	case KVF16:
		row := make([]uint16, len(x))
		vec.Narrow(row, x)
		for i, h := range row {
			y[i] = float16.Float16(h).Float32()
		}
		return y, 1
	case KVInt8:
		row := make([]int8, len(x))
		scale = vec.Narrow(row, x)
		for i, b := range row {
			y[i] = float32(b)
		}
		return y, scale
	}
	copy(y, x)
	return y, 1
}

// simpleAttention is the attention of head h of a token q [heads, headDim] at position pos,
// as the package documents it.
func simpleAttention(c loader.Config, kv KV, k, v []float32, h, pos int, q []float32) []float32 {
	d, scale := c.HeadDim, float32(1/math.Sqrt(float64(c.HeadDim)))
	row := func(x []float32, i int) ([]float32, float32) {
		return rounded(kv, x[(i*c.NumKVHeads+h/(c.NumHeads/c.NumKVHeads))*d:][:d])
	}
	scores := make([]float32, pos+1)
	for i := range scores {
		key, keyScale := row(k, i)
		scores[i] = float32(float32(vec.Dot(q[h*d:][:d], key)*keyScale) * scale)
	}
	vec.Softmax(scores)
	out := make([]float32, d)
	for i, p := range scores {
		value, valueScale := row(v, i)
		p = float32(p * valueScale)
		for j := range out {
			out[j] += float32(p * value[j])
		}
	}
	return out
}

// TestAttendIsTheReference compares single tokens and batches at depths short and long, for
// heads that fit vector code and others, shared evenly by the workers and not, in every type
// of cache.
func TestAttendIsTheReference(t *testing.T) {
	for _, c := range []loader.Config{
		{NumHeads: 9, NumKVHeads: 3, HeadDim: 64},
		{NumHeads: 4, NumKVHeads: 4, HeadDim: 80},
		{NumHeads: 10, NumKVHeads: 2, HeadDim: 24},
		{NumHeads: 32, NumKVHeads: 1, HeadDim: 128},
	} {
		for _, b := range []struct{ pos, n int }{{0, 1}, {0, 7}, {255, 1}, {256, 1}, {256, 2}, {600, 1}, {590, 20}} {
			for _, threads := range []int{1, 2, 3} {
				for kv := KVF32; kv <= KVInt8; kv++ {
					name := fmt.Sprintf("%d of %d heads of %d, %d tokens at %d, %d threads, %v",
						c.NumHeads, c.NumKVHeads, c.HeadDim, b.n, b.pos, threads, kv)
					t.Run(name, func(t *testing.T) { checkAttend(t, c, kv, threads, b.pos, b.n) })
				}
			}
		}
	}
}

func checkAttend(t *testing.T, c loader.Config, kv KV, threads, pos, n int) {
	s, k, v := attentionSession(c, kv, threads, pos+n)
	defer s.model.pool.Close()
	// What lies behind a token's position must not reach it.
	nan := slices.Repeat([]float32{float32(math.NaN())}, c.NumKVHeads*c.HeadDim)
	copy(v[(pos+n-1)*len(nan):], nan)
	s.caches[0].store(k[(pos+n-1)*len(nan):], nan, pos+n-1)
	att := attendTokens(s, 0, pos, n)
	width := c.NumHeads * c.HeadDim
	for i := range n * c.NumHeads {
		token, h := i/c.NumHeads, i%c.NumHeads
		want := simpleAttention(c, kv, k, v, h, pos+token, s.act.q[token*width:][:width])
		got := att[i*c.HeadDim:][:c.HeadDim]
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
				for kv := KVF32; kv <= KVInt8; kv++ {
					name := fmt.Sprintf("threads %d/heads %d of %d/length %d/%v", threads, c.NumHeads, c.HeadDim, n, kv)
					b.Run(name, func(b *testing.B) { benchmarkAttend(b, c, kv, threads, n) })
				}
			}
		}
	}
}

func benchmarkAttend(b *testing.B, c loader.Config, kv KV, threads, n int) {
	s, k, v := attentionSession(c, kv, threads, n)
	defer s.model.pool.Close()
	s.model.config.NumLayers = 1
	size := int(s.model.CacheBytes()) * n
	for range 64 << 20 / size {
		other := s.model.newCache()
		other.reserve(0, s.room)
		for pos := range n {
			other.store(k[:c.NumKVHeads*c.HeadDim], v[:c.NumKVHeads*c.HeadDim], pos)
		}
		s.caches = append(s.caches, other)
	}
	b.SetBytes(int64(size))
	for i := 0; b.Loop(); i++ {
		attendTokens(s, i%len(s.caches), n-1, 1)
	}
}
