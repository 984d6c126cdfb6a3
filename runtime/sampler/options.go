package sampler

import (
	"fmt"
	"math"
)

// Options say how to pick. The zero value is greedy, without penalties.
type Options struct {
	// Temperature divides the logits. 0: greedy.
	Temperature float64

	// TopK keeps the k best tokens, exactly k. 0: off.
	TopK int

	// TopP keeps the fewest of the best tokens whose probabilities add up to at least TopP.
	// 0 and 1: off.
	TopP float64

	// MinP drops tokens whose probability is below MinP times that of the best one. 0: off.
	MinP float64

	// RepetitionPenalty divides the positive and multiplies the negative logits of tokens that
	// were seen, once however often they were (CTRL, arXiv:1909.05858; as in transformers).
	// 0 and 1: off.
	RepetitionPenalty float64

	// FrequencyPenalty is subtracted from a logit for each time that its token was seen,
	// PresencePenalty once if it was seen at all (OpenAI's formula). Negative values
	// encourage. 0: off.
	FrequencyPenalty, PresencePenalty float64

	// PenaltyWindow is how many of the last accepted tokens the three penalties look at.
	// As in llama.cpp they are all of the text so far, the prompt and the generated tokens
	// alike; who wants only generated ones to count accepts only those. 0: all.
	PenaltyWindow int

	// LogitBias is added to the logits of single tokens; -Inf bans a token.
	LogitBias map[int]float32

	// Seed starts the random numbers.
	Seed uint64
}

// Validate refuses options that have no meaning for a vocabulary of vocab tokens, by name.
func (o Options) Validate(vocab int) error {
	if vocab < 1 {
		return fmt.Errorf("sampler: vocabulary of %d tokens, expected at least 1", vocab)
	}
	ranges := []struct {
		name      string
		value     float64
		low, high float64
	}{
		{"temperature", o.Temperature, 0, math.MaxFloat64},
		{"top-k", float64(o.TopK), 0, math.MaxFloat64},
		{"top-p", o.TopP, 0, 1},
		{"min-p", o.MinP, 0, 1},
		{"repetition penalty", o.RepetitionPenalty, 0, math.MaxFloat32},
		{"frequency penalty", o.FrequencyPenalty, -math.MaxFloat32, math.MaxFloat32},
		{"presence penalty", o.PresencePenalty, -math.MaxFloat32, math.MaxFloat32},
		{"penalty window", float64(o.PenaltyWindow), 0, math.MaxFloat64},
	}
	for _, r := range ranges {
		if !(r.value >= r.low && r.value <= r.high) { // so that NaN fails
			return fmt.Errorf("sampler: %s %v, expected %s", r.name, r.value, interval(r.low, r.high))
		}
	}
	return o.checkBias(vocab)
}

func interval(low, high float64) string {
	switch {
	case low < 0:
		return "a finite number"
	case high == 1:
		return "a number from 0 to 1"
	}
	return "a finite number, 0 or more"
}

func (o Options) checkBias(vocab int) error {
	for id, bias := range o.LogitBias {
		if id < 0 || id >= vocab {
			return fmt.Errorf("sampler: logit bias for token %d, the vocabulary has %d tokens", id, vocab)
		}
		if bias != bias || math.IsInf(float64(bias), 1) {
			return fmt.Errorf("sampler: logit bias %v for token %d, expected a finite number or -Inf", bias, id)
		}
	}
	return nil
}
