package main

import (
	"fmt"
	goruntime "runtime"
	"time"

	"github.com/spf13/cobra"

	"octet/cmd/octet/internal/memory"
	"octet/loader"
	"octet/quant"
	"octet/runtime"
	"octet/runtime/random"
)

// openRandom makes the model of --random, if it fits into memory. Start is when its weights
// were there.
func (f *benchFlags) openRandom(c *cobra.Command) (s *ownSide, start time.Time, err error) {
	o, err := f.commonOptions()
	if err != nil {
		return nil, start, err
	}
	plan, err := f.plan(c, o)
	if err != nil {
		return nil, start, err
	}
	config := plan.Config()
	context := config.MaxPositions
	if o.Context > 0 {
		context = o.Context
	}
	s = &ownSide{all: f.testsWithin(c.ErrOrStderr(), context)}
	o.Context = max(1, longest(s.all)) // no cache for more
	if err := f.checkMemory(plan, o); err != nil {
		return nil, start, err
	}
	bar := newProgress(c.ErrOrStderr(), "making weights", plan.Bytes(), true)
	ck, err := plan.Make(c.Context(), func(done int64) { bar.Set64(done) })
	bar.Clear()
	if err != nil {
		return nil, start, err
	}
	start = time.Now()
	s.model, err = runtime.New(ck, o)
	return s, start, err
}

// plan plans the model of --random.
func (f *benchFlags) plan(c *cobra.Command, o runtime.Options) (*random.Plan, error) {
	config, err := random.Config(f.random)
	if err != nil {
		return nil, err
	}
	if err := checkGroupSize(f.groupSize); err != nil {
		return nil, err
	}
	plan, err := random.NewPlan(config, random.Options{
		Int8:      f.weights.value == "int8",
		Group:     f.groupSize,
		FloatHead: o.FloatHead || o.Activations == quant.Float,
		Type:      map[string]loader.DType{"bf16": loader.BF16, "f16": loader.F16, "f32": loader.F32}[f.weights.value],
	})
	if err != nil {
		return nil, fmt.Errorf("--random %s: %w", f.random, err)
	}
	if q := plan.Config().Quantization; q != nil && q.Group != f.groupSize {
		fmt.Fprintf(c.ErrOrStderr(), "octet: groups of %d, because %d does not divide the inputs of all matrices\n", q.Group, f.groupSize)
	}
	return plan, nil
}

// checkMemory refuses a model that memory cannot hold.
func (f *benchFlags) checkMemory(plan *random.Plan, o runtime.Options) error {
	available, known := memory.Available()
	weights, session := modelBytes(plan, o), runtime.SessionBytes(plan.Config(), o)
	rest := int64(bandwidthBytes(o.Threads, goruntime.GOMAXPROCS(0))) + ownBytes
	if need := addBytes(weights, session, rest); known && need > available {
		return fmt.Errorf("--random %s: %s weights, cache and the tests need %s (%s + %s + %s), %s are available",
			f.random, f.weights.value, formatBytes(need), formatBytes(weights), formatBytes(session), formatBytes(rest), formatBytes(available))
	}
	return nil
}

// ownBytes is about what the program takes before it holds a model.
const ownBytes = 32 << 20

// modelBytes is what the weights take: those of the plan, and where the head is the
// embeddings made int8, that copy with at most a float32 scale a group.
func modelBytes(plan *random.Plan, o runtime.Options) int64 {
	c := plan.Config()
	if !c.TieWordEmbeddings || c.Quantization == nil || o.FloatHead || o.Activations == quant.Float {
		return plan.Bytes()
	}
	head := int64(c.VocabSize) * int64(c.HiddenSize)
	return addBytes(plan.Bytes(), head, head/int64(c.Quantization.Group)*4)
}

// addBytes adds sizes; a sum too large for an int64 is the largest one.
func addBytes(sizes ...int64) (sum int64) {
	for _, n := range sizes {
		if sum += n; sum < 0 {
			return 1<<63 - 1
		}
	}
	return sum
}
