package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"octet/loader"
	"octet/runtime"
	"octet/runtime/sampler"
)

// samplingFlags are the flags that say how tokens are chosen and when a generation ends.
type samplingFlags struct {
	temperature, topP, minP     float64
	topK                        int
	repeat, frequency, presence float64
	window                      int
	bias                        []string
	seed                        uint64
	maxTokens                   int
	stop                        []string
	ignoreEOS                   bool
}

func (f *samplingFlags) register(c *cobra.Command, maxTokens int) {
	fl := c.Flags()
	fl.IntVarP(&f.maxTokens, "max-tokens", "n", maxTokens, "stop after `N` tokens; 0: when the model ends or the context is full")
	fl.Float64Var(&f.temperature, "temperature", 0, "divide the logits by `X`; 0: always the likeliest token (default: what the model recommends, or 0)")
	fl.IntVar(&f.topK, "top-k", 0, "choose among the `N` likeliest tokens; 0: among all")
	fl.Float64Var(&f.topP, "top-p", 1, "choose among the likeliest tokens that have probability `P` together")
	fl.Float64Var(&f.minP, "min-p", 0, "leave out tokens with less than `P` times the probability of the likeliest")
	fl.Float64Var(&f.repeat, "repetition-penalty", 1, "divide the logits of tokens already there by `X`")
	fl.Float64Var(&f.frequency, "frequency-penalty", 0, "subtract `X` from a token's logit each time that it was there")
	fl.Float64Var(&f.presence, "presence-penalty", 0, "subtract `X` from the logits of tokens already there")
	fl.IntVar(&f.window, "penalty-window", 0, "penalties look at the last `N` tokens; 0: at all")
	fl.StringArrayVar(&f.bias, "logit-bias", nil, "add to a token's logit: `ID=X`, for example 42=-5 or 42=-inf; can be repeated")
	fl.Uint64Var(&f.seed, "seed", 0, "seed `N` of the sampling: same seed, same tokens (default: random)")
	fl.StringArrayVar(&f.stop, "stop", nil, "end before this `TEXT`; can be repeated")
	fl.BoolVar(&f.ignoreEOS, "ignore-eos", false, "go on after the model's end token")
}

// options combines what the model recommends (generation_config.json) with the flags.
func (f *samplingFlags) options(c *cobra.Command, g loader.Generation) (runtime.GenerateOptions, error) {
	o := runtime.GenerateOptions{MaxTokens: f.maxTokens, Stop: f.stop, IgnoreEOS: f.ignoreEOS}
	if f.maxTokens < 0 {
		return o, usageError("--max-tokens: 0 or more expected, found %d", f.maxTokens)
	}
	var err error
	if o.Sampler, err = f.given(); err != nil {
		return o, err
	}
	if !c.Flags().Changed("seed") {
		o.Sampler.Seed = uint64(rand.Uint32()) // short enough for every reader of JSON
	}
	f.recommended(c, g, &o.Sampler)
	return o, nil
}

// given are the sampler's options as the flags alone say; an error is one of usage.
func (f *samplingFlags) given() (sampler.Options, error) {
	o := sampler.Options{
		Temperature: f.temperature, TopK: f.topK, TopP: f.topP, MinP: f.minP,
		RepetitionPenalty: f.repeat, FrequencyPenalty: f.frequency, PresencePenalty: f.presence,
		PenaltyWindow: f.window, Seed: f.seed,
	}
	var err error
	if o.LogitBias, err = parseBias(f.bias); err != nil {
		return o, err
	}
	if err := o.Validate(math.MaxInt); err != nil {
		return o, usageError("%w", err)
	}
	return o, nil
}

// recommended fills in what generation_config.json says where no flag says otherwise. As in
// transformers, temperature, top-k, top-p and min-p count only with do_sample.
func (f *samplingFlags) recommended(c *cobra.Command, g loader.Generation, s *sampler.Options) {
	sample := g.DoSample != nil && *g.DoSample
	s.Temperature = pick(c, "temperature", f.temperature, g.Temperature, sample)
	if sample && g.Temperature == nil && !c.Flags().Changed("temperature") {
		s.Temperature = 1
	}
	s.TopK = pick(c, "top-k", f.topK, g.TopK, sample)
	s.TopP = pick(c, "top-p", f.topP, g.TopP, sample)
	s.MinP = pick(c, "min-p", f.minP, g.MinP, sample)
	s.RepetitionPenalty = pick(c, "repetition-penalty", f.repeat, g.RepetitionPenalty, true)
}

// pick returns the flag's value if it was given or nothing is recommended.
func pick[T any](c *cobra.Command, flag string, value T, recommended *T, use bool) T {
	if recommended == nil || !use || c.Flags().Changed(flag) {
		return value
	}
	return *recommended
}

// parseBias reads ID=X pairs.
func parseBias(pairs []string) (map[int]float32, error) {
	bias := map[int]float32{}
	for _, p := range pairs {
		id, value, _ := strings.Cut(p, "=")
		n, err := strconv.Atoi(id)
		x, err2 := strconv.ParseFloat(value, 32)
		if err != nil || err2 != nil {
			return nil, usageError("--logit-bias: ID=X expected, found %q", p)
		}
		bias[n] = float32(x)
	}
	return bias, nil
}

// summary says in a line what a generation did.
func summary(r runtime.Result) string {
	return fmt.Sprintf("%s; prompt %d tokens in %s (%s), generated %d in %s (%s)",
		stopText[r.StopReason],
		r.PromptTokens, formatSeconds(r.PromptTime), formatRate(r.PromptTokens, r.PromptTime),
		len(r.Tokens), formatSeconds(r.DecodeTime), formatRate(len(r.Tokens), r.DecodeTime))
}

// stopText says why a generation ended.
var stopText = map[runtime.StopReason]string{
	runtime.StopEOS:         "the model ended",
	runtime.StopString:      "stop text reached",
	runtime.StopMaxTokens:   "token limit reached (--max-tokens)",
	runtime.StopContext:     "context full: the model holds no more tokens",
	runtime.StopInterrupted: "interrupted",
}
