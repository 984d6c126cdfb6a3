package sampler

import "math"

// candidate is a token with its scaled logit.
type candidate struct {
	logit float32
	id    int
}

// worst is no better than any token.
var worst = candidate{logit: negInf, id: math.MaxInt}

// better orders all candidates, without ties: larger logit, then smaller id.
func (c candidate) better(than candidate) bool {
	if c.logit != than.logit {
		return c.logit > than.logit
	}
	return c.id < than.id
}

// bestK is a heap of the best candidates seen, the worst of them at its root; its capacity
// is k.
type bestK []candidate

// threshold returns the k-th best of logits. One comparison a token is the usual cost:
// few of a large vocabulary get into the heap.
func (h bestK) threshold(logits []float32) candidate {
	h = h[:0]
	for id, x := range logits {
		c := candidate{x, id}
		switch {
		case len(h) < cap(h):
			h = append(h, c)
			h.up(len(h) - 1)
		case x > h[0].logit: // an equal one has the larger id
			h[0] = c
			h.down()
		}
	}
	return h[0]
}

func (h bestK) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h[parent].better(h[i]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (h bestK) down() {
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

// topP returns the last of the best tokens that together reach the share TopP of total.
func (s *Sampler) topP(total float64) candidate {
	return threshold(s.candidates(total), s.weights, s.options.TopP*total)
}

// candidates lists the tokens that can be among those of top-p. One of n tokens that weighs
// less than (1-p)/n of the total cannot: it and those below it are less than 1-p together, so
// those above it reach p without it.
func (s *Sampler) candidates(total float64) []candidate {
	n := 0
	for _, w := range s.weights {
		if w > 0 {
			n++
		}
	}
	least := float32((1 - s.options.TopP) * total / float64(n) * 0.999) // room for rounding
	list := s.nucleus[:0]
	for id, w := range s.weights {
		if w > 0 && w >= least {
			list = append(list, candidate{s.logits[id], id})
		}
	}
	return list
}

// threshold returns the candidate at which the sum of weights, best first, reaches target > 0;
// the worst one if it is never reached. It is a quickselect by weight: linear time on average,
// list is reordered.
func threshold(list []candidate, weights []float32, target float64) candidate {
	above := 0.0 // weight of those better than all of list; always below target
	random := uint32(1)
	for len(list) > 1 {
		random = random*1664525 + 1013904223
		split := partition(list, int(uint64(random)*uint64(len(list))>>32))
		before := above
		for _, c := range list[:split] {
			before += float64(weights[c.id])
		}
		through := before + float64(weights[list[split].id])
		switch {
		case before >= target:
			list = list[:split]
		case through >= target || split+1 == len(list):
			return list[split]
		default:
			above, list = through, list[split+1:]
		}
	}
	return list[0]
}

// partition moves the candidates better than the one at pivot in front of it and returns
// where it is then.
func partition(list []candidate, pivot int) int {
	last := len(list) - 1
	list[pivot], list[last] = list[last], list[pivot]
	split := 0
	for i := range last {
		if list[i].better(list[last]) {
			list[i], list[split] = list[split], list[i]
			split++
		}
	}
	list[split], list[last] = list[last], list[split]
	return split
}
