package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"golang.org/x/sync/errgroup"

	"octet/loader"
	"octet/quant"
	"octet/runtime/tokenizer"
)

// Options say how a model is loaded. The zero value is good for most uses.
type Options struct {
	Threads     int               // workers; 0: the physical cores, as quant.NewPool counts them
	Activations quant.Activations // how int8 matrices take their inputs; default Int16
	Quantize    int               // group size 32, 64 or 128 at most: make a float model int8 while loading; 0: leave it
	FloatHead   bool              // leave lm_head of an int8 model in its stored type
	KV          KV                // type of the key/value cache
	Context     int               // most positions a session holds; 0: max_position_embeddings
	Tokenizer   string            // a tokenizer file or directory, instead of the model's own
}

// Model is a loaded model. It is immutable; sessions of several goroutines can share it.
type Model struct {
	ck      *loader.Checkpoint
	config  loader.Config
	options Options
	spec    spec
	pool    *quant.Pool
	tok     *tokenizer.Tokenizer // nil where the checkpoint has none
	context int                  // most positions of a session
	kv      KV                   // type of the sessions' caches
	group   int                  // group size of int8 matrices; 0: they are float, or have a scale a row

	embed  quant.Linear // [vocab, dim]
	layers []layer
	norm   []float32    // [dim]
	head   quant.Linear // [vocab, dim]
}

// layer holds one block's weights. Matrices are [outputs, inputs].
type layer struct {
	attnNorm       []float32 // [dim]
	q              linear    // [heads*headDim, dim]
	k, v           linear    // [kvHeads*headDim, dim]
	qNorm, kNorm   []float32 // [headDim]; nil without
	o              linear    // [dim, heads*headDim]
	ffnNorm        []float32 // [dim]
	gate, up, down linear    // [hidden, dim], [hidden, dim], [dim, hidden]
}

// Load opens the model at path (a Hugging Face directory or a llama2.c .bin file) and its
// tokenizer. Errors wrap those of package loader, tokenizer.ErrUnsupported and ErrUnsupported.
func Load(path string, o Options) (*Model, error) {
	ck, err := loader.Open(path)
	if err != nil {
		return nil, err
	}
	m, err := New(ck, o)
	if err != nil {
		return nil, errors.Join(err, ck.Close())
	}
	return m, nil
}

// LoadFS is Load for the Hugging Face directory at the root of fsys.
func LoadFS(fsys fs.FS, o Options) (*Model, error) {
	ck, err := loader.OpenFS(fsys)
	if err != nil {
		return nil, err
	}
	return New(ck, o)
}

// New makes a model of an open checkpoint, which it owns from then on if it returns no error.
func New(ck *loader.Checkpoint, o Options) (*Model, error) {
	s, err := newSpec(ck.Config)
	if err != nil {
		return nil, err
	}
	m := &Model{ck: ck, config: ck.Config, options: o, spec: s, context: contextLimit(ck.Config, o)}
	if m.group, err = groupSize(ck.Config, o); err != nil {
		return nil, err
	}
	if m.kv, err = chooseKV(ck.Config, o); err != nil {
		return nil, err
	}
	m.pool = quant.NewPool(o.Threads)
	if err := m.load(); err != nil {
		m.pool.Close()
		return nil, err
	}
	return m, nil
}

// load takes tokenizer and weights at the same time: parsing a large vocabulary takes one core
// as long as all of them need for a head.
func (m *Model) load() error {
	var g errgroup.Group
	g.Go(func() (err error) {
		m.tok, err = loadTokenizer(m.ck, m.options)
		return err
	})
	err := m.loadWeights()
	return cmp.Or(g.Wait(), err)
}

// contextLimit is the most positions that a session may hold. Dynamic RoPE exists to go
// beyond max_position_embeddings, so there only the user limits it.
func contextLimit(c loader.Config, o Options) int {
	switch {
	case o.Context > 0:
		return o.Context
	case c.RoPE.Type == "dynamic":
		return 1 << 30
	}
	return c.MaxPositions
}

// groupSize is that of a quantized checkpoint, or the largest up to Options.Quantize that divides
// the inputs of all matrices.
func groupSize(c loader.Config, o Options) (int, error) {
	if c.Quantization != nil {
		return c.Quantization.Group, nil
	}
	if o.Quantize == 0 {
		return 0, nil
	}
	widths := []int{c.HiddenSize, c.IntermediateSize, c.NumHeads * c.HeadDim}
	for g := quant.MaxGroup; g >= 32; g /= 2 {
		if g <= o.Quantize && !slices.ContainsFunc(widths, func(w int) bool { return w%g != 0 }) {
			return g, nil
		}
	}
	return 0, fmt.Errorf("%w: group size %d: no group size from 32 to that divides the matrices' inputs %v", ErrUnsupported, o.Quantize, widths)
}

