package sampler

// candidate is a token with its logit.
type candidate struct {
	logit float32
	id    int
}

// better orders all candidates, without ties: larger logit, then smaller id.
func (c candidate) better(than candidate) bool {
	if c.logit != than.logit {
		return c.logit > than.logit
	}
	return c.id < than.id
}

// bestK keeps the best k tokens.
type bestK struct {
	heap   heap      // [k] room
	ids    []int     // those kept, ascending
	logits []float32 // of ids
}

func newBestK(k int) *bestK {
	return &bestK{heap: make(heap, 0, k), ids: make([]int, 0, k), logits: make([]float32, 0, k)}
}

// keep sets ids and logits to the best k tokens, without those that are NaN; one at least is a
// number. As k blocks hold
// k tokens or more that are no less than the k-th largest of their maxima, nothing below it is
// looked at.
func (b *bestK) keep(logits, maxima []float32) {
	least := negInf
	if k := cap(b.heap); k < len(maxima) {
		least = b.heap.add(maxima, 0, negInf)[0].logit
	}
	h := b.heap
	for i, most := range maxima {
		if most >= least && (len(h) < cap(h) || most > h[0].logit) {
			h = h.add(block(logits, i), i*blockSize, least)
		}
	}
	b.collect(logits, maxima, h[0])
}

// collect sets ids and logits to the tokens that are no worse than last.
func (b *bestK) collect(logits, maxima []float32, last candidate) {
	b.ids, b.logits = b.ids[:0], b.logits[:0]
	for i, most := range maxima {
		if !(most >= last.logit) {
			continue
		}
		for j, x := range block(logits, i) {
			if id := i*blockSize + j; x > last.logit || x == last.logit && id <= last.id {
				b.ids = append(b.ids, id)
				b.logits = append(b.logits, x)
			}
		}
	}
}

// heap holds the best candidates seen, the worst of them at its root; its capacity is how
// many it keeps.
type heap []candidate

// add takes the logits of tokens first, first+1, … that are at least least. One comparison
// a token is the usual cost: few of a large vocabulary get into the heap.
func (h heap) add(logits []float32, first int, least float32) heap {
	for i, x := range logits {
		switch {
		case !(x >= least): // NaN too
		case len(h) < cap(h):
			h = append(h, candidate{x, first + i})
			h.up(len(h) - 1)
		case x > h[0].logit: // an equal one has the larger id
			h[0] = candidate{x, first + i}
			h.down()
		}
	}
	return h
}

func (h heap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h[parent].better(h[i]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (h heap) down() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if right := child + 1; right < len(h) && h[child].better(h[right]) {
			child = right
		}
		if !h[i].better(h[child]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
