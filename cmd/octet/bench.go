package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"octet/loader"
	"octet/quant"
	"octet/runtime"
)

// benchFlags are the flags of octet bench.
type benchFlags struct {
	modelFlags
	prompt, generate, depth, repetitions int
	output                               choice
	json                                 bool
}

func newBenchCommand() *cobra.Command {
	f := &benchFlags{output: newChoice("table", "json", "csv")}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure tokens per second",
		Long: `bench measures how fast a model reads a prompt (test pp512: 512 tokens in one piece) and
how fast it generates (tg128: 128 tokens one by one), after a warm-up, -r times each.

Bytes per token is what has to be read from memory for a token: in tg the weights and the
cached keys and values before it, in pp the weights divided by the tokens that share them.
The share is that traffic against the bandwidth with which this machine reads a large buffer,
measured at the start. A model that fits into the caches can be above 100 %.`,
		Example: `  octet bench
  octet bench -m ./SmolLM2-135M-int8 -p 512 -n 128 -r 5
  octet bench -m ./SmolLM2-135M --quantize int8 --threads 4 -o json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.registerModel(c)
	f.registerThreads(c)
	f.registerContext(c)
	f.registerNumbers(c)
	c.Flags().IntVarP(&f.prompt, "prompt", "p", 512, "tokens `N` of the prompt; 0: leave that test out")
	c.Flags().IntVarP(&f.generate, "generate", "n", 128, "tokens `N` to generate; 0: leave that test out")
	c.Flags().IntVarP(&f.depth, "depth", "d", 0, "tokens `N` that the session holds before each test")
	c.Flags().IntVarP(&f.repetitions, "repetitions", "r", 5, "how often `N` each test is run")
	c.Flags().VarP(&f.output, "output", "o", "form of the results")
	c.Flags().BoolVar(&f.json, "json", false, "the same as -o json")
	return c
}

func (f *benchFlags) run(c *cobra.Command) error {
	if f.prompt < 0 || f.generate < 0 || f.depth < 0 || f.repetitions < 1 {
		return usageError("-p, -n and -d: no negative numbers, -r: at least 1 expected, found -p %d -n %d -d %d -r %d",
			f.prompt, f.generate, f.depth, f.repetitions)
	}
	m, err := f.load(c)
	if err != nil {
		return err
	}
	defer m.Close()
	f.fit(c.ErrOrStderr(), m.Context())
	tests := f.tests(m)
	bar := newProgress(c.ErrOrStderr(), "measuring", int64(len(tests)*(f.repetitions+1)), false)
	results, err := f.measure(c.Context(), m, tests, func() { bar.Add(1) })
	bar.Clear()
	if err != nil {
		return err
	}
	if f.json {
		f.output.value = "json"
	}
	return printBench(c.OutOrStdout(), f.output.value, results)
}

// fit cuts the tests to a model that holds at most context tokens, and says so.
func (f *benchFlags) fit(w io.Writer, context int) {
	for _, n := range []struct {
		flag  string
		value *int
		most  int
	}{
		{"-d", &f.depth, context - 1},
		{"-p", &f.prompt, context - min(f.depth, context-1)},
		{"-n", &f.generate, context - min(f.depth, context-1)},
	} {
		if *n.value > n.most {
			fmt.Fprintf(w, "octet: the context holds %d tokens: %s %d instead of %d\n", context, n.flag, n.most, *n.value)
			*n.value = n.most
		}
	}
}

// benchResult is one test. The names of the fields are a contract with scripts.
type benchResult struct {
	Model           string  `json:"model"`
	Backend         string  `json:"backend"`
	Activations     string  `json:"activations"`
	Weights         string  `json:"weights"`
	Threads         int     `json:"threads"`
	Test            string  `json:"test"`
	Depth           int     `json:"depth"`
	TokensPerSecond float64 `json:"tokens_per_second"`
	Stddev          float64 `json:"stddev"`
	BytesPerToken   int64   `json:"bytes_per_token"`
	GBPerSecond     float64 `json:"gb_per_second"`
	BandwidthShare  float64 `json:"bandwidth_share"`
}

const (
	bandwidthBuffer = 256 << 20 // bytes; larger than most caches
	bandwidthPasses = 5
)

// benchTest is one kind of measurement.
type benchTest struct {
	name  string
	n     int // tokens
	eval  func(context.Context, *runtime.Session, []int) error
	bytes int64 // read for a token
}

// tests are those that the flags ask for.
func (f *benchFlags) tests(m *runtime.Model) []benchTest {
	return slices.DeleteFunc([]benchTest{
		{"pp", f.prompt, evalAtOnce, m.WeightBytes() / int64(max(f.prompt, 1))},
		{"tg", f.generate, evalOneByOne, m.WeightBytes() + cacheBytes(m.Config(), f.depth, f.generate)},
	}, func(t benchTest) bool { return t.n == 0 })
}

// measure runs the tests, calling step after each repetition.
func (f *benchFlags) measure(ctx context.Context, m *runtime.Model, tests []benchTest, step func()) ([]benchResult, error) {
	bandwidth := readBandwidth(m.Threads(), bandwidthBuffer, bandwidthPasses)
	results := []benchResult{}
	for _, test := range tests {
		rates, err := f.repeat(ctx, m, test, step)
		if err != nil {
			return nil, err
		}
		r := f.describe(m)
		r.Test = test.name + strconv.Itoa(test.n)
		r.TokensPerSecond, r.Stddev = meanStddev(rates)
		r.BytesPerToken = test.bytes
		r.GBPerSecond = r.TokensPerSecond * float64(test.bytes) / 1e9
		r.BandwidthShare = r.GBPerSecond * 1e9 / bandwidth
		results = append(results, r)
	}
	return results, nil
}

// repeat returns the tokens per second of each repetition of a test, after a warm-up.
func (f *benchFlags) repeat(ctx context.Context, m *runtime.Model, test benchTest, step func()) ([]float64, error) {
	s := m.NewSession()
	ids := benchIDs(f.depth+test.n, m.Config().VocabSize)
	if _, err := s.Eval(ctx, ids[:f.depth], 0); err != nil {
		return nil, err
	}
	var rates []float64
	for range f.repetitions + 1 {
		s.Truncate(f.depth)
		start := time.Now()
		if err := test.eval(ctx, s, ids[f.depth:]); err != nil {
			return nil, err
		}
		rates = append(rates, float64(test.n)/max(time.Since(start).Seconds(), 1e-9))
		step()
	}
	return rates[1:], nil
}

func evalAtOnce(ctx context.Context, s *runtime.Session, ids []int) error {
	_, err := s.Eval(ctx, ids, 1)
	return err
}

func evalOneByOne(ctx context.Context, s *runtime.Session, ids []int) error {
	for i := range ids {
		if _, err := s.Eval(ctx, ids[i:i+1], 1); err != nil {
			return err
		}
	}
	return nil
}

// benchIDs returns n tokens scattered over the vocabulary, the same each time.
func benchIDs(n, vocab int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = (i*7919 + 17) % vocab
	}
	return ids
}

// cacheBytes is what a token of a generation from position depth to depth+n reads of the
// cache, on average: float32 keys and values of the tokens up to itself.
func cacheBytes(c loader.Config, depth, n int) int64 {
	row := int64(2*c.NumLayers*c.NumKVHeads*c.HeadDim) * 4
	return row * int64(2*depth+n+1) / 2
}

// describe returns a result with what all tests of a model have in common.
func (f *benchFlags) describe(m *runtime.Model) benchResult {
	r := benchResult{
		Model:       f.name(),
		Backend:     quant.Backend(),
		Activations: f.activations.value,
		Weights:     "int8",
		Threads:     m.Threads(),
		Depth:       f.depth,
	}
	if f.quantize.value == "" && m.Config().Quantization == nil {
		r.Weights, r.Activations = strings.ToLower(m.Config().DType.String()), "float"
	}
	return r
}

// meanStddev returns the mean and the standard deviation of the sample x.
func meanStddev(x []float64) (mean, stddev float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		stddev += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(stddev / float64(len(x)-1))
}

func printBench(w io.Writer, form string, results []benchResult) error {
	switch form {
	case "json":
		return printJSON(w, results)
	case "csv":
		return printBenchCSV(w, results)
	}
	return printBenchTable(w, results)
}

func printBenchTable(w io.Writer, results []benchResult) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "model\tbackend\tweights\tactivations\tthreads\ttest\tdepth\ttokens/s\tbytes/token\tGB/s\tshare")
	for _, r := range results {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\t%d\t%.1f ± %.1f\t%s\t%.2f\t%.1f %%\n", r.Model, r.Backend, r.Weights, r.Activations,
			r.Threads, r.Test, r.Depth, r.TokensPerSecond, r.Stddev, formatBytes(r.BytesPerToken), r.GBPerSecond, 100*r.BandwidthShare)
	}
	return t.Flush()
}

func printBenchCSV(w io.Writer, results []benchResult) error {
	out := csv.NewWriter(w)
	out.Write([]string{"model", "backend", "activations", "weights", "threads", "test", "depth",
		"tokens_per_second", "stddev", "bytes_per_token", "gb_per_second", "bandwidth_share"})
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	for _, r := range results {
		out.Write([]string{r.Model, r.Backend, r.Activations, r.Weights, strconv.Itoa(r.Threads), r.Test, strconv.Itoa(r.Depth),
			number(r.TokensPerSecond), number(r.Stddev), strconv.FormatInt(r.BytesPerToken, 10), number(r.GBPerSecond), number(r.BandwidthShare)})
	}
	out.Flush()
	return out.Error()
}
