package validate

import (
	"fmt"
	"strings"

	"octet/runtime/tokenizer"
)

// contextTokens is how many tokens of text a Position shows.
const contextTokens = 12

// Prefix returns the tokens that t puts before a text, BOS for example: Options.Prefix for a
// model that was trained with them at the start.
func Prefix(t *tokenizer.Tokenizer) ([]int, error) {
	const probe = "a"
	with, err := t.Encode(probe, true)
	if err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	without, err := t.Encode(probe, false)
	if err != nil {
		return nil, fmt.Errorf("validate: %w", err)
	}
	for n := range with {
		if len(without) > 0 && with[n] == without[0] {
			return with[:n], nil
		}
	}
	return nil, nil
}

// worst lists the positions of largest divergence, with text if t is not nil.
func (c *comparison) worst(t *tokenizer.Tokenizer) []Position {
	list := []Position{} // not null in JSON
	for _, i := range worst(c.distances, c.options.Worst) {
		d := c.distances[i]
		p := Position{Index: i, KL: d.kl, Reference: newGuess(d.reference), Candidate: newGuess(d.candidate)}
		if t != nil {
			p.explain(t, c.ids[max(i-i%c.size, i+1-contextTokens):i+1])
		}
		list = append(list, p)
	}
	return list
}

func newGuess(p prediction) Guess { return Guess{ID: p.top, P: p.p} }

// explain adds the text of the context and of what the models think follows it. The texts
// are there to be looked at: that of ids which t does not know stays empty.
func (p *Position) explain(t *tokenizer.Tokenizer, context []int) {
	p.Context, _ = t.Decode(context, false)
	for _, g := range []*Guess{&p.Reference, &p.Candidate} {
		// Decoded with what is before it, as a token's text may depend on its place.
		text, _ := t.Decode(append(context[:len(context):len(context)], g.ID), false)
		g.Text = strings.TrimPrefix(text, p.Context)
	}
}