func loadTokenizer(ck *loader.Checkpoint, o Options) (*tokenizer.Tokenizer, error) {
	if o.Tokenizer != "" {
		return tokenizer.LoadFile(o.Tokenizer)
	}
	t, err := tokenizer.Load(ck.FS())
	if errors.Is(err, tokenizer.ErrMissing) {
		return nil, nil
	}
	return t, err
}

func (m *Model) loadWeights() (err error) {
	c := m.config
	w := &weights{ck: m.ck, pool: m.pool, used: map[string]bool{}}
	if c.Quantization == nil {
		w.quantize = m.group
	}
	if m.embed, err = w.matrix(embedName, c.VocabSize, c.HiddenSize); err != nil {
		return err
	}
	m.layers = make([]layer, c.NumLayers)
	for i := range m.layers {
		if err := m.layers[i].load(w, c, m.spec, layerPrefix(i)); err != nil {
			return err
		}
	}
	if m.norm, err = w.vector(normName, c.HiddenSize); err != nil {
		return err
	}
	if err = m.loadHead(w); err != nil {
		return err
	}
	return m.ck.CheckUsed(w.used)
}

func (l *layer) load(w *weights, c loader.Config, s spec, prefix string) (err error) {
	for _, m := range l.matrices(c, s) {
		if *m.to, err = w.linear(prefix+m.name, m.rows, m.cols, m.bias); err != nil {
			return err
		}
	}
	for _, n := range l.norms(c, s) {
		if *n.to, err = w.vector(prefix+n.name, n.n); err != nil {
			return err
		}
	}
	return nil
}

// loadHead takes lm_head, or the embeddings where they are tied. On disk it is float even
// in an int8 checkpoint; in memory it becomes int8 like the rest.
func (m *Model) loadHead(w *weights) (err error) {
	m.head = m.embed
	if !m.config.TieWordEmbeddings {
		if m.head, err = w.matrix(headName, m.config.VocabSize, m.config.HiddenSize); err != nil {
			return err
		}
	}
	d, ok := m.head.(*quant.Dense)
	group := m.headGroup()
	if !ok || group == 0 {
		return nil
	}
	if m.head, err = quant.Quantize(m.pool, d, group); err != nil {
		return fmt.Errorf("head: %w", err)
	}
	return nil
}

// isInt8 tells whether the matrices of a model are int8.
func isInt8(c loader.Config, o Options) bool { return c.Quantization != nil || o.Quantize > 0 }

// smallHead is the size in bytes up to which a head stays float: it lies in the cache, so
// that int8 would cost accuracy and save nothing.
const smallHead = 1 << 20

// headGroup is the group size for the head: that of the model's matrices if it divides the
// hidden size, 0 to leave the head as it is stored.
func (m *Model) headGroup() int {
	if !isInt8(m.config, m.options) || m.options.FloatHead || m.options.Activations == quant.Float || m.head.Bytes() <= smallHead {
		return 0
	}
	group := m.group
	if group == 0 || group > quant.MaxGroup {
		group = 64
	}
	for ; group >= 16; group /= 2 {
		if m.config.HiddenSize%group == 0 {
			return group
		}
	}
	return 0
}

// Config is the model's configuration as the checkpoint gives it.
func (m *Model) Config() loader.Config { return m.config }

// Checkpoint is the checkpoint that the model was made of, open until Close.
func (m *Model) Checkpoint() *loader.Checkpoint { return m.ck }

// Tokenizer is the model's tokenizer, nil where the checkpoint has none.
func (m *Model) Tokenizer() *tokenizer.Tokenizer { return m.tok }

// Threads is the number of workers that the model's sessions share.
func (m *Model) Threads() int { return m.pool.Threads() }

// GroupSize is the number of inputs that share a scale in the int8 matrices; 0 where they
// are float, or have one scale a row.
func (m *Model) GroupSize() int { return m.group }

// Int8Head reports whether the output matrix is int8 in memory.
func (m *Model) Int8Head() bool {
	_, ok := m.head.(*quant.Matrix)
	return ok
}

// Context is the most positions that a session can hold.
func (m *Model) Context() int { return m.context }

// EOS returns the ids that end a generation: those of generation_config.json, or else of config.json.
func (m *Model) EOS() []int {
	if len(m.ck.Generation.EOS) > 0 {
		return m.ck.Generation.EOS
	}
	return m.config.EOS
}

// WeightBytes is what the weights of one token's forward pass take: the bytes that decode
// reads for a token, the cache aside.
func (m *Model) WeightBytes() int64 {
	n := m.head.Bytes()
	for i := range m.layers {
		l := &m.layers[i]
		for _, x := range []linear{l.q, l.k, l.v, l.o, l.gate, l.up, l.down} {
			n += x.weight.Bytes()
		}
	}
	return n
}

// Close ends the workers and unmaps the checkpoint. No session may be used after it.
func (m *Model) Close() error {
	m.pool.Close()
	return m.ck.Close()
}
