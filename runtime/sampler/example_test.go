package sampler_test

import (
	"fmt"

	"octet/runtime/sampler"
)

func Example() {
	s, err := sampler.New(4, sampler.Options{Temperature: 0.7, TopK: 2, RepetitionPenalty: 1.1, Seed: 1})
	if err != nil {
		panic(err)
	}
	logits := []float32{0.1, 6, 0.2, 1} // from a model
	id := s.Sample(logits)
	s.Accept(id)
	fmt.Println(id)
	// Output: 1
}
