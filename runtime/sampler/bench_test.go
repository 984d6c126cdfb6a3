package sampler

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// distributions are logits whose tokens weigh much the same, as a model's after a few words
// of any text, and all but in one token.
func distributions(vocab int) map[string][]float32 {
	random := rand.New(rand.NewPCG(1, 1))
	even, flat, peaked := make([]float32, vocab), make([]float32, vocab), make([]float32, vocab)
	for i := range flat {
		flat[i] = float32(random.NormFloat64() * 0.3)
		peaked[i] = float32(random.NormFloat64() * 3)
	}
	peaked[vocab/3] = 40
	return map[string][]float32{"even": even, "flat": flat, "text": randomLogits(random, vocab), "peaked": peaked}
}

func BenchmarkSample(b *testing.B) {
	penalties := Options{Temperature: 0.8, RepetitionPenalty: 1.1, FrequencyPenalty: 0.1, PresencePenalty: 0.1}
	settings := []struct {
		name string
		o    Options
	}{
		{"greedy", Options{}},
		{"temperature", Options{Temperature: 0.8}},
		{"top-k", Options{Temperature: 0.8, TopK: 40}},
		{"top-p", Options{Temperature: 0.8, TopP: 0.95}},
		{"min-p", Options{Temperature: 0.8, MinP: 0.05}},
		{"top-k, top-p", Options{Temperature: 0.8, TopK: 40, TopP: 0.95}},
		{"top-p, min-p", Options{Temperature: 0.8, TopP: 0.95, MinP: 0.02}},
		{"penalties", penalties},
	}
	for _, vocab := range []int{32_000, 150_000, 256_000} {
		for name, logits := range distributions(vocab) {
			for _, setting := range settings {
				s := newSampler(b, vocab, setting.o)
				for id := range 1000 {
					s.Accept(id * 29 % vocab)
				}
				b.Run(fmt.Sprintf("%s/%s/%d", setting.name, name, vocab), func(b *testing.B) {
					for b.Loop() {
						s.Sample(logits)
					}
				})
			}
		}
	}
}
