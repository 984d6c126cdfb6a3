package loader

import (
	"bytes"
	"fmt"
	"iter"
	"path/filepath"
)

// The quantization method and the architecture of a llama2.c file.
const methodLlama2C = "llama2.c"

// openBin opens the llama2.c model at path. Its tensors get the names that they have in
// a Hugging Face directory; those of version 2 are X.weight (I8) and X.weight_scale.
func (c *Checkpoint) openBin(path string) error {
	c.Format = Llama2C
	file := filepath.Base(path)
	if filepath.Ext(file) == ".safetensors" {
		return unsupported(file, "give the directory that holds it, with its %s", configFile)
	}
	m, err := openMapping(path, file)
	if err != nil {
		return err
	}
	c.mapped = append(c.mapped, m)
	return c.readBin(file, m.data)
}

// readBin takes the model from b, the whole file.
func (c *Checkpoint) readBin(file string, b []byte) error {
	if err := refuseForeign(file, b); err != nil {
		return err
	}
	h, err := parseBinHeader(file, b)
	if err != nil {
		return err
	}
	c.Config = h.config()
	tensors, err := h.tensors(file, b)
	if err != nil {
		return err
	}
	if err := c.add(tensors); err != nil {
		return err
	}
	c.seal()
	return nil
}

// foreignMagics begin files of other formats, some of which end in .bin too.
var foreignMagics = []struct{ magic, format string }{
	{"GGUF", "a GGUF file"},
	{"lmgg", "a GGML file"},
	{"tjgg", "a GGJT file"},
	{"PK\x03\x04", "a PyTorch file (zip)"},
	{"\x80\x02", "a PyTorch file (pickle)"},
	{"\x89HDF", "an HDF5 file"},
}

// refuseForeign refuses files that are not llama2.c's, by their first bytes or name.
func refuseForeign(file string, b []byte) error {
	for _, f := range foreignMagics {
		if bytes.HasPrefix(b, []byte(f.magic)) {
			return unsupported(file, "a Hugging Face directory or a llama2.c .bin file expected, found %s", f.format)
		}
	}
	if filepath.Ext(file) != ".bin" {
		return unsupported(file, "a Hugging Face directory or a llama2.c .bin file expected")
	}
	return nil
}

// config is the header in the words of a config.json. llama2.c keeps no token ids in
// the file: run.c begins with 1 and ends at 1, and 2 is the end of a sequence in the
// tokenizer that it takes.
func (h binHeader) config() Config {
	c := Config{
		Architecture:      methodLlama2C,
		ModelType:         methodLlama2C,
		HiddenSize:        h.dim,
		IntermediateSize:  h.hiddenDim,
		NumLayers:         h.layers,
		NumHeads:          h.heads,
		NumKVHeads:        h.kvHeads,
		HeadDim:           h.headDim(),
		VocabSize:         h.vocab,
		MaxPositions:      h.seqLen,
		NormEps:           1e-5,
		HiddenAct:         "silu",
		TieWordEmbeddings: h.shared,
		RoPE:              RoPE{Type: "default", Theta: 10000, Interleaved: true},
		DType:             F32,
		BOS:               []int{1},
		EOS:               []int{1, 2},
	}
	if h.group > 0 {
		c.Quantization = &Quantization{Method: methodLlama2C, Strategy: "group", Group: h.group}
	}
	return c
}

// piece is a run of the file: a tensor, or values that nothing reads (no name).
type piece struct {
	name  string
	dtype DType
	shape []int
}

// bytes is the length of the piece: at most 4·maxBinSize², far from overflow.
func (p piece) bytes() int64 {
	n := int64(p.dtype.Size())
	for _, d := range p.shape {
		n *= int64(d)
	}
	return n
}

// maxModel is more bytes than any file has; sums of pieces stay below 2^63 with it.
const maxModel = 1 << 50

