package validate_test

import (
	"context"
	"fmt"
	"log"

	"octet/runtime"
	"octet/runtime/validate"
)

// Measure what int8 costs a model.
func ExampleCompare() {
	float, err := runtime.Load("../../testdata/demo", runtime.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer float.Close()
	int8Model, err := runtime.Load("../../testdata/demo", runtime.Options{Quantize: 64})
	if err != nil {
		log.Fatal(err)
	}
	defer int8Model.Close()
	ids, err := float.Encode(validate.Stories())
	if err != nil {
		log.Fatal(err)
	}
	report, err := validate.Compare(context.Background(), float, int8Model, ids[:200], validate.Options{})
	if err != nil {
		log.Fatal(err)
	}
	limits := validate.Thresholds{MaxKL: new(0.0025), MinTop1: new(0.96)}
	fmt.Println(report.Tokens, "tokens,", "good:", validate.Missed(limits.Check(report)) == nil)
	// Output: 200 tokens, good: true
}
