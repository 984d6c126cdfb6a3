package runtime

import "octet/internal/vec"

// tokenTask is a step of the forward pass that treats each token alone, as work for the
// pool. Items are tokens.
type tokenTask struct {
	do func(t *tokenTask, lo, hi int)
	p  *span

	weight []float32 // normTokens
	layer  *layer    // placeTokens
	kv     cache
}

// Do implements quant.Task.
func (t *tokenTask) Do(_, lo, hi int) { t.do(t, lo, hi) }

// tokenChunk is the number of tokens that are worth another worker.
const tokenChunk = 8

// forTokens runs a step for the span's tokens.
func (p *span) forTokens(t tokenTask) {
	p.step, p.step.p = t, p
	p.pool.Run(p.n, tokenChunk, &p.step)
}

// addTokens adds h to the residual stream.
func addTokens(t *tokenTask, lo, hi int) {
	dim := t.p.s.model.config.HiddenSize
	vec.Add(t.p.residual()[lo*dim:hi*dim], t.p.h[lo*dim:hi*dim])
}

// normTokens sets h to the norm of the residual stream.
func normTokens(t *tokenTask, lo, hi int) {
	x, dim, eps := t.p.residual(), len(t.weight), float32(t.p.s.model.config.NormEps)
	for ; lo < hi; lo++ {
		vec.RMSNorm(t.p.h[lo*dim:][:dim], x[lo*dim:][:dim], t.weight, eps)
	}
}

// gateTokens sets gate to silu(gate) * up.
func gateTokens(t *tokenTask, lo, hi int) {
	dim := t.p.s.model.config.IntermediateSize
	gate := t.p.gate[lo*dim : hi*dim]
	vec.SiLUMul(gate, gate, t.p.up[lo*dim:hi*dim])
}

// placeTokens gives queries and keys their norms, where the layer has them, and their
// positions by RoPE, and stores keys and values.
func placeTokens(t *tokenTask, lo, hi int) {
	p, m := t.p, t.p.s.model
	c, r, queries := m.config, &m.spec.rope, p.queries()
	half, qDim, kvDim := c.HeadDim/2, c.NumHeads*c.HeadDim, c.NumKVHeads*c.HeadDim
	for ; lo < hi; lo++ {
		q, k := queries[lo*qDim:][:qDim], p.k[lo*kvDim:][:kvDim]
		if t.layer.qNorm != nil {
			normHeads(q, t.layer.qNorm, float32(c.NormEps))
			normHeads(k, t.layer.kNorm, float32(c.NormEps))
		}
		cos, sin := p.tokens(p.s.act.cos, half)[lo*half:][:half], p.tokens(p.s.act.sin, half)[lo*half:][:half]
		r.rotate(q, cos, sin)
		r.rotate(k, cos, sin)
		t.kv.store(k, p.v[lo*kvDim:][:kvDim], p.pos()+lo)
	}
}

// normHeads applies RMSNorm to each head of x [heads, headDim].
func normHeads(x, weight []float32, eps float32) {
	for ; len(x) > 0; x = x[len(weight):] {
		vec.RMSNorm(x[:len(weight)], x[:len(weight)], weight, eps)
	}
}
