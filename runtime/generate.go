package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"octet/runtime/sampler"
	"octet/runtime/tokenizer"
)

// GenerateOptions say how to sample and when to stop. The zero value is greedy, until the
// model ends or the context is full.
type GenerateOptions struct {
	Sampler   sampler.Options
	MaxTokens int      // 0: no limit
	Stop      []string // text that ends the generation; it is not part of the output
	IgnoreEOS bool     // go on after the model's end tokens
}

// StopReason says why a generation ended.
type StopReason string

const (
	StopEOS         StopReason = "eos"         // the model's end token
	StopString      StopReason = "stop"        // one of GenerateOptions.Stop
	StopMaxTokens   StopReason = "max_tokens"  // GenerateOptions.MaxTokens
	StopContext     StopReason = "context"     // no position is left in the session
	StopInterrupted StopReason = "interrupted" // the context.Context ended, or emit failed
)

// Token is a sampled token with the text that became certain with it: "" while a character or
// a possible stop string is incomplete.
type Token struct {
	ID   int
	Text string
}

// Result sums a generation up.
type Result struct {
	StopReason   StopReason
	PromptTokens int           // 0 if an error ended the prefill
	Tokens       []int         // sampled, without the end token
	Text         string        // their text up to the stop
	PromptTime   time.Duration // prefill: until the logits after the prompt
	DecodeTime   time.Duration // from there to the end
}

// Encode returns the ids of text with the special tokens that the tokenizer puts around a prompt.
func (m *Model) Encode(text string) ([]int, error) {
	if m.tok == nil {
		return nil, fmt.Errorf("%w beside the weights", tokenizer.ErrMissing)
	}
	return m.tok.Encode(text, true)
}

// Generate appends prompt to the sequence and samples tokens until a reason to stop,
// calling emit (which may be nil) for each with the text that is then certain; text held back
// until the end comes with a last call whose ID is -1. An error of emit or of ctx ends the
// generation and is returned with what was generated until then; errors of Eval too.
//
// Afterwards the session holds the prompt and the tokens, but for the last one where the
// generation stopped with it: its keys were not needed.
func (s *Session) Generate(ctx context.Context, prompt []int, o GenerateOptions, emit func(Token) error) (Result, error) {
	g, err := s.newGeneration(prompt, o, emit)
	if err != nil {
		return Result{}, err
	}
	start := time.Now()
	logits, err := s.Eval(ctx, prompt, 1)
	g.result.PromptTime = time.Since(start)
	start = time.Now()
	if err == nil {
		g.result.PromptTokens = len(prompt)
		err = g.decode(ctx, logits)
	}
	if err == nil {
		err = g.finish()
	}
	g.result.DecodeTime = time.Since(start)
	g.result.Text = string(g.text)
	return g.result, err
}

// generation is the state of one call of Generate.
type generation struct {
	session *Session
	options GenerateOptions
	emit    func(Token) error
	eos     []int
	sampler *sampler.Sampler
	stream  *tokenizer.Stream // nil without a tokenizer
	stop    stopper
	text    []byte
	result  Result
}

func (s *Session) newGeneration(prompt []int, o GenerateOptions, emit func(Token) error) (*generation, error) {
	if len(prompt) == 0 {
		return nil, errors.New("runtime: empty prompt")
	}
	if err := s.check(prompt); err != nil {
		return nil, err
	}
	smp, err := sampler.New(s.model.config.VocabSize, o.Sampler)
	if err != nil {
		return nil, err
	}
	for _, id := range s.ids {
		smp.Accept(id)
	}
	for _, id := range prompt {
		smp.Accept(id)
	}
	g := &generation{session: s, options: o, emit: emit, sampler: smp, stop: stopper{stops: nonEmpty(o.Stop)}}
	g.result.StopReason = StopInterrupted
	if !o.IgnoreEOS {
		g.eos = s.model.EOS()
	}
	if s.model.tok != nil {
		g.stream = newContinuation(s.model.tok, slices.Concat(s.ids, prompt))
	}
	return g, nil
}

// newContinuation returns a stream for what follows ids. The text of a token can depend on those
// before it: SentencePiece tokenizers drop the space that begins a text, but not one inside.
func newContinuation(t *tokenizer.Tokenizer, ids []int) *tokenizer.Stream {
	const enough = 16 // for the bytes of a character that ids leave incomplete
	stream := t.NewStream(true)
	for _, id := range ids[max(0, len(ids)-enough):] {
		stream.Push(id) // their text is known; an id without text is no matter here
	}
	return stream
}

func nonEmpty(stops []string) []string {
	return slices.DeleteFunc(slices.Clone(stops), func(s string) bool { return s == "" })
}

// decode samples until something ends it and leaves the reason in the result.
func (g *generation) decode(ctx context.Context, logits []float32) error {
	for {
		if err := checkFinite(logits); err != nil {
			return fmt.Errorf("%w, after %d tokens", err, g.session.Len())
		}
		id := g.sampler.Sample(logits)
		if slices.Contains(g.eos, id) {
			g.result.StopReason = StopEOS
			return nil
		}
		g.sampler.Accept(id)
		g.result.Tokens = append(g.result.Tokens, id)
		stopped, err := g.show(id)
		switch {
		case err != nil:
			return err
		case stopped:
			g.result.StopReason = StopString
			return nil
		case len(g.result.Tokens) == g.options.MaxTokens:
			g.result.StopReason = StopMaxTokens
			return nil
		case g.session.Len() == g.session.model.context:
			g.result.StopReason = StopContext
			return nil
		}
		if logits, err = g.session.Eval(ctx, g.result.Tokens[len(g.result.Tokens)-1:], 1); err != nil {
			return err
		}
	}
}

// checkFinite returns an error that wraps ErrNotFinite if a logit is NaN or infinite.
func checkFinite(logits []float32) error {
	const exponent = 0x7f800000
	for id, x := range logits {
		if math.Float32bits(x)&exponent == exponent {
			return fmt.Errorf("%w: %v for token %d", ErrNotFinite, x, id)
		}
	}
	return nil
}

// show passes a token's text on as far as it is certain; stopped says that a stop string came.
func (g *generation) show(id int) (stopped bool, err error) {
	text := ""
	if g.stream != nil {
		// A vocabulary can be padded beyond the tokenizer's: such a token has no text.
		if text, err = g.stream.Push(id); err != nil && !errors.Is(err, tokenizer.ErrRange) {
			return false, err
		}
	}
	text, stopped = g.stop.push(text)
	return stopped, g.send(Token{ID: id, Text: text})
}

// finish passes on the text that was held back, unless a stop string cut it off.
func (g *generation) finish() error {
	text := ""
	if g.stream != nil && g.result.StopReason != StopString {
		stopped := false
		if text, stopped = g.stop.push(g.stream.Flush()); stopped {
			g.result.StopReason = StopString
		} else {
			text += g.stop.flush()
		}
	}
	if text == "" {
		return nil
	}
	return g.send(Token{ID: -1, Text: text})
}

func (g *generation) send(t Token) error {
	g.text = append(g.text, t.Text...)
	if g.emit == nil {
		return nil
	}
	return g.emit(t)
}
