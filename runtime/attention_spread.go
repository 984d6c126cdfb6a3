package runtime

import "octet/internal/vec"

// spreadFrom is the position from which on a single token's attention is spread: before it,
// waiting for the workers three times costs more than an uneven share of heads.
const spreadFrom = 256

// spreadPositions and spreadColumns are the positions of an item of scores and the columns
// of an item of sums. Fewer columns would be too short pieces of memory to read well.
const (
	spreadPositions = 256
	spreadColumns   = 64
)

// uneven tells whether so many heads leave workers without work.
func uneven(heads, workers int) bool { return heads%workers != 0 && heads < 4*workers }

// spreadAttention is the attention of one token in three passes, each divided finer than by
// heads: a model may have few key/value heads.
func (m *Model) spreadAttention(a *attention) {
	s := &a.scratch[0]
	s.resize(a.kvHeads*roundUp(a.group), a.headDim, a.room)
	clear(s.out)
	m.pool.Run(a.kvHeads*a.spreads(a.pos+1, spreadPositions), 1, (*scorePass)(a))
	m.pool.Run(a.kvHeads*a.group, 1, (*softmaxPass)(a))
	m.pool.Run(a.kvHeads*a.spreads(a.headDim, spreadColumns), 1, (*sumPass)(a))
	width := a.group * a.headDim
	for h := range a.kvHeads {
		copy(a.out[h*width:][:width], s.out[h*roundUp(a.group)*a.headDim:])
	}
}

// spreads is the number of parts of n, of size each.
func (a *attention) spreads(n, size int) int { return (n + size - 1) / size }

// spreadScores is the scores of the group of a key/value head [group, positions] from
// position lo on; rows are pos+1 apart.
func (a *attention) spreadScores(kvHead, lo int) []float32 {
	return a.scratch[0].scores[kvHead*roundUp(a.group)*(a.pos+1)+lo:]
}

// scorePass computes q·k. Items are parts of the positions of each key/value head.
type scorePass attention

// Do implements quant.Task.
func (p *scorePass) Do(_, lo, hi int) {
	a, n, width := (*attention)(p), p.pos+1, p.group*p.headDim
	parts := a.spreads(n, spreadPositions)
	for ; lo < hi; lo++ {
		kvHead, from := lo/parts, lo%parts*spreadPositions
		keys := a.keys(kvHead, from, min(from+spreadPositions, n))
		vec.Dots(a.spreadScores(kvHead, from), n, keys, a.q[kvHead*width:][:width], a.headDim)
	}
}

// softmaxPass turns scores into weights. Items are query heads.
type softmaxPass attention

// Do implements quant.Task.
func (p *softmaxPass) Do(_, lo, hi int) {
	a, n := (*attention)(p), p.pos+1
	for ; lo < hi; lo++ {
		vec.ScaledSoftmax(a.spreadScores(lo/a.group, lo%a.group*n)[:n], a.scale)
	}
}

// sumPass sums the values. Items are parts of the columns of each key/value head.
type sumPass attention

// Do implements quant.Task.
func (p *sumPass) Do(_, lo, hi int) {
	a, n, rows := (*attention)(p), p.pos+1, roundUp(p.group)
	parts := a.spreads(a.headDim, spreadColumns)
	for ; lo < hi; lo++ {
		kvHead, from := lo/parts, lo%parts*spreadColumns
		out := a.scratch[0].out[kvHead*rows*a.headDim:][:rows*a.headDim]
		vec.WeighColumns(out, a.spreadScores(kvHead, 0), n, a.values(kvHead, 0, n), a.headDim,
			from, min(from+spreadColumns, a.headDim))
	}
}
