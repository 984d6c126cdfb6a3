package main

import (
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"octet/loader"
	"octet/quant"
	"octet/runtime"
	"octet/runtime/chat"
)

// inspectFlags are the flags of octet inspect.
type inspectFlags struct {
	modelFlags
	tensors, json bool
}

func newInspectCommand() *cobra.Command {
	f := &inspectFlags{}
	c := &cobra.Command{
		Use:   "inspect",
		Short: "Show what is in a checkpoint",
		Long: `inspect shows a checkpoint's architecture, sizes, quantization and tensors. It reads headers
only, so that it is quick for large models too, and shows models that octet cannot run as well.

Tensors that differ in the number of a layer alone are shown in one line: layers.*`,
		Example: `  octet inspect
  octet inspect -m ./SmolLM2-135M --tensors
  octet inspect -m ./SmolLM2-135M --json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.OutOrStdout()) },
	}
	f.registerModel(c)
	c.Flags().BoolVar(&f.tensors, "tensors", false, "list every tensor in a line of its own")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON, with every tensor")
	return c
}

func (f *inspectFlags) run(w io.Writer) error {
	ck, err := f.open()
	if err != nil {
		return err
	}
	defer ck.Close()
	in, err := inspect(ck)
	if err != nil {
		return err
	}
	in.Model = f.name()
	if f.json {
		return printJSON(w, in)
	}
	return in.print(w, f.tensors)
}

// inspection is what --json prints. "architecture", "parameters", "tensors" and
// "quantization" are a contract with scripts.
type inspection struct {
	Model        string                 `json:"model"`
	Format       string                 `json:"format"`
	Architecture string                 `json:"architecture"`
	ModelType    string                 `json:"model_type"`
	Runnable     *bool                  `json:"runnable"`           // null where it was not tried
	Obstacle     string                 `json:"obstacle,omitempty"` // why it is not
	Parameters   int64                  `json:"parameters"`
	Bytes        int64                  `json:"bytes"` // of all tensors
	Files        int                    `json:"files"`
	DType        string                 `json:"dtype"`
	Context      int                    `json:"context"`
	Layers       int                    `json:"layers"`
	HiddenSize   int                    `json:"hidden_size"`
	Intermediate int                    `json:"intermediate_size"`
	Heads        int                    `json:"heads"`
	KVHeads      int                    `json:"kv_heads"`
	HeadDim      int                    `json:"head_dim"`
	Vocabulary   int                    `json:"vocabulary"`
	TiedHead     bool                   `json:"tied_embeddings"`
	RoPE         inspectedRoPE          `json:"rope"`
	Quantization *inspectedQuantization `json:"quantization"` // null for a float model
	Tokenizer    string                 `json:"tokenizer"`    // "" without
	ChatTemplate bool                   `json:"chat_template"`
	Tensors      []inspectedTensor      `json:"tensors"`
}

type inspectedRoPE struct {
	Type        string  `json:"type"`
	Theta       float64 `json:"theta"`
	Factor      float64 `json:"factor,omitempty"`
	Interleaved bool    `json:"interleaved"`
}

type inspectedQuantization struct {
	Method   string   `json:"method"`
	Format   string   `json:"format,omitempty"`
	Strategy string   `json:"strategy"`
	Group    int      `json:"group_size"`
	Ignore   []string `json:"ignore,omitempty"`
}

type inspectedTensor struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
	Bytes int64  `json:"bytes"`
	File  string `json:"file"`
}

// inspect describes an open checkpoint.
func inspect(ck *loader.Checkpoint) (inspection, error) {
	c := ck.Config
	in := inspection{
		Format: ck.Format.String(), Architecture: c.Architecture, ModelType: c.ModelType, DType: c.DType.String(),
		Context: c.MaxPositions, Layers: c.NumLayers, HiddenSize: c.HiddenSize, Intermediate: c.IntermediateSize,
		Heads: c.NumHeads, KVHeads: c.NumKVHeads, HeadDim: c.HeadDim, Vocabulary: c.VocabSize, TiedHead: c.TieWordEmbeddings,
		RoPE:         inspectedRoPE{c.RoPE.Type, c.RoPE.Theta, c.RoPE.Factor, c.RoPE.Interleaved},
		Tokenizer:    tokenizerFile(ck.FS()),
		ChatTemplate: hasTemplate(ck.FS()),
	}
	if q := c.Quantization; q != nil {
		in.Quantization = &inspectedQuantization{q.Method, q.Format, q.Strategy, q.Group, q.Ignore}
	}
	if err := in.addTensors(ck); err != nil {
		return in, err
	}
	in.tryRunning(ck)
	return in, nil
}

// mostCopied is the size in bytes up to which inspect makes a model of int8 weights that
// runtime has to copy; all others are used as they lie in the file.
const mostCopied = 1 << 30

// tryRunning makes a model of ck, which checks the name and shape of every tensor, and
// closes both.
func (in *inspection) tryRunning(ck *loader.Checkpoint) {
	copied := int64(0)
	for _, t := range in.Tensors {
		if t.DType == loader.I8.String() {
			copied += t.Bytes
		}
	}
	if copied > mostCopied {
		return
	}
	m, err := runtime.New(ck, runtime.Options{Threads: 1, Activations: quant.Float})
	if err != nil {
		in.Obstacle = err.Error()
	} else {
		m.Close()
	}
	runnable := err == nil
	in.Runnable = &runnable
}

// parameters is the number of weights that t holds: four in each word of a packed matrix,
// none in the scales and shapes beside it.
func parameters(t loader.Tensor) int64 {
	switch {
	case strings.HasSuffix(t.Name, ".weight_scale"), strings.HasSuffix(t.Name, ".weight_shape"), strings.HasSuffix(t.Name, ".weight_zero_point"):
		return 0
	case strings.HasSuffix(t.Name, ".weight_packed"):
		return 4 * int64(t.Len())
	}
	return int64(t.Len())
}

// tokenizerFile returns the file in fsys that a tokenizer is read from, "" without one.
func tokenizerFile(fsys fs.FS) string {
	for _, name := range []string{"tokenizer.json", "tokenizer.model", "tokenizer.bin"} {
		if _, err := fs.Stat(fsys, name); err == nil {
			return name
		}
	}
	return ""
}

// hasTemplate reports whether a chat template lies in fsys, be it one that cannot be parsed.
func hasTemplate(fsys fs.FS) bool {
	_, err := chat.Load(fsys)
	return !errors.Is(err, chat.ErrNoTemplate)
}

// addTensors lists the tensors and adds them up.
func (in *inspection) addTensors(ck *loader.Checkpoint) error {
	files := map[string]bool{}
	for _, name := range ck.Names() {
		t, err := ck.Tensor(name)
		if err != nil {
			return err
		}
		bytes := int64(len(t.Data))
		in.Tensors = append(in.Tensors, inspectedTensor{name, t.DType.String(), t.Shape, bytes, t.File})
		in.Bytes += bytes
		in.Parameters += parameters(t)
		files[t.File] = true
	}
	in.Files = len(files)
	return nil
}
