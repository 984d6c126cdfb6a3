package sampler

import (
	"math"

	"octet/internal/vec"
)

// nucleus selects for top-p, among weights.
type nucleus struct {
	selection
}

func newNucleus(tokens int) *nucleus { return &nucleus{newSelection(tokens, weight{})} }

// limit returns that of the fewest of the largest weights that add up to target or more;
// weights add up to total.
func (n *nucleus) limit(weights []float32, target, total float64) limit {
	list := n.candidates(weights, total-target)
	if len(list) < len(weights) {
		total = n.mass.from(list, 0)
	}
	return n.of(weights, nil, list, total, target)
}

// candidates lists the weights that can be in the nucleus, rest being the sum of those that
// need not be. One of n tokens that weighs less than rest/n cannot: it and those below it are
// less than rest together.
func (n *nucleus) candidates(weights []float32, rest float64) []float32 {
	least := float32(rest / float64(len(weights)) * 0.999) // room for rounding
	kept := vec.Between(n.list, weights, max(least, math.SmallestNonzeroFloat32), inf)
	return n.list[:kept]
}
