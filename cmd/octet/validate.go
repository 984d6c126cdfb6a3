package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"octet/quant"
	"octet/runtime"
	"octet/runtime/validate"
	"octet/testdata/demo"
)

// validateFlags are the flags of octet validate.
type validateFlags struct {
	modelFlags
	against, text            string
	window, tokens           int
	maxKL, minTop1, maxRatio float64
	json                     bool
}

func newValidateCommand() *cobra.Command {
	f := &validateFlags{}
	c := &cobra.Command{
		Use:   "validate",
		Short: "Measure how far an int8 model is from its float original",
		Long: `validate runs two models over the same text and compares what they predict after every token:

  KL divergence   of the candidate's probabilities from the reference's, in nats
  same top token  how often both hold the same token for the likeliest
  perplexity      how well each predicts the text

The reference is the float model -m. The candidate is the int8 model --against; without it
the reference itself, made int8 while loading. If -m is int8 already, the reference is that
model with float activations (weights dequantized), and the candidate the model as it is run.

The text is built in, or a file, or stdin (--text -). It is cut into windows that do not overlap,
each read from an empty context (after BOS, where the tokenizer adds one).

A threshold that is missed ends the program with exit code 3.`,
		Example: `  octet validate
  octet validate -m ./SmolLM2-135M --against ./SmolLM2-135M-int8 --max-kl 0.0025 --min-top1 0.96
  octet validate -m ./SmolLM2-135M --group-size 32 --activations int8 --tokens 1000 --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.register(c)
	return c
}

func (f *validateFlags) register(c *cobra.Command) {
	f.registerModel(c)
	f.registerTokenizer(c)
	f.registerThreads(c)
	f.activations = newChoice("int16", "int8", "float")
	f.head = newChoice("int8", "float")
	f.registerKV(c, "key/value cache of the candidate (default: f16 if it is int8, f32 with --activations float)")
	flags := c.Flags()
	registerPath(c, &f.against, "against", "", "candidate: an int8 model `PATH` (default: -m, made int8 while loading)")
	flags.Var(&f.activations, "activations", "inputs of the candidate's int8 matrices")
	flags.Var(&f.head, "head", "output matrix of the candidate: int8, or as it is stored")
	flags.IntVar(&f.groupSize, "group-size", 64, "without --against: `N` inputs share a scale: 32, 64 or 128")
	registerPath(c, &f.text, "text", "", "text `FILE` to measure with, - for stdin (default: a built-in one)")
	flags.IntVar(&f.window, "window", 0, fmt.Sprintf("tokens `N` read from an empty context (default: %d, or the models' context)", validate.DefaultWindow))
	flags.IntVar(&f.tokens, "tokens", 0, "compare only the first `N` tokens of the text")
	flags.Float64Var(&f.maxKL, "max-kl", 0, "threshold `X`: largest mean KL divergence")
	flags.Float64Var(&f.minTop1, "min-top1", 0, "threshold `X`: smallest share of same top tokens, 0 to 1")
	flags.Float64Var(&f.maxRatio, "max-ppl-ratio", 0, "threshold `X`: largest perplexity of the candidate as a multiple of the reference's")
	flags.BoolVar(&f.json, "json", false, "print JSON")
}

func (f *validateFlags) run(c *cobra.Command) error {
	thresholds, err := f.thresholds(c)
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return err
	}
	reference, err := loadModel(f.model, f.referenceOptions())
	if err != nil {
		return err
	}
	defer reference.Close()
	options, err := f.candidateOptions(c, reference)
	if err != nil {
		return err
	}
	candidate, err := loadModel(f.candidatePath(), options)
	if err != nil {
		return err
	}
	defer candidate.Close()
	result := validation{Reference: f.describe(f.model, reference, f.referenceOptions()), Candidate: f.describe(f.candidatePath(), candidate, options)}
	if err := f.compare(c, reference, candidate, &result); err != nil {
		return err
	}
	result.Thresholds = append(result.Thresholds, thresholds.Check(result.Report)...)
	return f.print(c.OutOrStdout(), result)
}

// check looks at the flags that need no model.
func (f *validateFlags) check() error {
	if f.window < 0 || f.tokens < 0 {
		return usageError("--window, --tokens: positive numbers expected, found %d and %d", f.window, f.tokens)
	}
	if err := checkGroupSize(f.groupSize); err != nil {
		return err
	}
	return checkThreads(f.threads)
}

// thresholds are those that the user set.
func (f *validateFlags) thresholds(c *cobra.Command) (t validate.Thresholds, err error) {
	for _, flag := range []struct {
		name  string
		value *float64
		most  float64
		to    **float64
	}{
		{"max-kl", &f.maxKL, math.MaxFloat64, &t.MaxKL},
		{"min-top1", &f.minTop1, 1, &t.MinTop1},
		{"max-ppl-ratio", &f.maxRatio, math.MaxFloat64, &t.MaxPerplexityRatio},
	} {
		if !c.Flags().Changed(flag.name) {
			continue
		}
		if !(*flag.value >= 0 && *flag.value <= flag.most) { // NaN is refused too
			return t, usageError("--%s: a number from 0 to %.4g expected, found %v", flag.name, flag.most, *flag.value)
		}
		*flag.to = flag.value
	}
	return t, nil
}

// loadModel loads the model at path, the demo model for "".
func loadModel(path string, o runtime.Options) (*runtime.Model, error) {
	if path == "" {
		return runtime.LoadFS(demo.FS, o)
	}
	return runtime.Load(path, o)
}

// candidatePath is where the candidate is: "" for the demo model.
func (f *validateFlags) candidatePath() string {
	if f.against != "" {
		return f.against
	}
	return f.model
}

func (f *validateFlags) referenceOptions() runtime.Options {
	return runtime.Options{Tokenizer: f.tokenizer, Threads: f.threads, Activations: quant.Float}
}

func (f *validateFlags) candidateOptions(c *cobra.Command, reference *runtime.Model) (runtime.Options, error) {
	o := runtime.Options{
		Tokenizer: f.tokenizer, Threads: f.threads,
		Activations: activations(f.activations.value), FloatHead: f.head.value == "float",
		KV: cacheType(f.kv.value),
	}
	if f.against == "" && reference.Config().Quantization == nil {
		o.Quantize = f.groupSize
	} else if c.Flags().Changed("group-size") {
		return o, usageError("--group-size: only where a float model is made int8 while loading")
	}
	return o, nil
}

// compare runs the models over the text and adds what comes out to result.
func (f *validateFlags) compare(c *cobra.Command, reference, candidate *runtime.Model, result *validation) error {
	name, text, err := f.readText(c)
	if err != nil {
		return err
	}
	ids, prefix, err := encodeForBoth(reference, candidate, text)
	if err != nil {
		return err
	}
	if f.tokens > 0 {
		ids = ids[:min(len(ids), f.tokens)]
	}
	if !f.json {
		fmt.Fprintf(c.ErrOrStderr(), "octet: %d tokens through both models …\n", len(ids))
	}
	result.Text, result.Threads = name, reference.Threads()
	bar := newProgress(c.ErrOrStderr(), "comparing", int64(len(ids)), false)
	defer bar.Finish()
	start := time.Now()
	result.Report, err = validate.Compare(c.Context(), reference, candidate, ids, validate.Options{
		Window: f.window, Prefix: prefix, Worst: 3,
		Progress: func(done, _ int) { bar.Set(done) },
	})
	result.Seconds = time.Since(start).Seconds()
	return err
}

// maxText bounds the text of --text: far more than anyone waits for.
const maxText = 64 << 20

// readText returns the text to measure with and what to call it.
func (f *validateFlags) readText(c *cobra.Command) (name, text string, err error) {
	switch {
	case f.text == "-":
		data, err := readInput(c)
		return "stdin", string(data), err
	case f.text != "":
		data, err := readFile(f.text, maxText)
		return f.text, string(data), err
	case f.model == "":
		return "built-in stories", validate.Stories(), nil
	}
	return "built-in English", validate.English(), nil
}

// readFile reads the file at path, which may hold no more than most bytes.
func readFile(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s: at most %s expected, found more", path, formatBytes(most))
	}
	return data, err
}

// encodeForBoth returns the tokens of text and those that a text begins with, after making sure
// that the models agree on them. A model without a tokenizer takes the other's.
func encodeForBoth(reference, candidate *runtime.Model, text string) (ids, prefix []int, err error) {
	for _, m := range []*runtime.Model{reference, candidate} {
		t := m.Tokenizer()
		if t == nil {
			continue
		}
		own, err := t.Encode(text, false)
		if err != nil {
			return nil, nil, err
		}
		opening, err := validate.Prefix(t)
		if err != nil {
			return nil, nil, err
		}
		if ids != nil && !(slices.Equal(ids, own) && slices.Equal(prefix, opening)) {
			return nil, nil, fmt.Errorf("%w: their tokenizers make other tokens of the text", validate.ErrMismatch)
		}
		ids, prefix = own, opening
	}
	if ids == nil {
		_, err = reference.Encode(text) // for its error
	}
	return ids, prefix, err
}

// validation is what --json prints. The keys of the report are a contract with scripts.
type validation struct {
	Reference validated `json:"reference"`
	Candidate validated `json:"candidate"`
	Text      string    `json:"text"`
	*validate.Report
	Threads    int                `json:"threads"`
	Seconds    float64            `json:"seconds"`
	Thresholds []validate.Verdict `json:"thresholds"`
}

// validated is one of the two models.
type validated struct {
	Model       string `json:"model"`
	Weights     string `json:"weights"`
	GroupSize   int    `json:"group_size,omitempty"` // 0 for float weights, and for a scale a row
	Activations string `json:"activations"`
	KV          string `json:"kv"`             // type of the key/value cache
	Head        string `json:"head,omitempty"` // "as stored" where an int8 model's stays float: small, or asked for
}

// describe says what is in a model and how it runs.
func (f *validateFlags) describe(path string, m *runtime.Model, o runtime.Options) validated {
	v := validated{Model: path, Weights: "int8", Activations: "float", KV: m.KV().String()}
	if path == "" {
		v.Model = "demo"
	}
	if o.Quantize == 0 && m.Config().Quantization == nil {
		v.Weights = strings.ToLower(m.Config().DType.String())
		return v
	}
	v.GroupSize = m.GroupSize()
	if !m.Int8Head() {
		v.Head = "as stored"
	}
	if o.Activations != quant.Float {
		v.Activations = f.activations.value
	}
	return v
}
