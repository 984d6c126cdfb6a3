package sampler

import (
	"math"
	"slices"

	"octet/internal/vec"
)

// Top-p without a sort: the weight at which the nucleus ends is found by a selection on sums.
// A sorted sample tells between which two weights it is likely to be; one look at the
// whole list tells whether it is there, and only what lies there is looked at again.
const (
	sampleSize = 256

	// sampleMargin is three standard deviations of how many of the sample are below a
	// given one of the list, at most √(sampleSize/4) each.
	sampleMargin = 24
)

// nucleus has room for the selection.
type nucleus struct {
	list   []float32 // [tokens]
	sample []float32 // [sampleSize]
}

func newNucleus(tokens int) nucleus {
	return nucleus{list: make([]float32, tokens), sample: make([]float32, sampleSize)}
}

// of returns the limit of the fewest of the largest weights that add up to target or more;
// weights add up to total.
func (n *nucleus) of(weights []float32, target, total float64) limit {
	list := n.candidates(weights, total-target)
	above := 0.0 // the sum of the weights that are larger than those of list; below target
	for margin := sampleMargin; len(list) > sampleSize; {
		low, high := n.bracket(list, target-above, margin)
		overHigh := above + vec.SumFrom(list, next(high))
		overLow := above + vec.SumFrom(list, low)
		from, to := low, next(high)
		switch {
		case overHigh >= target:
			from, to = next(high), inf
		case overLow < target:
			from, to, above = 0, low, overLow
		case low == high:
			return n.equals(weights, low, target-overHigh)
		default:
			above = overHigh
		}
		kept := vec.Between(list, list, from, to)
		switch kept {
		case 0: // by rounding, all of them do not add up to target
			return limit{low, len(weights)}
		case len(list): // few different weights: take one of them away at a time
			margin = 0
		}
		list = list[:kept]
	}
	return n.end(weights, list, target-above)
}

// candidates lists the weights that can be in the nucleus, rest being the sum of those that
// need not be. One of n tokens that weighs less than rest/n cannot: it and those below it are
// less than rest together.
func (n *nucleus) candidates(weights []float32, rest float64) []float32 {
	least := float32(rest / float64(len(weights)) * 0.999) // room for rounding
	kept := vec.Between(n.list, weights, max(least, math.SmallestNonzeroFloat32), inf)
	return n.list[:kept]
}

// bracket returns two weights of list that are likely to have the one between them at which
// the sum of list, largest first, reaches target. They are found from the low end, where no
// single weight decides. A margin of 0 makes them one.
func (n *nucleus) bracket(list []float32, target float64, margin int) (low, high float32) {
	for i := range n.sample {
		n.sample[i] = list[i*len(list)/sampleSize]
	}
	slices.Sort(n.sample)
	rest := (vec.SumFrom(list, 0) - target) * sampleSize / float64(len(list))
	at, below := 0, 0.0
	for at < sampleSize-1 && below+float64(n.sample[at]) < rest {
		below += float64(n.sample[at])
		at++
	}
	return n.sample[max(at-margin, 0)], n.sample[min(at+margin, sampleSize-1)]
}

// end is the selection in a short list, by sorting it.
func (n *nucleus) end(weights, list []float32, target float64) limit {
	slices.Sort(list)
	for above, end := 0.0, len(list); ; {
		one := list[end-1]
		first, _ := slices.BinarySearch(list[:end], one)
		sum := above + float64(float64(one)*float64(end-first))
		if sum >= target || first == 0 {
			return n.equals(weights, one, target-above)
		}
		above, end = sum, first
	}
}

// equals is the limit that keeps, of the weights that equal one, the first that add up to
// target, one at least.
func (n *nucleus) equals(weights []float32, one float32, target float64) limit {
	missing := max(int(math.Ceil(target/float64(one))), 1)
	for i := range blocks(len(weights)) {
		b := block(weights, i)
		found := vec.Between(n.list, b, one, next(one))
		if found >= missing {
			return limit{one, i*blockSize + findNth(b, one, missing)}
		}
		missing -= found
	}
	return limit{one, len(weights)}
}

// findNth returns the index of the n-th x in block.
func findNth(block []float32, x float32, n int) int {
	for i, v := range block {
		if v == x {
			if n--; n == 0 {
				return i
			}
		}
	}
	return len(block) - 1
}
