package sampler

import (
	"math"

	"octet/internal/vec"
)

// masses are the weights of some tokens, what top-p and min-p keep of them, and one draw.
// Tokens are indices here: ids, or positions among the best k.
type masses struct {
	topP, factor float64 // factor is 1/temperature
	minP         float32
	room         []float32 // [tokens] of weights
	weights      []float32 // [tokens of this turn] e^((logit-largest)/temperature)
	sums         []float64 // [blocks] of the weights kept
	kept         limit
	nucleus      *nucleus // nil without top-p
}

func newMasses(tokens int, o Options) *masses {
	m := &masses{topP: o.TopP, minP: float32(o.MinP)}
	// The factor of even the smallest temperature is a number, so that 0 times it is 0.
	m.factor = min(1/o.Temperature, math.MaxFloat64)
	m.room, m.sums = make([]float32, tokens), make([]float64, blocks(tokens))
	if o.TopP > 0 && o.TopP < 1 {
		m.nucleus = newNucleus(tokens)
	}
	return m
}

// sum adds what l keeps of the weights, whose first one has the index given.
func (l limit) sum(weights []float32, first int) float64 {
	equals := min(max(l.last+1-first, 0), len(weights))
	return vec.SumFrom(weights[:equals], l.least) + vec.SumFrom(weights[equals:], next(l.least))
}

// weigh sets the weights of logits, of which largest is the largest, and the sums of those
// that top-p and min-p keep.
func (m *masses) weigh(logits []float32, largest float32) {
	m.weights, m.sums = m.room[:len(logits)], m.sums[:blocks(len(logits))]
	total := 0.0
	for i := range m.sums {
		m.sums[i] = vec.Weights(block(m.weights, i), block(logits, i), largest, m.factor)
		total += m.sums[i]
	}
	m.kept = limit{0, -1}
	if m.nucleus != nil {
		m.kept = m.nucleus.limit(m.weights, float64(m.topP*total), total)
	}
	if m.minP > m.kept.least { // the best one weighs 1
		m.kept = limit{m.minP, len(logits)}
	}
	if m.kept.least > 0 {
		for i := range m.sums {
			m.sums[i] = m.kept.sum(block(m.weights, i), i*blockSize)
		}
	}
}

// pick returns the index at which the sum of the weights kept, in order, exceeds u times
// their total: first the block in which it does, by the sums of the blocks, then the index
// in it. Where the two disagree by their rounding it is the last one of the block.
func (m *masses) pick(u float64) int {
	total := 0.0
	for _, sum := range m.sums {
		total += sum
	}
	target := float64(u * total)
	before, at := 0.0, 0
	for i, sum := range m.sums {
		if sum == 0 {
			continue
		}
		at = i
		if before+sum > target {
			break
		}
		before += sum
	}
	return m.pickIn(at, before, target)
}

// pickIn is pick in block i, before being the sum of the blocks before it.
func (m *masses) pickIn(i int, before, target float64) int {
	last := 0
	for j, w := range block(m.weights, i) {
		index := i*blockSize + j
		if !m.kept.has(index, w) {
			continue
		}
		last = index
		before += float64(w)
		if before > target {
			break
		}
	}
	return last
}
