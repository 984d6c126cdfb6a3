package convert

import (
	"fmt"
	"strings"

	"octet/loader"
)

// groupSizes are the group sizes that kernels and other readers of the format know.
var groupSizes = [...]int{128, 64, 32}

// linear is the weight of a linear layer: X.weight [rows, cols].
type linear struct {
	name       string // X
	rows, cols int
	// heads is the number of attention heads whose rows RoPE turns in pairs; 0 where
	// RoPE does not touch the output.
	heads  int
	weight loader.Tensor // once it is found
}

// family says which layers a model has. In pack-quantized form every one of them
// must be quantized (its config says so of all), so an architecture that is not in the
// table is refused rather than guessed.
type family struct {
	architecture string
	layer        func(c *loader.Config, prefix string) []linear // of one transformer block
	qkNorm       bool                                           // norms of the heads of q and k
	mlpBias      bool                                           // heeds mlp_bias
	llama2c      bool                                           // has the block of llama2.c
}

var families = []family{
	{architecture: "LlamaForCausalLM", layer: llamaLayer, mlpBias: true, llama2c: true},
	{architecture: "Qwen3ForCausalLM", layer: llamaLayer, qkNorm: true},
	{architecture: "llama2.c", layer: llamaLayer, llama2c: true},
}

// familyOf finds the family of a checkpoint, which must not be quantized yet.
func familyOf(ck *loader.Checkpoint) (family, error) {
	c := &ck.Config
	if q := c.Quantization; q != nil {
		return family{}, unsupported(label(ck), "float weights expected, found %s, quantized already", strings.TrimSpace(q.Method+" "+q.Format))
	}
	var known []string
	for _, f := range families {
		if f.architecture == c.Architecture {
			return f, nil
		}
		known = append(known, f.architecture)
	}
	return family{}, unsupported("architectures", "one of %s expected, found %s", strings.Join(known, ", "), quote(c.Architecture))
}

// label names the source in messages.
func label(ck *loader.Checkpoint) string {
	if ck.Path == "" {
		return "model"
	}
	return ck.Path
}

// llamaLayer lists the projections of attention and feed-forward.
func llamaLayer(c *loader.Config, prefix string) []linear {
	dim, hidden := c.HiddenSize, c.IntermediateSize
	qDim, kvDim := c.NumHeads*c.HeadDim, c.NumKVHeads*c.HeadDim
	return []linear{
		{name: prefix + "self_attn.q_proj", rows: qDim, cols: dim, heads: c.NumHeads},
		{name: prefix + "self_attn.k_proj", rows: kvDim, cols: dim, heads: c.NumKVHeads},
		{name: prefix + "self_attn.v_proj", rows: kvDim, cols: dim},
		{name: prefix + "self_attn.o_proj", rows: dim, cols: qDim},
		{name: prefix + "mlp.gate_proj", rows: hidden, cols: dim},
		{name: prefix + "mlp.up_proj", rows: hidden, cols: dim},
		{name: prefix + "mlp.down_proj", rows: dim, cols: hidden},
	}
}

// linears finds the linear layers of all transformer blocks. It looks at each as it
// comes: a config can name more layers than memory would hold.
func (f family) linears(ck *loader.Checkpoint) ([]linear, error) {
	var all []linear
	for i := range ck.Config.NumLayers {
		for _, l := range f.layer(&ck.Config, layerName(i, "")) {
			if err := l.find(ck); err != nil {
				return nil, err
			}
			all = append(all, l)
		}
	}
	return all, nil
}

// layerName is the name of a part of transformer block i.
func layerName(i int, part string) string { return fmt.Sprintf("model.layers.%d.%s", i, part) }

// find sets the layer's weight, which must be there, float and of the right shape.
func (l *linear) find(ck *loader.Checkpoint) error {
	w, err := ck.Weight(l.name, l.rows, l.cols)
	if err != nil {
		return err
	}
	if w.Group != 0 {
		return unsupported(w.Values.File, "tensor %s: a float weight expected, found %v", quote(w.Values.Name), w.Values.DType)
	}
	l.weight = w.Values
	return nil
}

// chooseGroup returns the largest group size up to asked that divides the inputs of
// every layer.
func chooseGroup(all []linear, asked int) (int, error) {
	var odd linear
	for _, g := range groupSizes {
		if g > asked {
			continue
		}
		odd = linear{}
		for _, l := range all {
			if l.cols%g != 0 {
				odd = l
				break
			}
		}
		if odd.name == "" {
			return g, nil
		}
	}
	return 0, unsupported("group size", "tensor %s: a number of inputs that 32 divides expected, found %d",
		quote(odd.name+".weight"), odd.cols)
}

// rowOrder says which row of the source becomes row r of the output; nil keeps them.
type rowOrder func(r int) int

// toHalves takes heads whose RoPE turns the pairs (2i, 2i+1), as in llama2.c, to pairs
// (i, i+headDim/2), as in Hugging Face checkpoints.
func toHalves(headDim int) rowOrder {
	return func(r int) int {
		i := r % headDim
		half := headDim / 2
		return r - i + 2*(i%half) + i/half
	}
}

// toPairs is the opposite of toHalves: row 2i comes from i, and 2i+1 from i+headDim/2
// (export.py of llama2.c calls it permute_reverse).
func toPairs(headDim int) rowOrder {
	return func(r int) int {
		i := r % headDim
		return r - i + i/2 + i%2*(headDim/2)
	}
}
