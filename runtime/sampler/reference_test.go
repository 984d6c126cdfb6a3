package sampler

import (
	"math"
	"math/rand/v2"
	"slices"
)

// reference is the whole chain in its plainest form: float64, everything sorted.
type reference struct {
	options Options
	seen    []int
	random  *rand.Rand
}

func newReference(o Options) *reference {
	return &reference{options: o, random: rand.New(rand.NewPCG(o.Seed, stream))}
}

// adjusted returns logits after bias and penalties.
func (r *reference) adjusted(logits []float32) []float64 {
	o := r.options
	window := r.seen
	if o.PenaltyWindow > 0 && len(window) > o.PenaltyWindow {
		window = window[len(window)-o.PenaltyWindow:]
	}
	counts := map[int]float64{}
	for _, id := range window {
		counts[id]++
	}
	x := make([]float64, len(logits))
	for id := range x {
		x[id] = float64(logits[id] + o.LogitBias[id])
		n := counts[id]
		if n == 0 {
			continue
		}
		if o.RepetitionPenalty != 0 {
			if x[id] > 0 {
				x[id] /= o.RepetitionPenalty
			} else {
				x[id] *= o.RepetitionPenalty
			}
		}
		x[id] -= n*o.FrequencyPenalty + o.PresencePenalty
	}
	return x
}

// probabilities returns those of all tokens, 0 for the ones dropped.
func (r *reference) probabilities(logits []float32) []float64 {
	o, x := r.options, r.adjusted(logits)
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] > x[b]:
			return -1
		case x[a] < x[b]:
			return 1
		}
		return 0
	})
	largest := x[order[0]]
	p := make([]float64, len(x))
	if o.TopK > 0 && o.TopK < len(order) {
		order = order[:o.TopK]
	}
	total := 0.0
	for _, id := range order {
		p[id] = math.Exp((x[id] - largest) / o.Temperature)
		total += p[id]
	}
	if o.TopP > 0 && o.TopP < 1 {
		keep, sum := 0, 0.0
		for keep < len(order) && sum < o.TopP*total {
			sum += p[order[keep]]
			keep++
		}
		for _, id := range order[keep:] {
			p[id] = 0
		}
	}
	best := p[order[0]]
	total = 0
	for id := range p {
		if p[id] < o.MinP*best {
			p[id] = 0
		}
		total += p[id]
	}
	for id := range p {
		p[id] /= total
	}
	return p
}

// sample draws as Sample documents it.
func (r *reference) sample(logits []float32) int {
	if r.options.Temperature == 0 {
		best := 0
		x := r.adjusted(logits)
		for id := range x {
			if x[id] > x[best] {
				best = id
			}
		}
		return best
	}
	u, sum := r.random.Float64(), 0.0
	last := 0
	for id, p := range r.probabilities(logits) {
		if p == 0 {
			continue
		}
		sum += p
		last = id
		if sum > u {
			break
		}
	}
	return last
}
