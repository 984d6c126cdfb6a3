package tokenizer

// chain is a piece in the course of being merged: a linked list of symbols, and a heap of the
// pairs that can be merged. Merging takes O(n log n) for n symbols.
type chain struct {
	symbols []symbol
	heap    []uint64 // rank<<32 | position of the left symbol, the smallest first
}

// symbol is a token in the making; positions are in bytes of the piece.
type symbol struct {
	id         int32
	start, end int32
	prev, next int32 // -1: none; next is gone for a symbol that was merged into its left neighbour
}

const gone = -2

// reset empties the chain.
func (c *chain) reset() { c.symbols, c.heap = c.symbols[:0], c.heap[:0] }

// add appends a symbol.
func (c *chain) add(id int32, start, end int) {
	n := int32(len(c.symbols))
	if n > 0 {
		c.symbols[n-1].next = n
	}
	c.symbols = append(c.symbols, symbol{id, int32(start), int32(end), n - 1, -1})
}

// merge joins neighbours, each time the pair of the lowest rank and of those the leftmost, until
// none is left. merge returns the packed merge of two symbols, or noMerge.
func (c *chain) merge(merge func(left, right *symbol) uint64) {
	for i := 1; i < len(c.symbols); i++ {
		if m := merge(&c.symbols[i-1], &c.symbols[i]); m != noMerge {
			c.heap = append(c.heap, m&^0xFFFFFFFF|uint64(i-1))
		}
	}
	for i := len(c.heap)/2 - 1; i >= 0; i-- {
		siftDown(c.heap, i)
	}
	for len(c.heap) > 0 {
		top := c.pop()
		at := int32(uint32(top))
		left := &c.symbols[at]
		if left.next < 0 {
			continue // merged away, or now the last
		}
		right := &c.symbols[left.next]
		m := merge(left, right)
		if m == noMerge || m>>32 != top>>32 {
			continue // the pair is another one by now
		}
		left.id, left.end, left.next = int32(uint32(m)), right.end, right.next
		right.next = gone
		if left.next >= 0 {
			c.symbols[left.next].prev = at
			c.push(at, merge(left, &c.symbols[left.next]))
		}
		if left.prev >= 0 {
			c.push(left.prev, merge(&c.symbols[left.prev], left))
		}
	}
}

// each calls yield for every symbol that is left.
func (c *chain) each(yield func(*symbol)) {
	for i := int32(0); i >= 0 && int(i) < len(c.symbols); i = c.symbols[i].next {
		yield(&c.symbols[i])
	}
}

func (c *chain) push(at int32, merge uint64) {
	if merge == noMerge {
		return
	}
	c.heap = append(c.heap, merge&^0xFFFFFFFF|uint64(at))
	h := c.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up] <= h[i] {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
}

func (c *chain) pop() uint64 {
	h := c.heap
	top := h[0]
	h[0] = h[len(h)-1]
	c.heap = h[:len(h)-1]
	siftDown(c.heap, 0)
	return top
}

func siftDown(h []uint64, i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child] < h[least] {
				least = child
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