// tensors cuts the file into its tensors, once the size of the file is known to be
// right.
func (h binHeader) tensors(file string, b []byte) ([]Tensor, error) {
	total := int64(h.size)
	for p := range h.pieces() {
		n := p.bytes()
		if n > maxModel || total > maxModel {
			return nil, damaged(file, "header: sizes beyond any file: %+v", h)
		}
		total += n
	}
	if total != int64(len(b)) {
		return nil, damaged(file, "%d bytes expected from the header, found %d", total, len(b))
	}
	var tensors []Tensor
	rest := b[h.size:]
	for p := range h.pieces() {
		data := rest[:p.bytes():p.bytes()]
		rest = rest[len(data):]
		if p.name != "" {
			tensors = append(tensors, Tensor{Name: p.name, DType: p.dtype, Shape: p.shape, Data: data, File: file})
		}
	}
	return tensors, nil
}

// pieces walks the file after its header, as legacy_export (version 0), version1_export
// and version2_export of llama2.c's export.py write it.
func (h binHeader) pieces() iter.Seq[piece] {
	return func(yield func(piece) bool) {
		w := &binWalk{h: h, yield: yield}
		if h.version == 0 {
			w.version0()
		} else {
			w.version1()
		}
	}
}

// binWalk hands out pieces until yield has enough.
type binWalk struct {
	h     binHeader
	yield func(piece) bool
	done  bool
}

func (w *binWalk) version0() {
	w.embeddings()
	w.norms("input_layernorm")
	w.attention()
	w.norms("post_attention_layernorm")
	w.mlp()
	w.emit(piece{"model.norm.weight", F32, []int{w.h.dim}})
	// Tables of cos and sin, which run.c no longer reads.
	w.emit(piece{"", F32, []int{w.h.seqLen, w.h.headDim()}})
	w.classifier()
}

func (w *binWalk) version1() {
	w.norms("input_layernorm")
	w.norms("post_attention_layernorm")
	w.emit(piece{"model.norm.weight", F32, []int{w.h.dim}})
	w.embeddings()
	w.attention()
	w.mlp()
	w.classifier()
}

func (w *binWalk) embeddings() { w.matrix("model.embed_tokens", w.h.vocab, w.h.dim) }

func (w *binWalk) classifier() {
	if !w.h.shared {
		w.matrix("lm_head", w.h.vocab, w.h.dim)
	}
}

func (w *binWalk) attention() {
	h := w.h
	kvDim := h.kvHeads * h.headDim()
	w.matrices("self_attn.q_proj", h.dim, h.dim)
	w.matrices("self_attn.k_proj", kvDim, h.dim)
	w.matrices("self_attn.v_proj", kvDim, h.dim)
	w.matrices("self_attn.o_proj", h.dim, h.dim)
}

func (w *binWalk) mlp() {
	h := w.h
	w.matrices("mlp.gate_proj", h.hiddenDim, h.dim) // w1
	w.matrices("mlp.down_proj", h.dim, h.hiddenDim) // w2
	w.matrices("mlp.up_proj", h.hiddenDim, h.dim)   // w3
}

// norms hands out the norm weights [dim] of every layer.
func (w *binWalk) norms(name string) {
	for i := 0; i < w.h.layers && !w.done; i++ {
		w.emit(piece{layerName(i, name) + suffixWeight, F32, []int{w.h.dim}})
	}
}

// matrices hands out a matrix [rows, cols] of every layer.
func (w *binWalk) matrices(name string, rows, cols int) {
	for i := 0; i < w.h.layers && !w.done; i++ {
		w.matrix(layerName(i, name), rows, cols)
	}
}

// matrix hands out a matrix: F32 values, or (version 2) I8 values and F32 scales.
func (w *binWalk) matrix(name string, rows, cols int) {
	if w.h.group == 0 {
		w.emit(piece{name + suffixWeight, F32, []int{rows, cols}})
		return
	}
	w.emit(piece{name + suffixWeight, I8, []int{rows, cols}})
	w.emit(piece{name + suffixScale, F32, []int{rows, cols / w.h.group}})
}

func (w *binWalk) emit(p piece) { w.done = w.done || !w.yield(p) }

func layerName(i int, name string) string { return fmt.Sprintf("model.layers.%d.%s", i, name) }
