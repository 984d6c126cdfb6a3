package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"octet/loader"
	"octet/quant"
	"octet/runtime"
	"octet/testdata/demo"
)

// maxThreads bounds --threads: more than any machine has, less than would harm one.
const maxThreads = 4096

// modelFlags are the flags that say which model to load and how. A command registers those
// that it uses.
type modelFlags struct {
	model       string // "" for the embedded demo model
	tokenizer   string
	threads     int
	context     int
	activations choice
	quantize    choice
	groupSize   int
	head        choice
	kv          choice
}

// registerModel adds -m.
func (f *modelFlags) registerModel(c *cobra.Command) {
	registerPath(c, &f.model, "model", "m", "model: a Hugging Face directory or a llama2.c .bin `PATH` (default: the embedded demo model)")
}

// registerTokenizer adds --tokenizer.
func (f *modelFlags) registerTokenizer(c *cobra.Command) {
	registerPath(c, &f.tokenizer, "tokenizer", "", "tokenizer file or directory `PATH`, instead of the model's own")
}

// registerThreads adds --threads.
func (f *modelFlags) registerThreads(c *cobra.Command) {
	registerThreads(c, &f.threads)
}

func registerThreads(c *cobra.Command, threads *int) {
	c.Flags().IntVar(threads, "threads", 0, "worker threads `N` (default: the physical cores that the process may use)")
}

// registerNumbers adds the flags that change how the model is computed.
func (f *modelFlags) registerNumbers(c *cobra.Command) {
	f.activations = newChoice("int16", "int8", "float")
	f.quantize = choice{allowed: []string{"int8"}}
	f.head = newChoice("int8", "float")
	f.registerKV(c, "type of the key/value cache (default: f16 for int8 models, f32 for others and with --activations float)")
	c.Flags().Var(&f.activations, "activations", "how int8 matrices take their inputs; float is the reference")
	c.Flags().Var(&f.quantize, "quantize", "make a float model int8 while loading")
	c.Flags().IntVar(&f.groupSize, "group-size", 64, "`N` inputs share a scale with --quantize: 32, 64 or 128")
	c.Flags().Var(&f.head, "head", "output matrix of an int8 model: made int8 too, or float as it is stored")
}

// registerKV adds --kv.
func (f *modelFlags) registerKV(c *cobra.Command, usage string) {
	f.kv = choice{allowed: []string{"f32", "f16", "int8"}}
	c.Flags().Var(&f.kv, "kv", usage)
}

// registerContext adds --context.
func (f *modelFlags) registerContext(c *cobra.Command) {
	c.Flags().IntVar(&f.context, "context", 0, "most tokens `N` that a conversation holds (default: what the model was made for)")
}

// registerAll adds all of them.
func (f *modelFlags) registerAll(c *cobra.Command) {
	f.registerModel(c)
	f.registerTokenizer(c)
	f.registerThreads(c)
	f.registerContext(c)
	f.registerNumbers(c)
}

// name is what the user calls the model.
func (f *modelFlags) name() string {
	if f.model == "" {
		return "demo"
	}
	return f.model
}

// open opens the checkpoint without making a model of it.
func (f *modelFlags) open() (*loader.Checkpoint, error) {
	if f.model == "" {
		return loader.OpenFS(demo.FS)
	}
	return loader.Open(f.model)
}

// load opens the model. The caller closes it.
func (f *modelFlags) load(c *cobra.Command) (*runtime.Model, error) {
	o, err := f.options(c)
	if err != nil {
		return nil, err
	}
	m, err := f.loadWith(o)
	if err == nil && o.Quantize > 0 && m.GroupSize() != o.Quantize {
		fmt.Fprintf(c.ErrOrStderr(), "octet: groups of %d, because %d does not divide the inputs of all matrices\n", m.GroupSize(), o.Quantize)
	}
	return m, err
}

func (f *modelFlags) loadWith(o runtime.Options) (*runtime.Model, error) {
	if f.model == "" {
		return runtime.LoadFS(demo.FS, o)
	}
	return runtime.Load(f.model, o)
}

// options are the runtime's options for the flags.
func (f *modelFlags) options(c *cobra.Command) (runtime.Options, error) {
	o, err := f.commonOptions()
	if err != nil {
		return o, err
	}
	if f.quantize.value == "" {
		if c.Flags().Changed("group-size") {
			return o, usageError("--group-size: only with --quantize int8")
		}
		return o, nil
	}
	o.Quantize = f.groupSize
	return o, checkGroupSize(f.groupSize)
}

// commonOptions are the options without quantization.
func (f *modelFlags) commonOptions() (runtime.Options, error) {
	o := runtime.Options{Tokenizer: f.tokenizer, Threads: f.threads, Context: f.context}
	if err := cmp.Or(checkThreads(f.threads), checkBackend()); err != nil {
		return o, err
	}
	if f.context < 0 {
		return o, usageError("--context: a positive number expected, found %d", f.context)
	}
	o.Activations = activations(f.activations.value)
	o.FloatHead = f.head.value == "float"
	o.KV = cacheType(f.kv.value)
	return o, nil
}

func activations(name string) quant.Activations {
	switch name {
	case "int8":
		return quant.Int8
	case "float":
		return quant.Float
	}
	return quant.Int16
}

// cacheType is the type of the key/value cache called name, the default for "".
func cacheType(name string) runtime.KV {
	for _, kv := range []runtime.KV{runtime.KVF32, runtime.KVF16, runtime.KVInt8} {
		if name == kv.String() {
			return kv
		}
	}
	return runtime.KVDefault
}

func checkThreads(n int) error {
	if n < 0 || n > maxThreads {
		return usageError("--threads: 1 to %d expected, found %d", maxThreads, n)
	}
	return nil
}

// checkBackend returns what is wrong with the instruction set that the environment names.
func checkBackend() error {
	if err := quant.BackendError(); err != nil {
		return fmt.Errorf("OCTET_CPU: %w", err)
	}
	return nil
}

func checkGroupSize(n int) error {
	if !slices.Contains([]int{32, 64, 128}, n) {
		return usageError("--group-size: 32, 64 or 128 expected, found %d", n)
	}
	return nil
}
