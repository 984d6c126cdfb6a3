package runtime

import (
	"fmt"

	"octet/loader"
)

// Part is what a model takes from its checkpoint at one place.
type Part struct {
	Kind PartKind
	// Name is that of the layer, without ".weight", for a matrix, and of the tensor for a
	// vector.
	Name string
	Rows int // of a matrix [Rows, Cols], or values of a vector
	Cols int // 0 for a vector
}

// PartKind says what a Part is.
type PartKind uint8

// The kinds of parts.
const (
	EmbeddingPart PartKind = iota // the matrix of embeddings, float on disk
	LinearPart                    // a matrix that quantization makes int8
	HeadPart                      // lm_head, float on disk
	NormPart                      // a vector
	BiasPart                      // a vector
)

// The names of what lies outside the layers.
const (
	embedName = "model.embed_tokens"
	normName  = "model.norm.weight"
	headName  = "lm_head"
)

func layerPrefix(i int) string { return fmt.Sprintf("model.layers.%d.", i) }

// Parts lists all that a model of the config is made of. The error wraps ErrUnsupported
// where New would refuse the config.
func Parts(c loader.Config) ([]Part, error) {
	s, err := newSpec(c)
	if err != nil {
		return nil, err
	}
	parts := []Part{{EmbeddingPart, embedName, c.VocabSize, c.HiddenSize}}
	for i := range c.NumLayers {
		parts = append(parts, layerParts(c, s, layerPrefix(i))...)
	}
	parts = append(parts, Part{NormPart, normName, c.HiddenSize, 0})
	if !c.TieWordEmbeddings {
		parts = append(parts, Part{HeadPart, headName, c.VocabSize, c.HiddenSize})
	}
	return parts, nil
}

func layerParts(c loader.Config, s spec, prefix string) (parts []Part) {
	var l layer
	for _, m := range l.matrices(c, s) {
		parts = append(parts, Part{LinearPart, prefix + m.name, m.rows, m.cols})
		if m.bias {
			parts = append(parts, Part{BiasPart, prefix + m.name + ".bias", m.rows, 0})
		}
	}
	for _, n := range l.norms(c, s) {
		parts = append(parts, Part{NormPart, prefix + n.name, n.n, 0})
	}
	return parts
}

// layerMatrix is a place in a layer for a matrix [rows, cols].
type layerMatrix struct {
	to         *linear
	name       string
	rows, cols int
	bias       bool
}

// matrices lists the matrices of a layer.
func (l *layer) matrices(c loader.Config, s spec) []layerMatrix {
	qDim, kvDim := c.NumHeads*c.HeadDim, c.NumKVHeads*c.HeadDim
	return []layerMatrix{
		{&l.q, "self_attn.q_proj", qDim, c.HiddenSize, s.attentionBias},
		{&l.k, "self_attn.k_proj", kvDim, c.HiddenSize, s.attentionBias},
		{&l.v, "self_attn.v_proj", kvDim, c.HiddenSize, s.attentionBias},
		{&l.o, "self_attn.o_proj", c.HiddenSize, qDim, s.attentionBias},
		{&l.gate, "mlp.gate_proj", c.IntermediateSize, c.HiddenSize, s.mlpBias},
		{&l.up, "mlp.up_proj", c.IntermediateSize, c.HiddenSize, s.mlpBias},
		{&l.down, "mlp.down_proj", c.HiddenSize, c.IntermediateSize, s.mlpBias},
	}
}

// layerNorm is a place in a layer for the weights of a norm [n].
type layerNorm struct {
	to   *[]float32
	name string
	n    int
}

// norms lists the norms of a layer.
func (l *layer) norms(c loader.Config, s spec) []layerNorm {
	norms := []layerNorm{
		{&l.attnNorm, "input_layernorm.weight", c.HiddenSize},
		{&l.ffnNorm, "post_attention_layernorm.weight", c.HiddenSize},
		{&l.qNorm, "self_attn.q_norm.weight", c.HeadDim},
		{&l.kNorm, "self_attn.k_norm.weight", c.HeadDim},
	}
	if !s.qkNorm {
		norms = norms[:2]
	}
	return norms
}
