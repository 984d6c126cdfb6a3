package convert

import (
	"context"
	"path/filepath"
	"time"

	"octet/loader"
	"octet/quant"
)

// Format is the form of the output.
type Format uint8

const (
	// PackQuantized is a Hugging Face directory in compressed-tensors form, which
	// transformers and vLLM open as well.
	PackQuantized Format = iota
	// Llama2C is a llama2.c version 2 file, for runq.c.
	Llama2C
)

// formatNames are the names on the command line.
var formatNames = [...]string{PackQuantized: "pack-quantized", Llama2C: "llama2c"}

// String returns the name of the format: "pack-quantized" or "llama2c".
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return "unknown"
}

// ParseFormat finds a format by its name; another name is an ErrUnsupported.
func ParseFormat(name string) (Format, error) {
	for f, known := range formatNames {
		if name == known {
			return Format(f), nil
		}
	}
	return 0, unsupported("format", "pack-quantized or llama2c expected, found %s", quote(name))
}

// Options say what to make. The zero value makes a pack-quantized directory with
// groups of 64 on all cores.
type Options struct {
	// GroupSize is the number of inputs that share a scale: 32, 64 or 128; 0 means 64.
	// Where it does not divide the inputs of every matrix, the next smaller one that
	// does is taken.
	GroupSize int
	Format    Format
	Threads   int // 0: the physical cores, as quant.NewPool counts them
	// MaxShardBytes is the size above which the weights are split into several files;
	// 0 means 5 GB. A single tensor can exceed it.
	MaxShardBytes int64
	// Overwrite allows a destination that exists already. Files in it that belong to
	// another model are removed, others stay.
	Overwrite bool
	// Tokenizer is the path of the tokenizer.bin of a llama2.c source; "" means the one
	// beside it, if there is one. With another source it is refused.
	Tokenizer string
	// Progress is called now and then with the bytes of source weights that are
	// converted and written, never by two goroutines at once; nil for none.
	Progress func(done, total int64)
}

const (
	defaultGroup    = 64
	defaultMaxShard = 5_000_000_000
)

// Run converts the model at src into dst, a directory for PackQuantized (made where
// it is missing, and empty without Overwrite), the path of a .bin file for Llama2C.
//
// It returns the loader's errors for a source that cannot be opened, or whose tensors are not those
// that its config calls for; ErrUnsupported,
// ErrDestination or ErrWeight; the context's error; or one of the file system. After an
// error the destination is as it was before, but for files that Overwrite has removed
// and what a convert that was killed had left.
func Run(ctx context.Context, src, dst string, o Options) (*Summary, error) {
	ck, err := loader.Open(src)
	if err != nil {
		return nil, err
	}
	defer ck.Close()
	return RunCheckpoint(ctx, ck, dst, o)
}

// RunCheckpoint is Run for a model that is open already.
func RunCheckpoint(ctx context.Context, ck *loader.Checkpoint, dst string, o Options) (*Summary, error) {
	start := time.Now()
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	path, err := checkDestination(ck.Path, dst)
	if err != nil {
		return nil, err
	}
	plan, err := newPlan(ck, path, o)
	if err != nil {
		return nil, err
	}
	out, err := openStage(dst, path, o)
	if err != nil {
		return nil, err
	}
	defer out.abort()
	if err := plan.settle(ck, out); err != nil {
		return nil, err
	}
	if err := plan.write(ctx, out, o); err != nil {
		return nil, err
	}
	if err := plan.check(out); err != nil {
		return nil, err
	}
	if err := out.commit(ctx); err != nil {
		return nil, err
	}
	s := plan.summary(ck, dst)
	s.Elapsed = time.Since(start)
	return s, nil
}

// setDefaults fills in what is zero and checks the rest.
func (o *Options) setDefaults() error {
	if o.GroupSize == 0 {
		o.GroupSize = defaultGroup
	}
	if o.MaxShardBytes <= 0 {
		o.MaxShardBytes = defaultMaxShard
	}
	if int(o.Format) >= len(formatNames) {
		return unsupported("format", "pack-quantized or llama2c expected, found number %d", o.Format)
	}
	for _, g := range groupSizes {
		if o.GroupSize == g {
			return nil
		}
	}
	return unsupported("group size", "32, 64 or 128 expected, found %d", o.GroupSize)
}

// plan is all that is to be written, with every byte's place, before any is.
type plan struct {
	options  Options
	group    int
	jobs     []*job    // in the order of writing
	targets  []*target // the files of weights
	files    []file    // the small files beside them
	notes    []string
	matrices []linear // the quantized ones
}

// newPlan looks at the source and decides what the output at path holds.
func newPlan(ck *loader.Checkpoint, path string, o Options) (*plan, error) {
	f, err := familyOf(ck)
	if err != nil {
		return nil, err
	}
	if o.Tokenizer != "" && ck.Format != loader.Llama2C {
		return nil, unsupported("tokenizer", "a llama2.c source expected with this option, found %s, which has its own", label(ck))
	}
	p := &plan{options: o}
	if o.Format == Llama2C {
		err = p.planBin(ck, f, path)
	} else {
		err = p.planDirectory(ck, f)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// write writes all files into the stage.
func (p *plan) write(ctx context.Context, out *stage, o Options) error {
	for _, t := range p.targets {
		f, err := out.create(t.name)
		if err != nil {
			return err
		}
		t.file = f
		if _, err := f.Write(t.header); err != nil {
			return failed(t.name, "write", err)
		}
	}
	pool := quant.NewPool(o.Threads)
	defer pool.Close()
	if err := newStream(p, pool).run(ctx); err != nil {
		return err
	}
	for _, f := range p.files {
		if err := out.copy(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// check opens what has been written, as any reader would: nothing is given its name
// that the loader would refuse.
func (p *plan) check(out *stage) error {
	path := out.temp.path
	if p.options.Format == Llama2C {
		path = filepath.Join(path, out.last)
	}
	ck, err := loader.Open(path)
	if err != nil {
		return err
	}
	defer ck.Close()
	for _, l := range p.matrices {
		if _, err := ck.Weight(l.name, l.rows, l.cols); err != nil {
			return err
		}
	}
	return nil
}
