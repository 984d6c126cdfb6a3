package runtime

import (
	"math"

	"octet/internal/vec"
)

// queryRows is the number of queries, about, that meet a head's keys and values together:
// what keys and values cost to read is shared by them.
const queryRows = 16

// attention is causal attention of n tokens over the cache, as work for the pool. Query
// heads share key/value heads in equal groups: an item is a few tokens' queries of one
// group.
type attention struct {
	q, out  []float32 // [n, kvHeads, group, headDim]
	kv      *cache
	pos     int // position of the first token
	n       int
	kvHeads int
	group   int
	headDim int
	room    int
	tokens  int // of an item
	scale   float32
	scratch []attentionScratch // for each worker
}

// attentionScratch holds the rows of one item: the queries of a token's group lie together.
// Rows are rounded up to what vector code takes together; those at the end mean nothing.
type attentionScratch struct {
	q, out []float32 // [rows, headDim]
	scores []float32 // [rows, positions]
}

// rowTile is how many rows vector code takes together.
const rowTile = 4

func roundUp(rows int) int { return (rows + rowTile - 1) &^ (rowTile - 1) }

// attend sets act.att to the attention of act.q, whose keys and values are stored already.
func (s *Session) attend(kv *cache, pos, n int) {
	c, a := s.model.config, &s.act.attend
	group := c.NumHeads / c.NumKVHeads
	*a = attention{
		q: s.act.q, out: s.act.att, kv: kv, pos: pos, n: n,
		kvHeads: c.NumKVHeads, group: group, headDim: c.HeadDim, room: s.room,
		tokens: min(max(queryRows/group, 1), n),
		scale:  float32(1 / math.Sqrt(float64(c.HeadDim))), scratch: a.scratch,
	}
	if a.scratch == nil {
		a.scratch = make([]attentionScratch, s.model.pool.Threads())
	}
	if n == 1 && pos >= spreadFrom && uneven(c.NumKVHeads, len(a.scratch)) {
		s.model.spreadAttention(a)
		return
	}
	for w := range a.scratch {
		a.scratch[w].resize(a.tokens*group, c.HeadDim, s.room)
	}
	s.model.pool.Run(c.NumKVHeads*a.blocks(), 1, a)
}

// blocks is the number of items for each key/value head.
func (a *attention) blocks() int { return (a.n + a.tokens - 1) / a.tokens }

func (s *attentionScratch) resize(rows, headDim, room int) {
	rows = roundUp(rows)
	s.q, s.out = grow(s.q, rows*headDim), grow(s.out, rows*headDim)
	s.scores = grow(s.scores, rows*room)
}

// Do computes items lo … hi-1, those of one key/value head after another, on worker w.
func (a *attention) Do(w, lo, hi int) {
	for ; lo < hi; lo++ {
		kvHead, from := lo/a.blocks(), lo%a.blocks()*a.tokens
		a.block(&a.scratch[w], kvHead, from, min(from+a.tokens, a.n))
	}
}

// block computes the attention of one group of heads for tokens lo … hi-1.
func (a *attention) block(s *attentionScratch, kvHead, lo, hi int) {
	width := a.group * a.headDim
	for t := lo; t < hi; t++ {
		copy(s.q[(t-lo)*width:][:width], a.q[(t*a.kvHeads+kvHead)*width:])
	}
	a.score(s, kvHead, lo, hi)
	a.weigh(s, kvHead, lo, hi)
	for t := lo; t < hi; t++ {
		copy(a.out[(t*a.kvHeads+kvHead)*width:][:width], s.out[(t-lo)*width:])
	}
}

// score sets the rows of s.scores to the softmax of q·k over the positions up to their
// token. What lies beyond is not read.
func (a *attention) score(s *attentionScratch, kvHead, lo, hi int) {
	rows, stride := (hi-lo)*a.group, a.pos+hi
	vec.Dots(s.scores, stride, a.keys(kvHead, 0, stride), s.q[:roundUp(rows)*a.headDim], a.headDim)
	for r := range rows {
		vec.ScaledSoftmax(s.scores[r*stride:][:a.pos+lo+r/a.group+1], a.scale)
	}
}

// weigh sets the rows of s.out to the sums of values weighted by s.scores, positions in
// order: those that all tokens see together, then the rest of each token.
func (a *attention) weigh(s *attentionScratch, kvHead, lo, hi int) {
	rows, stride, shared := (hi-lo)*a.group, a.pos+hi, a.pos+lo+1
	out := s.out[:roundUp(rows)*a.headDim]
	clear(out)
	vec.Weigh(out, s.scores, stride, a.values(kvHead, 0, shared), a.headDim)
	for t := lo + 1; t < hi; t++ {
		r := (t - lo) * a.group
		vec.Weigh(out[r*a.headDim:][:a.group*a.headDim], s.scores[r*stride+shared:], stride,
			a.values(kvHead, shared, a.pos+t+1), a.headDim)
	}
}

// keys are those of positions lo … hi-1 [hi-lo, headDim].
func (a *attention) keys(kvHead, lo, hi int) []float32 {
	return a.kv.k[(kvHead*a.room+lo)*a.headDim : (kvHead*a.room+hi)*a.headDim]
}

// values are those of positions lo … hi-1 [hi-lo, headDim].
func (a *attention) values(kvHead, lo, hi int) []float32 {
	return a.kv.v[(kvHead*a.room+lo)*a.headDim : (kvHead*a.room+hi)*a.headDim]
}
