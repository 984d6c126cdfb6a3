package validate

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"octet/runtime"
)

// ErrMismatch is wrapped where two models cannot be compared.
var ErrMismatch = errors.New("validate: models differ")

// DefaultWindow is the window where Options name none and both models hold as many tokens.
const DefaultWindow = 512

// piece is how many positions' logits are held at a time, for each model.
const piece = 64

// Options say how Compare goes through the tokens. The zero value is good for most uses.
type Options struct {
	Window int   // tokens of a session, Prefix included; 0: DefaultWindow, or what both models hold
	Prefix []int // tokens that open each window and are not compared themselves; see Prefix
	Worst  int   // positions of largest divergence that the report lists

	// Progress, if set, is called after each piece of positions.
	Progress func(done, total int)
}

// Compare runs both models over ids and reports how far the candidate is from the reference.
//
// Ids are cut into windows that do not overlap. Each is evaluated from an empty session, and
// the logits of all its positions are compared. All tokens of a window but the first are
// scored for the perplexity, predicted by the position before.
//
// At least two ids are needed. The error wraps ErrMismatch where the vocabularies are of
// different size, runtime.ErrToken or runtime.ErrContext where ids or the window do not fit
// the models, or it is that of ctx. A logit that is no finite number is an error as well.
func Compare(ctx context.Context, reference, candidate *runtime.Model, ids []int, o Options) (*Report, error) {
	window, err := checkWindow(reference, candidate, o)
	if err == nil {
		err = checkIDs(reference, candidate, ids, o)
	}
	if err != nil {
		return nil, err
	}
	c := &comparison{
		reference: reference.NewSession(), candidate: candidate.NewSession(),
		vocab: reference.Config().VocabSize, threads: reference.Threads(),
		size: window - len(o.Prefix), ids: ids, options: o, distances: make([]distance, len(ids)),
	}
	scored := 0
	for from := 0; from < len(ids); from += c.size {
		to := min(from+c.size, len(ids))
		if err := c.window(ctx, from, to); err != nil {
			return nil, err
		}
		scored += to - from - 1
	}
	r, err := newReport(c.distances, window, scored)
	if err != nil {
		return nil, err
	}
	r.Worst = c.worst(reference.Tokenizer())
	return r, nil
}

// checkWindow returns the window to use.
func checkWindow(reference, candidate *runtime.Model, o Options) (int, error) {
	room := min(reference.Context(), candidate.Context())
	window := o.Window
	if window == 0 {
		window = min(DefaultWindow, room)
	}
	if window > room {
		return 0, fmt.Errorf("validate: window of %d tokens: %w: the models hold %d and %d",
			window, runtime.ErrContext, reference.Context(), candidate.Context())
	}
	if least := len(o.Prefix) + 2; window < least {
		return 0, fmt.Errorf("validate: window: at least %d tokens expected, found %d", least, window)
	}
	return window, nil
}

func checkIDs(reference, candidate *runtime.Model, ids []int, o Options) error {
	vocab := reference.Config().VocabSize
	if n := candidate.Config().VocabSize; n != vocab {
		return fmt.Errorf("%w: a vocabulary of %d tokens (reference), %d (candidate)", ErrMismatch, vocab, n)
	}
	if len(ids) < 2 {
		return fmt.Errorf("validate: at least 2 tokens expected, found %d", len(ids))
	}
	for _, list := range [][]int{o.Prefix, ids} {
		for i, id := range list {
			if id < 0 || id >= vocab {
				return fmt.Errorf("validate: %w: id %d at %d, the vocabulary has %d", runtime.ErrToken, id, i, vocab)
			}
		}
	}
	return nil
}

// comparison is the state of one call of Compare.
type comparison struct {
	reference, candidate *runtime.Session
	vocab, threads       int
	size                 int // positions of a window that are compared: all but the prefix
	ids                  []int
	options              Options
	distances            []distance // of positions so far
	errs                 [piece]error
}

// window compares positions from … to-1, in new sessions.
func (c *comparison) window(ctx context.Context, from, to int) error {
	c.reference.Truncate(0)
	c.candidate.Truncate(0)
	if _, _, err := c.eval(ctx, c.options.Prefix, 0); err != nil {
		return err
	}
	for at := from; at < to; at += piece {
		end := min(at+piece, to)
		r, q, err := c.eval(ctx, c.ids[at:end], end-at)
		if err == nil {
			err = c.measure(r, q, at, end, to)
		}
		if err != nil {
			return err
		}
		if c.options.Progress != nil {
			c.options.Progress(end, len(c.ids))
		}
	}
	return nil
}

// eval appends ids to both sessions and returns the logits [last, vocab] of each.
func (c *comparison) eval(ctx context.Context, ids []int, last int) (reference, candidate []float32, err error) {
	if reference, err = c.reference.Eval(ctx, ids, last); err != nil {
		return nil, nil, fmt.Errorf("validate: reference: %w", err)
	}
	if candidate, err = c.candidate.Eval(ctx, ids, last); err != nil {
		return nil, nil, fmt.Errorf("validate: candidate: %w", err)
	}
	return reference, candidate, nil
}

// measure compares logits [to-from, vocab] of positions from … to-1 of a window that ends at
// end. Each position is computed by one goroutine, so that their number changes nothing.
func (c *comparison) measure(reference, candidate []float32, from, to, end int) error {
	var group sync.WaitGroup
	for w := range min(c.threads, to-from) {
		group.Go(func() {
			for i := from + w; i < to; i += c.threads {
				next := -1
				if i+1 < end {
					next = c.ids[i+1]
				}
				row := (i - from) * c.vocab
				c.distances[i], c.errs[i-from] = measure(reference[row:row+c.vocab], candidate[row:row+c.vocab], next)
			}
		})
	}
	group.Wait()
	for i, err := range c.errs[:to-from] {
		if err != nil {
			return fmt.Errorf("validate: position %d: %w", from+i, err)
		}
	}
	return nil
}
