package runtime

import (
	"math"

	"octet/internal/vec"
)

// A head's keys and values meet queryRows to maxQueryRows queries together: what keys and
// values cost to read is shared by them. More than queryRows only while the scores, some
// scoreBytes, stay in the second-level cache, and there are itemsPerWorker items.
const (
	queryRows      = 16
	maxQueryRows   = 48
	scoreBytes     = 512 << 10
	itemsPerWorker = 4
)

// attention is causal attention of n tokens over the cache, as work for the pool. Query
// heads share key/value heads in equal groups: an item is a few tokens' queries of one
// group.
type attention struct {
	q, out  []float32 // [n, kvHeads, group, headDim]
	kv      cache
	pos     int // position of the first token
	n       int
	kvHeads int
	group   int
	headDim int
	tokens  int // of an item
	scale   float32
	scratch []attentionScratch // for each worker
}

// attentionScratch holds the rows of one item: the queries of a token's group lie together.
type attentionScratch struct {
	q, out []float32 // [rows, headDim]
	scores []float32 // [rows, positions]
}

// attend sets att to the attention of the span's queries; keys and values are stored already.
func (p *span) attend(kv cache) {
	c, a, pos, n := p.s.model.config, &p.attender, p.pos(), p.n
	group := c.NumHeads / c.NumKVHeads
	*a = attention{
		q: p.queries(), out: p.att, kv: kv, pos: pos, n: n,
		kvHeads: c.NumKVHeads, group: group, headDim: c.HeadDim,
		tokens: itemTokens(group, c.NumKVHeads, pos+n, n, p.pool.Threads()),
		scale:  float32(1 / math.Sqrt(float64(c.HeadDim))), scratch: a.scratch,
	}
	if a.scratch == nil {
		a.scratch = make([]attentionScratch, p.pool.Threads())
	}
	if n == 1 && pos >= spreadFrom && uneven(c.NumKVHeads, len(a.scratch)) {
		p.attendSpread()
		return
	}
	for w := range a.scratch {
		a.scratch[w].resize(a.tokens*group, c.HeadDim, a.stride(n), p.s.room)
	}
	p.pool.Run(c.NumKVHeads*a.blocks(), 1, a)
}

// itemTokens is the number of tokens in an item, for n tokens of up to length positions.
func itemTokens(group, kvHeads, length, n, workers int) int {
	rows := min(maxQueryRows, scoreBytes/4/length, kvHeads*n*group/(itemsPerWorker*workers))
	tokens := max(rows, queryRows) / group
	if tokens > 4 {
		tokens &^= 3 // so that rows are taken four at a time
	}
	return min(max(tokens, 1), n)
}

// blocks is the number of items for each key/value head.
func (a *attention) blocks() int { return (a.n + a.tokens - 1) / a.tokens }

// resize makes room for rows of scores as long as stride, and for few of them for as many
// positions as the cache has room for, so that decode does not do it again and again.
func (s *attentionScratch) resize(rows, headDim, stride, room int) {
	s.q, s.out = grow(s.q, rows*headDim), grow(s.out, rows*headDim)
	s.scores = grow(s.scores, max(rows*stride, min(rows, queryRows)*room))
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
	rows, stride := (hi-lo)*a.group, a.stride(hi)
	a.kv.dots(s.scores, stride, s.q[:rows*a.headDim], kvHead, 0, a.pos+hi)
	for r := range rows {
		a.softmax(s.scores[r*stride:][:a.pos+lo+r/a.group+1], kvHead)
	}
}

// softmax turns products of a query with keys into weights for values.
func (a *attention) softmax(x []float32, kvHead int) {
	vec.ScaledSoftmax(x, a.scale)
	a.kv.scaleWeights(x, kvHead)
}

// stride is the length of a row of scores of tokens before hi.
func (a *attention) stride(hi int) int { return roundUp(a.pos+hi, vec.KeyTile) }

// weigh sets the rows of s.out to the sums of values weighted by s.scores, positions in
// order: those that all tokens see together, then the rest of each token.
func (a *attention) weigh(s *attentionScratch, kvHead, lo, hi int) {
	rows, stride, shared := (hi-lo)*a.group, a.stride(hi), a.pos+lo+1
	out := s.out[:rows*a.headDim]
	clear(out)
	a.kv.weigh(out, s.scores, stride, kvHead, 0, shared, 0, a.headDim)
	for t := lo + 1; t < hi; t++ {
		r := (t - lo) * a.group
		a.kv.weigh(out[r*a.headDim:][:a.group*a.headDim], s.scores[r*stride+shared:], stride,
			kvHead, shared, a.pos+t+1, 0, a.headDim)
	}
}
