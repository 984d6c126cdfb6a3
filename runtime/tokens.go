package runtime

import "octet/internal/vec"

// tokenTask is a step of the forward pass that treats each token alone, as work for the
// pool. Items are tokens.
type tokenTask struct {
	do func(t *tokenTask, lo, hi int)
	s  *Session

	weight []float32 // normTokens
	layer  *layer    // placeTokens
	kv     cache
	pos    int
}

// Do implements quant.Task.
func (t *tokenTask) Do(_, lo, hi int) { t.do(t, lo, hi) }

// tokenChunk is the number of tokens that are worth another worker.
const tokenChunk = 8

// forTokens runs a step for n tokens.
func (s *Session) forTokens(n int, t tokenTask) {
	s.act.step, s.act.step.s = t, s
	s.model.pool.Run(n, tokenChunk, &s.act.step)
}

// addTokens adds act.h to the residual stream.
func addTokens(t *tokenTask, lo, hi int) {
	a, dim := &t.s.act, t.s.model.config.HiddenSize
	vec.Add(a.x[lo*dim:hi*dim], a.h[lo*dim:hi*dim])
}

// normTokens sets act.h to the norm of act.x.
func normTokens(t *tokenTask, lo, hi int) {
	a, dim, eps := &t.s.act, len(t.weight), float32(t.s.model.config.NormEps)
	for ; lo < hi; lo++ {
		vec.RMSNorm(a.h[lo*dim:][:dim], a.x[lo*dim:][:dim], t.weight, eps)
	}
}

// gateTokens sets act.gate to silu(gate) * up.
func gateTokens(t *tokenTask, lo, hi int) {
	a, dim := &t.s.act, t.s.model.config.IntermediateSize
	gate := a.gate[lo*dim : hi*dim]
	vec.SiLUMul(gate, gate, a.up[lo*dim:hi*dim])
}

// placeTokens gives act.q and act.k their norms, where the layer has them, and their
// positions by RoPE, and stores keys and values.
func placeTokens(t *tokenTask, lo, hi int) {
	a, c, r := &t.s.act, t.s.model.config, &t.s.model.spec.rope
	half, qDim, kvDim := c.HeadDim/2, c.NumHeads*c.HeadDim, c.NumKVHeads*c.HeadDim
	for ; lo < hi; lo++ {
		q, k := a.q[lo*qDim:][:qDim], a.k[lo*kvDim:][:kvDim]
		if t.layer.qNorm != nil {
			normHeads(q, t.layer.qNorm, float32(c.NormEps))
			normHeads(k, t.layer.kNorm, float32(c.NormEps))
		}
		cos, sin := a.cos[lo*half:][:half], a.sin[lo*half:][:half]
		r.rotate(q, cos, sin)
		r.rotate(k, cos, sin)
		t.kv.store(k, a.v[lo*kvDim:][:kvDim], t.pos+lo)
	}
}

// normHeads applies RMSNorm to each head of x [heads, headDim].
func normHeads(x, weight []float32, eps float32) {
	for ; len(x) > 0; x = x[len(weight):] {
		vec.RMSNorm(x[:len(weight)], x[:len(weight)], weight, eps)
	}
}
