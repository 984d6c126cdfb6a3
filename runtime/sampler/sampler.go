package sampler

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"

	"octet/internal/vec"
)

// stream is the second half of PCG's seed: a constant, so that Options.Seed says it all.
const stream = 0x6f63746574 // "octet"

var negInf = float32(math.Inf(-1))

// Sampler picks tokens and remembers those that its penalties look at.
type Sampler struct {
	options Options
	history history
	pcg     *rand.PCG
	random  *rand.Rand

	logits  []float32 // [vocab] after bias and penalties, then scaled: (logit - largest) / temperature
	weights []float32 // [vocab] eˣ of the scaled logits, 0 for what was dropped
	topK    bestK
	nucleus []candidate // room for top-p, [vocab]
}

// New returns a sampler for logits of vocab tokens. An error names the option that is out of
// its range.
func New(vocab int, o Options) (*Sampler, error) {
	if err := o.Validate(vocab); err != nil {
		return nil, err
	}
	o.LogitBias = maps.Clone(o.LogitBias)
	s := &Sampler{options: o, pcg: rand.NewPCG(o.Seed, stream), history: newHistory(vocab, o)}
	s.random = rand.New(s.pcg)
	s.logits = make([]float32, vocab)
	if o.Temperature > 0 {
		s.weights = make([]float32, vocab)
	}
	if o.TopK > 0 && o.TopK < vocab {
		s.topK = make(bestK, 0, o.TopK)
	}
	if o.TopP > 0 && o.TopP < 1 {
		s.nucleus = make([]candidate, 0, vocab)
	}
	return s, nil
}

// Sample returns the id of the next token. It leaves logits [vocab] as they are and does not
// add the result to the history: see [Sampler.Accept].
func (s *Sampler) Sample(logits []float32) int {
	if len(logits) != len(s.logits) {
		panic(fmt.Sprintf("sampler: %d logits for a vocabulary of %d", len(logits), len(s.logits)))
	}
	copy(s.logits, logits)
	for id, bias := range s.options.LogitBias {
		s.logits[id] += bias
	}
	s.history.penalize(s.logits, s.options)
	best := Argmax(s.logits)
	if s.options.Temperature == 0 {
		return best
	}
	u := s.random.Float64()
	if x := s.logits[best]; !(x >= -math.MaxFloat32 && x <= math.MaxFloat32) {
		return best // ±Inf or NaN: nothing to choose from
	}
	s.scale(s.logits[best])
	return s.pick(u, s.filter())
}

// Accept adds a token of the prompt or of the answer to what the penalties look at.
func (s *Sampler) Accept(id int) { s.history.accept(id) }

// Truncate takes back all but the first n accepted tokens. The random numbers go on: what
// was drawn stays drawn.
func (s *Sampler) Truncate(n int) { s.history.truncate(n) }

// Reset forgets all accepted tokens and starts the random numbers again from the seed.
func (s *Sampler) Reset() {
	s.history.truncate(0)
	s.pcg.Seed(s.options.Seed, stream)
}

// Argmax returns the index of the largest logit, the first of equals. NaN counts as -Inf;
// without any larger value the result is 0.
func Argmax(logits []float32) int {
	best, largest := 0, negInf
	for id, x := range logits {
		if x > largest {
			best, largest = id, x
		}
	}
	return best
}

// scale makes the largest logit 0 and divides by the temperature, in float64, where even
// the smallest temperature is no zero.
func (s *Sampler) scale(largest float32) {
	temperature := s.options.Temperature
	for id, x := range s.logits {
		if x != x {
			x = negInf
		}
		s.logits[id] = float32(float64(x-largest) / temperature)
	}
}

// filter sets the weights of the tokens that the options keep and returns their sum.
func (s *Sampler) filter() float64 {
	limit := worst
	if cap(s.topK) > 0 {
		limit = s.topK.threshold(s.logits)
	}
	total := s.weigh(limit)
	limit = worst
	if cap(s.nucleus) > 0 {
		limit = s.topP(total)
	}
	minP := float32(s.options.MinP) // of the best one, whose weight is 1
	if limit == worst && minP == 0 {
		return total
	}
	total = 0
	for id, w := range s.weights {
		if w < minP || limit.better(candidate{s.logits[id], id}) {
			s.weights[id] = 0
			continue
		}
		total += float64(w)
	}
	return total
}

// weigh sets the weights of the tokens that are not worse than limit, the others to 0.
func (s *Sampler) weigh(limit candidate) (total float64) {
	for id, x := range s.logits {
		if limit.better(candidate{x, id}) {
			s.weights[id] = 0
			continue
		}
		w := vec.Exp(x)
		s.weights[id] = w
		total += float64(w)
	}
	return total
}

// pick returns the first id at which the sum of the weights exceeds u times their total.
func (s *Sampler) pick(u, total float64) int {
	target := u * total
	sum, last := 0.0, 0
	for id, w := range s.weights {
		if w == 0 {
			continue
		}
		sum += float64(w)
		last = id
		if sum > target {
			break
		}
	}
	return last
}
