package sampler

// history counts the tokens that the penalties look at: the last window of the accepted ones.
type history struct {
	on     bool
	window int     // 0: all
	ids    []int   // accepted, in order; all of them, because truncate can bring old ones back
	counts []int32 // [vocab] how often each is in the window
}

func newHistory(vocab int, o Options) history {
	repeats := o.RepetitionPenalty != 0 && o.RepetitionPenalty != 1
	if !repeats && o.FrequencyPenalty == 0 && o.PresencePenalty == 0 {
		return history{}
	}
	return history{on: true, window: o.PenaltyWindow, counts: make([]int32, vocab)}
}

func (h *history) accept(id int) {
	if !h.on {
		return
	}
	h.ids = append(h.ids, id)
	h.count(id, 1)
	if left := len(h.ids) - 1 - h.window; h.window > 0 && left >= 0 {
		h.count(h.ids[left], -1)
	}
}

func (h *history) truncate(n int) {
	for len(h.ids) > max(n, 0) {
		last := len(h.ids) - 1
		h.count(h.ids[last], -1)
		if back := last - h.window; h.window > 0 && back >= 0 {
			h.count(h.ids[back], 1)
		}
		h.ids = h.ids[:last]
	}
}

// count ignores ids that have no logit, as some models' added tokens.
func (h *history) count(id int, by int32) {
	if id >= 0 && id < len(h.counts) {
		h.counts[id] += by
	}
}

// penalize changes the logits [vocab] of tokens in the window.
func (h *history) penalize(logits []float32, o Options) {
	if !h.on {
		return
	}
	repetition := float32(o.RepetitionPenalty)
	if repetition == 0 {
		repetition = 1
	}
	frequency, presence := float32(o.FrequencyPenalty), float32(o.PresencePenalty)
	for id, n := range h.counts {
		if n == 0 {
			continue
		}
		x := logits[id]
		if x > 0 {
			x /= repetition
		} else {
			x *= repetition
		}
		x -= float32(float32(n) * frequency)
		logits[id] = x - presence
	}
}
