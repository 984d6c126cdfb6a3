package sampler

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// stream is the second half of PCG's seed: a constant, so that Options.Seed says it all.
const stream = 0x6f63746574 // "octet"

var (
	negInf = float32(math.Inf(-1))
	inf    = float32(math.Inf(1))
)

// Sampler picks tokens and remembers those that its penalties look at.
type Sampler struct {
	options Options
	vocab   int
	bias    []bias // Options.LogitBias
	history history
	pcg     *rand.PCG
	random  *rand.Rand

	logits []float32 // [vocab] room for them with bias and penalties; nil without these
	maxima []float32 // [blocks] the largest logit of each block
	best   *bestK    // nil without top-k
	masses *masses   // nil at temperature 0
}

// bias is what is added to the logit of a token.
type bias struct {
	id    int
	added float32
}

// New returns a sampler for logits of vocab tokens. An error names the option that is out of
// its range.
func New(vocab int, o Options) (*Sampler, error) {
	if err := o.Validate(vocab); err != nil {
		return nil, err
	}
	s := &Sampler{options: o, vocab: vocab, history: newHistory(vocab, o), pcg: rand.NewPCG(o.Seed, stream)}
	s.random = rand.New(s.pcg)
	for id, x := range o.LogitBias {
		s.bias = append(s.bias, bias{id, x})
	}
	if len(s.bias) > 0 || s.history.on {
		s.logits = make([]float32, vocab)
	}
	s.maxima = make([]float32, blocks(vocab))
	kept := vocab
	if o.TopK > 0 && o.TopK < vocab {
		s.best, kept = newBestK(vocab, o.TopK), o.TopK
	}
	if o.Temperature > 0 {
		s.masses = newMasses(kept, o)
	}
	s.options.LogitBias = nil // the caller's
	return s, nil
}

// Sample returns the id of the next token. It leaves logits [vocab] as they are and does not
// add the result to the history: see [Sampler.Accept].
func (s *Sampler) Sample(logits []float32) int {
	logits = s.adjusted(logits)
	best := largest(logits, s.maxima)
	if s.options.Temperature == 0 {
		return best
	}
	u := s.random.Float64()
	top := logits[best]
	if !(top >= -math.MaxFloat32 && top <= math.MaxFloat32) {
		return best // ±Inf or NaN: nothing to choose from
	}
	if s.best == nil {
		s.masses.weigh(logits, top)
		return s.masses.pick(u)
	}
	s.best.keep(logits, s.maxima)
	s.masses.weigh(s.best.logits, top)
	return s.best.ids[s.masses.pick(u)]
}

// adjusted returns logits after bias and penalties: the same slice if there are none.
func (s *Sampler) adjusted(logits []float32) []float32 {
	if len(logits) != s.vocab {
		panic(fmt.Sprintf("sampler: %d logits for a vocabulary of %d", len(logits), s.vocab))
	}
	if s.logits == nil {
		return logits
	}
	copy(s.logits, logits)
	for _, b := range s.bias {
		s.logits[b.id] += b.added
	}
	s.history.penalize(s.logits, s.options)
	return s.logits
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
