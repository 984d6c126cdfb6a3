package runtime

import (
	goruntime "runtime"
	"sync/atomic"
	"time"
)

// spreadFrom is the position from which on a single token's attention is spread: before it,
// dividing it finer costs more than an uneven share of heads.
const spreadFrom = 256

// spreadPositions and spreadColumns are the positions of an item of scores and the columns
// of an item of sums. Fewer columns would be too short pieces of memory to read well.
const (
	spreadPositions = 256
	spreadColumns   = 64
)

// uneven tells whether so many heads leave workers without work.
func uneven(heads, workers int) bool { return heads%workers != 0 && heads < 4*workers }

// spread is the attention of one token, divided finer than by heads: a model may have few
// key/value heads. Items are of two kinds: products with some of a head's keys, and some
// columns of the sums of its values. Who finishes a head's last products makes weights of
// them. Sums wait for their head's weights, whose items come before them; those of another
// head lie between, so that waiting is rare.
type spread struct {
	*attention
	positions, columns int // items of each kind for a head
	heads              []spreadHead
}

// spreadHead is the progress of a key/value head.
type spreadHead struct {
	left  atomic.Int32 // items of products that are not finished
	ready atomic.Bool  // weights
}

// attendSpread is attend for one token. There is room for scores of as many positions as the
// cache has room for.
func (sp *span) attendSpread() {
	p, a, scratch := &sp.spread, &sp.attender, &sp.attender.scratch[0]
	p.attention = a
	p.positions, p.columns = parts(a.pos+1, spreadPositions), parts(a.headDim, spreadColumns)
	if len(p.heads) < a.kvHeads {
		p.heads = make([]spreadHead, a.kvHeads)
	}
	for h := range p.heads {
		p.heads[h].left.Store(int32(p.positions))
		p.heads[h].ready.Store(false)
	}
	scratch.scores = grow(scratch.scores, a.kvHeads*a.group*sp.s.room)
	clear(a.out)
	sp.pool.RunInOrder(a.kvHeads*(p.positions+p.columns), 1, p)
}

// parts is the number of parts of n, of size each.
func parts(n, size int) int { return (n + size - 1) / size }

// Do implements quant.Task. The order of items is the products of the first head, then
// those of each head followed by the sums of the head before it, then the last head's sums.
func (p *spread) Do(_, lo, hi int) {
	for ; lo < hi; lo++ {
		i := lo - p.positions
		head, item := i/(p.positions+p.columns), i%(p.positions+p.columns)
		switch {
		case i < 0:
			p.products(0, lo)
		case head+1 < p.kvHeads && item < p.positions:
			p.products(head+1, item)
		case head+1 < p.kvHeads:
			p.sums(head, item-p.positions)
		default:
			p.sums(head, item)
		}
	}
}

// rows are those of a head in x, which has size values for each.
func (p *spread) rows(x []float32, head, size int) []float32 {
	n := p.group * size
	return x[head*n:][:n]
}

// products computes an item of a head's products, and the weights after the last.
func (p *spread) products(head, item int) {
	s, lo := &p.scratch[0], item*spreadPositions
	stride := p.stride(1)
	scores := p.rows(s.scores, head, stride)
	p.kv.dots(scores[lo:], stride, p.rows(p.q, head, p.headDim), head, lo, min(lo+spreadPositions, p.pos+1))
	if p.heads[head].left.Add(-1) > 0 {
		return
	}
	for r := range p.group {
		p.softmax(scores[r*stride:][:p.pos+1], head)
	}
	p.heads[head].ready.Store(true)
}

// await returns when a head's weights are there. Whoever makes them may have lost its
// processor: then waiting for it must not take another.
func (p *spread) await(head int) {
	for spins := 0; !p.heads[head].ready.Load(); spins++ {
		if spins < 1000 {
			goruntime.Gosched()
		} else {
			time.Sleep(20 * time.Microsecond)
		}
	}
}

// sums computes an item of a head's sums.
func (p *spread) sums(head, item int) {
	p.await(head)
	s, from := &p.scratch[0], item*spreadColumns
	stride := p.stride(1)
	p.kv.weigh(p.rows(p.out, head, p.headDim), p.rows(s.scores, head, stride), stride,
		head, 0, p.pos+1, from, min(from+spreadColumns, p.headDim))
}
