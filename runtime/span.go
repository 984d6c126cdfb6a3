package runtime

import "octet/quant"

// batch is the number of tokens that go through the layers together in prefill.
const batch = 512

// activations is the memory of the forward pass of a batch of n tokens.
type activations struct {
	x        []float32 // [n, dim], the residual stream
	q        []float32 // [n, heads*headDim]
	cos, sin []float32 // [n, headDim/2]
	freq     []float32 // [headDim/2]
	logits   []float32 // [positions wanted, vocab]
	whole    span      // the batch on all workers
	own      []span    // some tokens on one worker each
	step     spanTask
}

// span is some tokens of a batch on the way through a layer, and the memory for what becomes
// of them. Its pool does the work.
type span struct {
	s        *Session
	pool     *quant.Pool
	in       *quant.Input
	first, n int       // tokens of the batch
	h        []float32 // [n, dim]
	k, v     []float32 // [n, kvHeads*headDim]
	att      []float32 // [n, heads*headDim]
	gate, up []float32 // [n, hidden]
	attender attention
	spread   spread
	step     tokenTask
	products []quant.Product
}

// A long batch is divided into spans, each on a worker of its own: what a layer computes
// stays in that core's caches, and nobody waits for others. They are multiples of
// spanMultiple tokens, which matrices take well, and at most spanTokens.
const (
	spanMultiple = 16
	spanTokens   = 128
)

// spanSize is the number of tokens of a span of n on so many workers, or 0: too few tokens
// to divide.
func spanSize(n, workers int) int {
	if n < 2*spanMultiple*workers {
		return 0
	}
	spans := parts(parts(n, spanTokens), workers) * workers
	return roundUp(parts(n, spans), spanMultiple)
}

// spanTask is a step of a layer, as work for the pool. Items are spans.
type spanTask struct {
	do    func(p *span, l *layer, kv cache)
	layer *layer
	kv    cache

	s       *Session
	n, size int
}

// forSpans runs a step for a batch of n tokens.
func (s *Session) forSpans(n int, t spanTask) {
	pool := s.model.pool
	t.s, t.n, t.size = s, n, spanSize(n, pool.Threads())
	if t.size == 0 {
		s.act.whole.take(0, n)
		t.do(&s.act.whole, t.layer, t.kv)
		return
	}
	s.act.step = t
	pool.Run(parts(n, t.size), 1, &s.act.step)
}

// Do implements quant.Task.
func (t *spanTask) Do(w, lo, hi int) {
	p := &t.s.act.own[w]
	for ; lo < hi; lo++ {
		first := lo * t.size
		p.take(first, min(t.size, t.n-first))
		t.do(p, t.layer, t.kv)
	}
}

// newActivations returns the memory for the batches of a session.
func newActivations(s *Session) (a activations) {
	m := s.model
	a.whole = span{s: s, pool: m.pool, in: quant.NewInput(m.options.Activations)}
	a.own = make([]span, m.pool.Threads())
	for i := range a.own {
		a.own[i] = span{s: s, pool: quant.NewPool(1), in: quant.NewInput(m.options.Activations)}
	}
	return a
}

// resize makes room for n tokens.
func (a *activations) resize(m *Model, n int) {
	c := m.config
	a.x = grow(a.x, n*c.HiddenSize)
	a.q = grow(a.q, n*c.NumHeads*c.HeadDim)
	a.cos, a.sin = grow(a.cos, n*c.HeadDim/2), grow(a.sin, n*c.HeadDim/2)
}

// take makes the span n tokens from first on.
func (p *span) take(first, n int) {
	c := p.s.model.config
	p.first, p.n = first, n
	for _, b := range []struct {
		buf   *[]float32
		width int
	}{
		{&p.h, c.HiddenSize}, {&p.att, c.NumHeads * c.HeadDim},
		{&p.k, c.NumKVHeads * c.HeadDim}, {&p.v, c.NumKVHeads * c.HeadDim},
		{&p.gate, c.IntermediateSize}, {&p.up, c.IntermediateSize},
	} {
		*b.buf = grow(*b.buf, n*b.width)
	}
}

// pos is the position of the span's first token.
func (p *span) pos() int { return len(p.s.ids) + p.first }

// residual is the span's part of the residual stream [n, dim].
func (p *span) residual() []float32 { return p.tokens(p.s.act.x, p.s.model.config.HiddenSize) }

// queries are the span's [n, heads*headDim].
func (p *span) queries() []float32 {
	c := p.s.model.config
	return p.tokens(p.s.act.q, c.NumHeads*c.HeadDim)
}

// tokens is the span's part of x, which has width values for each token of the batch.
func (p *span) tokens(x []float32, width int) []float32 {
	return x[p.first*width:][:p.n*width]
}
