package runtime

import (
	"math"

	"octet/internal/vec"
)

// attention is causal attention of n tokens over the cache, as work for the pool: item
// t*heads+h is head h of token t. Query heads share key/value heads in equal groups.
type attention struct {
	q, out  []float32 // [n, heads, headDim]
	kv      *cache
	pos     int // position of the first token
	heads   int
	kvHeads int
	headDim int
	room    int
	scale   float32
	scores  [][]float32 // a row of scores for each worker
}

// attend sets act.att to the attention of act.q, whose keys and values are stored already.
func (s *Session) attend(kv *cache, pos, n int) {
	c, a := s.model.config, &s.act.attend
	*a = attention{
		q: s.act.q, out: s.act.att, kv: kv, pos: pos,
		heads: c.NumHeads, kvHeads: c.NumKVHeads, headDim: c.HeadDim, room: s.room,
		scale: float32(1 / math.Sqrt(float64(c.HeadDim))), scores: a.scores,
	}
	if a.scores == nil {
		a.scores = make([][]float32, s.model.pool.Threads())
	}
	for w := range a.scores {
		a.scores[w] = grow(a.scores[w], s.room)
	}
	s.model.pool.Run(n*c.NumHeads, 1, a)
}

// Do computes heads lo … hi-1, counted over all tokens, on worker w.
func (a *attention) Do(w, lo, hi int) {
	for i := lo; i < hi; i++ {
		t, h := i/a.heads, i%a.heads
		kvHead := h / (a.heads / a.kvHeads)
		from := kvHead * a.room * a.headDim
		n := a.pos + t + 1
		q, out := a.q[i*a.headDim:][:a.headDim], a.out[i*a.headDim:][:a.headDim]
		a.head(out, q, a.kv.k[from:][:n*a.headDim], a.kv.v[from:][:n*a.headDim], a.scores[w][:n])
	}
}

// head sets out to the sum of v [n, headDim], weighted by the softmax of q·k, positions in order.
func (a *attention) head(out, q, k, v, scores []float32) {
	d := a.headDim
	for i := range scores {
		scores[i] = float32(vec.Dot(q, k[i*d:][:d]) * a.scale)
	}
	vec.Softmax(scores)
	clear(out)
	for i, p := range scores {
		vec.AddScaled(out, p, v[i*d:][:d])
	}
}
