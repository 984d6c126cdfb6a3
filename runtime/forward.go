package runtime

import (
	"octet/internal/vec"
)

// forward runs ids through the layers and appends them to the sequence; the hidden states
// are left in act.x [n, dim].
func (s *Session) forward(ids []int) {
	m, n, pos := s.model, len(ids), len(s.ids)
	s.act.resize(m, n)
	for t, id := range ids {
		m.embed.Row(s.act.x[t*m.config.HiddenSize:][:m.config.HiddenSize], id)
	}
	m.spec.rope.fill(s.act.cos, s.act.sin, s.act.freq, pos, n)
	for i := range m.layers {
		s.hidden(i, pos)
		s.block(&m.layers[i], s.caches[i], pos, n)
	}
	s.hidden(len(m.layers), pos)
	s.ids = append(s.ids, ids...)
}

func (s *Session) hidden(layer, pos int) {
	if s.OnHidden != nil {
		s.OnHidden(layer, pos, s.act.x)
	}
}

// block is one decoder layer for n tokens at positions pos … pos+n-1:
// x += attention(norm(x)); x += feedForward(norm(x)).
func (s *Session) block(l *layer, c cache, pos, n int) {
	s.normalize(l.attnNorm, n)
	s.attention(l, c, pos, n)
	s.forTokens(n, tokenTask{do: addTokens})
	s.normalize(l.ffnNorm, n)
	s.feedForward(l, n)
	s.forTokens(n, tokenTask{do: addTokens})
}

// normalize sets act.h to the norm of act.x and makes it the input of the next matrices.
func (s *Session) normalize(weight []float32, n int) {
	s.forTokens(n, tokenTask{do: normTokens, weight: weight})
	s.act.in.Set(s.act.h, n, len(weight))
}

// attention sets act.h [n, dim] to the attention of the tokens in act.in over all before them.
func (s *Session) attention(l *layer, kv cache, pos, n int) {
	a, c := &s.act, s.model.config
	s.mul(a.q, l.q)
	s.mul(a.k, l.k)
	s.mul(a.v, l.v)
	s.forTokens(n, tokenTask{do: placeTokens, layer: l, kv: kv, pos: pos})
	s.attend(kv, pos, n)
	a.in.Set(a.att, n, c.NumHeads*c.HeadDim)
	s.mul(a.h, l.o)
}

// feedForward sets act.h to down(silu(gate(in)) * up(in)).
func (s *Session) feedForward(l *layer, n int) {
	a := &s.act
	s.mul(a.gate, l.gate)
	s.mul(a.up, l.up)
	s.forTokens(n, tokenTask{do: gateTokens})
	a.in.Set(a.gate, n, s.model.config.IntermediateSize)
	s.mul(a.h, l.down)
}

// mul sets dst [n, rows] to the linear layer of act.in [n, cols].
func (s *Session) mul(dst []float32, l linear) {
	l.weight.Mul(s.model.pool, dst, s.act.in)
	if l.bias == nil {
		return
	}
	for ; len(dst) > 0; dst = dst[len(l.bias):] {
		vec.Add(dst[:len(l.bias)], l.bias)
	}
}

// head sets dst [n, vocab] to the logits of tokens from … from+n-1 of the batch in act.x.
func (s *Session) head(dst []float32, from, n int) {
	m, dim := s.model, s.model.config.HiddenSize
	for t := range n {
		vec.RMSNorm(s.act.h[t*dim:][:dim], s.act.x[(from+t)*dim:][:dim], m.norm, float32(m.config.NormEps))
	}
	s.act.in.Set(s.act.h[:n*dim], n, dim)
	m.head.Mul(m.pool, dst[:n*m.config.VocabSize], s.act.in)
}

// resize makes the scratch memory fit n tokens.
func (a *activations) resize(m *Model, n int) {
	c := m.config
	for _, b := range []struct {
		buf   *[]float32
		width int
	}{
		{&a.x, c.HiddenSize}, {&a.h, c.HiddenSize},
		{&a.q, c.NumHeads * c.HeadDim}, {&a.att, c.NumHeads * c.HeadDim},
		{&a.k, c.NumKVHeads * c.HeadDim}, {&a.v, c.NumKVHeads * c.HeadDim},
		{&a.gate, c.IntermediateSize}, {&a.up, c.IntermediateSize},
		{&a.cos, c.HeadDim / 2}, {&a.sin, c.HeadDim / 2},
	} {
		*b.buf = grow(*b.buf, n*b.width)
	}
}
