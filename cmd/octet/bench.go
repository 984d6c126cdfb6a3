package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"octet/runtime/random"
)

// benchFlags are the flags of octet bench.
type benchFlags struct {
	modelFlags
	prompt, generate, repetitions int
	depths                        []int
	output                        choice
	json                          bool
	random                        string // the shape of a model of random weights
	weights                       choice // their type
	compare                       []string
	inTurns                       bool // this process is one side of a comparison
}

func newBenchCommand() *cobra.Command {
	f := &benchFlags{output: newChoice("table", "json", "csv"), weights: newChoice("int8", "bf16", "f16", "f32")}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure tokens per second",
		Long: `bench measures how fast a model reads a prompt (test pp512: 512 tokens in one piece) and
how fast it generates (tg128: 128 tokens one by one), after a warm-up, -r times each, at each
of the depths -d: so many tokens precede the test.

Bytes per token is what has to be read from memory for a token: in tg the weights and the
cached keys and values before it, in pp the weights divided by the tokens that share them.
The share is that traffic against the bandwidth with which this machine reads a large buffer,
measured between the tests, the best of all. A model that fits into the caches can be above 100 %.

--random measures a model that is not there: random weights, made in memory, of a shape known
by name (` + strings.Join(random.Shapes(), ", ") + `) or that of any config.json. ",layers=2" at its end
leaves 2 layers of it. Its context is as long as the config says, or --context. What does not
fit into memory is refused with the figures.

--compare NAME=VALUE runs the tests twice, in two processes that take turns (A, B, A, B, …):
A is what the other flags say, B the same with --NAME=VALUE, or with another instruction set
for cpu=VALUE. The ratio is B's median to A's, its deviation that of the pairs.`,
		Example: `  octet bench
  octet bench -m ./SmolLM2-135M-int8 -p 512 -n 128 -d 0,4096 -r 5
  octet bench -m ./SmolLM2-135M --quantize int8 --threads 4 -o json
  octet bench --random llama-3-8b              # before a download: how fast, how much memory
  octet bench --random ./config.json,layers=4 --weights bf16
  octet bench -m ./SmolLM2-135M-int8 --compare cpu=avx2
  octet bench -m ./SmolLM2-135M --compare model=./SmolLM2-135M-int8`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.registerModel(c)
	f.registerThreads(c)
	f.registerContext(c)
	f.registerNumbers(c)
	f.register(c)
	return c
}

// register adds the flags that other commands do not have.
func (f *benchFlags) register(c *cobra.Command) {
	c.Flags().IntVarP(&f.prompt, "prompt", "p", 512, "tokens `N` of the prompt; 0: leave that test out")
	c.Flags().IntVarP(&f.generate, "generate", "n", 128, "tokens `N` to generate; 0: leave that test out")
	c.Flags().IntSliceVarP(&f.depths, "depth", "d", []int{0}, "tokens that the session holds before each test, a `LIST` of numbers")
	c.Flags().IntVarP(&f.repetitions, "repetitions", "r", 5, "how often `N` each test is run")
	registerPath(c, &f.random, "random", "", "instead of a model random weights of this `SHAPE`: a name or a config.json's path, and ,layers=N")
	c.Flags().Var(&f.weights, "weights", "type of the random weights")
	c.Flags().StringArrayVar(&f.compare, "compare", nil, "compare with the same under another setting `NAME=VALUE`: cpu, "+strings.Join(compared, ", "))
	c.Flags().Lookup("group-size").Usage = "`N` inputs share a scale where --quantize or --random makes int8: 32, 64 or 128"
	c.Flags().VarP(&f.output, "output", "o", "form of the results")
	c.Flags().BoolVar(&f.json, "json", false, "the same as -o json")
	c.Flags().BoolVar(&f.inTurns, "in-turns", false, "be one side of a comparison")
	c.Flags().MarkHidden("in-turns")
	c.MarkFlagsMutuallyExclusive("model", "random")
	c.MarkFlagsMutuallyExclusive("compare", "in-turns")
}

func (f *benchFlags) run(c *cobra.Command) error {
	if err := f.check(c); err != nil {
		return err
	}
	if f.inTurns {
		return f.serve(c)
	}
	sides, err := f.sides(c)
	if err != nil {
		return err
	}
	defer closeSides(sides)
	bar := newProgress(c.ErrOrStderr(), "measuring", int64(len(sides)*len(sides[0].tests())*(f.repetitions+1)), false)
	results, err := measure(c.Context(), sides, f.repetitions, func() { bar.Add(1) })
	bar.Clear()
	if err != nil {
		return err
	}
	if f.json {
		f.output.value = "json"
	}
	return printBench(c.OutOrStdout(), f.output.value, results)
}

// check returns what is wrong with the flags.
func (f *benchFlags) check(c *cobra.Command) error {
	deepest := slices.Max(append(f.depths, 0))
	if f.prompt < 0 || f.generate < 0 || len(f.depths) == 0 || slices.Min(f.depths) < 0 || f.repetitions < 1 {
		return usageError("-p, -n and -d: no negative numbers, -r: at least 1 expected, found -p %d -n %d -d %s -r %d",
			f.prompt, f.generate, listed(c, "depth"), f.repetitions)
	}
	if most := max(f.prompt, f.generate, deepest); most > maxBenchTokens {
		return usageError("-p, -n and -d: at most %d expected, found %d", maxBenchTokens, most)
	}
	switch {
	case f.random == "" && c.Flags().Changed("weights"):
		return usageError("--weights: only with --random")
	case f.random != "" && f.quantize.value != "":
		return usageError("--quantize: not with --random, where --weights says what the weights are")
	case f.random != "" && f.weights.value != "int8" && c.Flags().Changed("group-size"):
		return usageError("--group-size: only with --weights int8, found --weights %s", f.weights.value)
	}
	return nil
}

// listed is a flag's value as it can be given again: pflag prints lists in brackets.
func listed(c *cobra.Command, name string) string {
	return strings.Trim(c.Flags().Lookup(name).Value.String(), "[]")
}

// maxBenchTokens bounds the tests: more than any model's context.
const maxBenchTokens = 1 << 26

// sides opens what is to be measured: the model, or both sides of a comparison.
func (f *benchFlags) sides(c *cobra.Command) ([]side, error) {
	if len(f.compare) > 0 {
		return f.comparedSides(c)
	}
	s, err := f.open(c)
	if err != nil {
		return nil, err
	}
	return []side{s}, nil
}

// testsWithin lists the tests, cut to what a model of so many positions holds; it says so
// where they are.
func (f *benchFlags) testsWithin(w io.Writer, context int) (tests []benchTest) {
	cut := func(flag string, n, most int, where string) int {
		if n > most {
			fmt.Fprintf(w, "octet: the context holds %d tokens: %s %d instead of %d%s\n", context, flag, most, n, where)
		}
		return min(n, most)
	}
	var done []int
	for _, depth := range f.depths {
		depth = cut("-d", depth, context-1, "")
		if slices.Contains(done, depth) {
			continue
		}
		done = append(done, depth)
		where := ""
		if len(f.depths) > 1 {
			where = fmt.Sprintf(" at depth %d", depth)
		}
		tests = append(tests,
			benchTest{"pp", cut("-p", f.prompt, context-depth, where), depth, evalAtOnce},
			benchTest{"tg", cut("-n", f.generate, context-depth, where), depth, evalOneByOne})
	}
	return slices.DeleteFunc(tests, func(t benchTest) bool { return t.n == 0 })
}
