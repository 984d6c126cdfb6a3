package runtime

import (
	"context"

	"octet/internal/vec"
	"octet/quant"
)

// forward runs ids through the layers and appends them to the sequence; the hidden states
// are left in act.x [n, dim]. ctx is looked at between layers: on its error nothing is
// appended.
func (s *Session) forward(ctx context.Context, ids []int) error {
	m, n, pos := s.model, len(ids), len(s.ids)
	s.act.resize(m, n)
	for t, id := range ids {
		m.embed.Row(s.act.x[t*m.config.HiddenSize:][:m.config.HiddenSize], id)
	}
	m.spec.rope.fill(s.act.cos, s.act.sin, s.act.freq, pos, n)
	for i := range m.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.hidden(i, pos)
		s.block(&m.layers[i], s.caches[i], n)
	}
	s.hidden(len(m.layers), pos)
	s.ids = append(s.ids, ids...)
	return nil
}

func (s *Session) hidden(layer, pos int) {
	if s.OnHidden != nil {
		s.OnHidden(layer, pos, s.act.x)
	}
}

// block is one decoder layer for n tokens: x += attention(norm(x)); x += feedForward(norm(x)).
// It has two steps, because tokens attend to the keys and values of all before them.
func (s *Session) block(l *layer, kv cache, n int) {
	s.forSpans(n, spanTask{do: (*span).project, layer: l, kv: kv})
	s.forSpans(n, spanTask{do: (*span).transform, layer: l, kv: kv})
}

// project makes queries of norm(x), and keys and values, which it stores.
func (p *span) project(l *layer, kv cache) {
	p.normalize(l.attnNorm)
	p.mul(output{p.queries(), &l.q}, output{p.k, &l.k}, output{p.v, &l.v})
	p.forTokens(tokenTask{do: placeTokens, layer: l, kv: kv})
}

// transform adds the attention to x, and what the feed-forward network makes of the sum.
func (p *span) transform(l *layer, kv cache) {
	p.attention(l, kv)
	p.forTokens(tokenTask{do: addTokens})
	p.normalize(l.ffnNorm)
	p.feedForward(l)
	p.forTokens(tokenTask{do: addTokens})
}

// normalize sets h to the norm of x and makes it the input of the next matrices.
func (p *span) normalize(weight []float32) {
	p.forTokens(tokenTask{do: normTokens, weight: weight})
	p.in.Set(p.h, p.n, len(weight))
}

// attention sets h to the attention of the span's queries over all tokens before them.
func (p *span) attention(l *layer, kv cache) {
	c := p.s.model.config
	p.attend(kv)
	p.in.Set(p.att, p.n, c.NumHeads*c.HeadDim)
	p.mul(output{p.h, &l.o})
}

// feedForward sets h to down(silu(gate(in)) * up(in)).
func (p *span) feedForward(l *layer) {
	p.mul(output{p.gate, &l.gate}, output{p.up, &l.up})
	p.forTokens(tokenTask{do: gateTokens})
	p.in.Set(p.gate, p.n, p.s.model.config.IntermediateSize)
	p.mul(output{p.h, &l.down})
}

// output is what a linear layer makes of the input, and where it goes.
type output struct {
	dst   []float32 // [n, rows]
	layer *linear
}

// mul makes the outputs of the input [n, cols].
func (p *span) mul(outs ...output) {
	p.products = p.products[:0]
	for _, o := range outs {
		p.products = append(p.products, quant.Product{Weight: o.layer.weight, Dst: o.dst})
	}
	quant.MulAll(p.pool, p.in, p.products)
	for _, o := range outs {
		o.layer.addBias(o.dst)
	}
}

// addBias adds the bias, if the layer has one, to x [n, rows].
func (l *linear) addBias(x []float32) {
	for ; l.bias != nil && len(x) > 0; x = x[len(l.bias):] {
		vec.Add(x[:len(l.bias)], l.bias)
	}
}

// head sets dst [n, vocab] to the logits of tokens from … from+n-1 of the batch in act.x.
func (s *Session) head(dst []float32, from, n int) {
	m, p := s.model, &s.act.whole
	p.first, p.n, p.h = from, n, grow(p.h, n*m.config.HiddenSize)
	p.normalize(m.norm)
	m.head.Mul(m.pool, dst[:n*m.config.VocabSize], p.in)
}
