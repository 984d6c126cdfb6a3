package convert

import (
	"strings"

	"octet/loader"
)

// vector is a tensor [n] that stays float: a norm's weight, or a bias.
type vector struct {
	name string
	n    int
}

// vectors lists the norms and biases of a transformer block.
func (f family) vectors(c *loader.Config, prefix string) []vector {
	all := []vector{
		{prefix + "input_layernorm.weight", c.HiddenSize},
		{prefix + "post_attention_layernorm.weight", c.HiddenSize},
	}
	if f.qkNorm {
		all = append(all, vector{prefix + "self_attn.q_norm.weight", c.HeadDim}, vector{prefix + "self_attn.k_norm.weight", c.HeadDim})
	}
	for _, l := range f.layer(c, prefix) {
		bias := c.AttentionBias
		if strings.HasPrefix(l.name, prefix+"mlp.") {
			bias = c.MLPBias && f.mlpBias
		}
		if bias {
			all = append(all, vector{l.name + ".bias", l.rows})
		}
	}
	return all
}

// find returns the tensor, which must be float and of the right shape.
func (v vector) find(ck *loader.Checkpoint) (loader.Tensor, error) {
	t, err := ck.Tensor(v.name)
	if err != nil {
		return t, err
	}
	if _, ok := elements[t.DType]; !ok || len(t.Shape) != 1 || t.Shape[0] != v.n {
		return t, unsupported(t.File, "tensor %s: floats [%d] expected, found %v %v", quote(v.name), v.n, t.DType, t.Shape)
	}
	return t, nil
}

// ends lists the matrices before and after the transformer blocks.
func ends(c *loader.Config) []linear {
	all := []linear{{name: "model.embed_tokens", rows: c.VocabSize, cols: c.HiddenSize}}
	if c.TieWordEmbeddings {
		return all
	}
	return append(all, linear{name: "lm_head", rows: c.VocabSize, cols: c.HiddenSize})
}

// checkTensors checks that the source holds, beside the linear layers of all blocks, the
// tensors that its config calls for, and no others: a model that lacks some, or computes
// with more, would not run. A reader of the output would even take a matrix more for a
// quantized layer.
func (f family) checkTensors(ck *loader.Checkpoint, layers []linear) error {
	c := &ck.Config
	used := make(map[string]bool)
	for _, l := range layers {
		used[l.weight.Name] = true
	}
	for _, l := range ends(c) {
		if err := l.find(ck); err != nil {
			return err
		}
		used[l.weight.Name] = true
	}
	vectors := []vector{{"model.norm.weight", c.HiddenSize}}
	for i := range c.NumLayers {
		vectors = append(vectors, f.vectors(c, layerName(i, ""))...)
	}
	for _, v := range vectors {
		if _, err := v.find(ck); err != nil {
			return err
		}
		used[v.name] = true
	}
	return ck.CheckUsed(used)
}
