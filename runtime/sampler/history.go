package sampler

// history counts the tokens that the penalties look at: the last window of the accepted ones.
type history struct {
	on     bool
	window int     // 0: all
	ids    []int   // accepted, in order; all of them, because truncate can bring old ones back
	counts []int32 // [vocab] how often each is in the window
	seen   []int32 // the tokens in the window, each once, in no order; room for vocab
	places []int32 // [vocab] where those are in seen
}

func newHistory(vocab int, o Options) history {
	repeats := o.RepetitionPenalty != 0 && o.RepetitionPenalty != 1
	if !repeats && o.FrequencyPenalty == 0 && o.PresencePenalty == 0 {
		return history{}
	}
	return history{
		on: true, window: o.PenaltyWindow,
		counts: make([]int32, vocab), seen: make([]int32, 0, vocab), places: make([]int32, vocab),
	}
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
	if id < 0 || id >= len(h.counts) {
		return
	}
	was := h.counts[id]
	h.counts[id] += by
	switch {
	case was == 0:
		h.places[id] = int32(len(h.seen))
		h.seen = append(h.seen, int32(id))
	case h.counts[id] == 0:
		h.forget(id)
	}
}

// forget moves the last of seen to the place of id.
func (h *history) forget(id int) {
	end := len(h.seen) - 1
	moved, place := h.seen[end], h.places[id]
	h.seen[place], h.places[moved] = moved, place
	h.seen = h.seen[:end]
}

// penalize changes the logits [vocab] of tokens in the window.
func (h *history) penalize(logits []float32, o Options) {
	repetition := float32(o.RepetitionPenalty)
	if repetition == 0 {
		repetition = 1
	}
	frequency, presence := float32(o.FrequencyPenalty), float32(o.PresencePenalty)
	for _, id := range h.seen {
		x := logits[id]
		if x > 0 {
			x /= repetition
		} else {
			x *= repetition
		}
		x -= float32(float32(h.counts[id]) * frequency)
		logits[id] = x - presence
	}
}
