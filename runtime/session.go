package runtime

import (
	"context"
	"fmt"
)

// Session is one sequence of tokens with its key/value cache. One goroutine at a time.
type Session struct {
	model  *Model
	ids    []int // the tokens whose keys and values are cached
	room   int   // positions that the caches have memory for
	caches []cache
	act    activations

	// OnHidden, if set, is called in Eval with the hidden states that enter layer 0, 1, …
	// and those that leave the last one: h [n, hidden size] for positions pos … pos+n-1,
	// valid during the call.
	OnHidden func(layer, pos int, h []float32)
}

// NewSession returns an empty sequence.
func (m *Model) NewSession() *Session {
	s := &Session{
		model:  m,
		caches: make([]cache, len(m.layers)),
	}
	s.act = newActivations(s)
	for i := range s.caches {
		s.caches[i] = m.newCache()
	}
	return s
}

// IDs returns the tokens that the session holds. The slice is the session's own.
func (s *Session) IDs() []int { return s.ids }

// Len is the number of tokens that the session holds.
func (s *Session) Len() int { return len(s.ids) }

// Model is the model that the session belongs to.
func (s *Session) Model() *Model { return s.model }

// Truncate forgets all but the first n tokens; 0 ≤ n ≤ Len.
func (s *Session) Truncate(n int) {
	if n < 0 || n > len(s.ids) {
		panic(fmt.Sprintf("runtime: truncating a session of %d tokens to %d", len(s.ids), n))
	}
	s.ids = s.ids[:n]
}

// Eval appends ids to the sequence and returns the logits of the last `last` of them,
// [last, vocabulary], row-major, 0 ≤ last ≤ len(ids). The slice belongs to the session
// until its next call. An error wraps ErrToken, ErrContext (nothing was appended then) or is
// that of ctx, which is looked at between layers; Len tells how far it came.
func (s *Session) Eval(ctx context.Context, ids []int, last int) ([]float32, error) {
	if last < 0 || last > len(ids) {
		panic(fmt.Sprintf("runtime: logits of the last %d of %d tokens wanted", last, len(ids)))
	}
	if err := s.check(ids); err != nil {
		return nil, err
	}
	c := s.model.config
	s.reserve(len(s.ids) + len(ids))
	s.act.freq = s.model.spec.rope.frequencies(len(s.ids) + len(ids))
	s.act.logits = grow(s.act.logits, last*c.VocabSize)
	skip := len(ids) - last // tokens whose logits nobody wants
	for from := 0; from < len(ids); from += batch {
		part := ids[from:min(from+batch, len(ids))]
		if err := s.forward(ctx, part); err != nil {
			return nil, err
		}
		if n := from + len(part) - max(skip, from); n > 0 {
			s.head(s.act.logits[(max(skip, from)-skip)*c.VocabSize:], len(part)-n, n)
		}
	}
	return s.act.logits, nil
}

func (s *Session) check(ids []int) error {
	for _, id := range ids {
		if id < 0 || id >= s.model.config.VocabSize {
			return fmt.Errorf("%w: id %d, the vocabulary has %d", ErrToken, id, s.model.config.VocabSize)
		}
	}
	if have := s.model.context - len(s.ids); len(ids) > have {
		return fmt.Errorf("%w: %d tokens do not fit, %d of %d positions are left", ErrContext, len(ids), have, s.model.context)
	}
	return nil
}

// grow returns x with length n, reallocated if it is too small; its content is lost then.
func grow(x []float32, n int) []float32 {
	if n <= cap(x) {
		return x[:n]
	}
	return make([]float32, n)
}
