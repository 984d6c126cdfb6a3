package sampler

import (
	"math"
	"slices"

	"octet/internal/vec"
)

// Selections without a sort: top-k and top-p both keep the fewest of the largest values whose
// masses add up to a target. A sorted sample tells between which two values the last of them
// is likely to be; one look at the whole list tells whether it is there, and only what lies
// there is looked at again.
const (
	sampleSize = 256

	// sampleMargin is three standard deviations of how many of the sample are below a
	// given one of the list, at most √(sampleSize/4) each.
	sampleMargin = 24
)

// mass is what a value counts.
type mass interface {
	of(value float32) float64
	from(list []float32, least float32) float64 // of all that are at least least
}

// weight is the mass of weights: themselves.
type weight struct{}

func (weight) of(w float32) float64                       { return float64(w) }
func (weight) from(list []float32, least float32) float64 { return vec.SumFrom(list, least) }

// unit is a mass of 1, whatever the value.
type unit struct {
	room []float32 // [tokens]
}

func (unit) of(float32) float64 { return 1 }

func (u unit) from(list []float32, least float32) float64 {
	return float64(vec.Between(u.room, list, least, inf))
}

// limit says which values are kept: those above least and, up to the index last, those that
// equal it.
type limit struct {
	least float32
	last  int
}

// has tells whether the value x of index i is kept.
func (l limit) has(i int, x float32) bool { return x > l.least || x == l.least && i <= l.last }

// next is the smallest number above x.
func next(x float32) float32 { return math.Nextafter32(x, inf) }

// selection has room for selections among a number of tokens.
type selection struct {
	mass   mass
	list   []float32 // [tokens]
	sample []float32 // [sampleSize]
}

func newSelection(tokens int, m mass) selection {
	return selection{mass: m, list: make([]float32, tokens), sample: make([]float32, sampleSize)}
}

// of returns the limit of the fewest of the largest values whose masses add up to target or
// more; of all values, if they do not. list, which is overwritten, holds those that are not
// known to be below the limit, one at least, and through is their mass. maxima are those of
// the blocks of values, or nil.
func (s *selection) of(values, maxima, list []float32, through, target float64) limit {
	above := 0.0 // the mass of the values that are larger than those of list; below target
	for margin := sampleMargin; len(list) > sampleSize; {
		low, high := s.bracket(list, through-target, margin)
		overHigh := above + s.mass.from(list, next(high))
		overLow := above + s.mass.from(list, low)
		from, to := low, next(high)
		switch {
		case overHigh >= target:
			from, to, through = next(high), inf, overHigh
		case overLow < target:
			from, to, above = negInf, low, overLow
		case low == high:
			return s.equals(values, maxima, low, target-overHigh)
		default:
			above, through = overHigh, overLow
		}
		kept := vec.Between(list, list, from, to)
		switch kept {
		case 0: // all of them do not add up to target
			return limit{low, len(values)}
		case len(list): // few different values: take one of them away at a time
			margin = 0
		}
		list = list[:kept]
	}
	return s.end(values, maxima, list, target-above)
}

// bracket returns two values of list that are likely to have the one between them below which
// lies a mass of rest: from the low end, where no single value decides. A margin of 0 makes
// them one.
func (s *selection) bracket(list []float32, rest float64, margin int) (low, high float32) {
	for i := range s.sample {
		s.sample[i] = list[i*len(list)/sampleSize]
	}
	slices.Sort(s.sample)
	rest *= sampleSize / float64(len(list))
	at, below := 0, 0.0
	for at < sampleSize-1 && below+s.mass.of(s.sample[at]) < rest {
		below += s.mass.of(s.sample[at])
		at++
	}
	return s.sample[max(at-margin, 0)], s.sample[min(at+margin, sampleSize-1)]
}

// end is the selection in a short list, by sorting it.
func (s *selection) end(values, maxima, list []float32, target float64) limit {
	slices.Sort(list)
	for above, end := 0.0, len(list); ; {
		one := list[end-1]
		first, _ := slices.BinarySearch(list[:end], one)
		sum := above + float64(s.mass.of(one)*float64(end-first))
		if sum >= target || first == 0 {
			return s.equals(values, maxima, one, target-above)
		}
		above, end = sum, first
	}
}

// equals is the limit that keeps, of the values that equal one, the first whose masses add up
// to target, one of them at least.
func (s *selection) equals(values, maxima []float32, one float32, target float64) limit {
	missing := max(int(math.Ceil(target/s.mass.of(one))), 1)
	for i := range blocks(len(values)) {
		if maxima != nil && maxima[i] < one {
			continue
		}
		b := block(values, i)
		found := vec.Between(s.list, b, one, next(one))
		if found >= missing {
			return limit{one, i*blockSize + findNth(b, one, missing)}
		}
		missing -= found
	}
	return limit{one, len(values)}
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
