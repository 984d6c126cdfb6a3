package convert

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"octet/loader"
)

// Of version 2 of the llama2.c format, as version2_export of its export.py writes it
// and read_checkpoint of runq.c reads it.
const (
	binMagic      = 0x616b3432 // "ak42"
	binVersion    = 2
	binHeaderSize = 256
	binTheta      = 10000 // runq.c computes with these and no others
	binEps        = 1e-5
)

// binMatrices are the matrices of a block, in the order of the file: of each all layers,
// then the next.
var binMatrices = []string{
	"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
	"mlp.gate_proj", "mlp.down_proj", "mlp.up_proj", // w1, w2, w3
}

// planBin plans a llama2.c file at path.
func (p *plan) planBin(ck *loader.Checkpoint, f family, path string) (err error) {
	if err := checkRunq(ck, f); err != nil {
		return err
	}
	layers, err := f.linears(ck)
	if err != nil {
		return err
	}
	if err := f.checkTensors(ck, layers); err != nil {
		return err
	}
	if p.matrices, err = binOrder(ck, layers); err != nil {
		return err
	}
	if p.group, err = chooseGroup(p.matrices, p.options.GroupSize); err != nil {
		return err
	}
	t := &target{name: filepath.Base(path), header: binHeader(&ck.Config, p.group), size: binHeaderSize}
	p.targets = []*target{t}
	if err := p.layOutNorms(ck, t); err != nil {
		return err
	}
	for _, l := range p.matrices {
		p.layOutMatrix(t, &ck.Config, l)
	}
	p.files, err = p.binTokenizer(ck)
	return err
}

// binOrder adds embeddings and classifier to the layers and brings all into the order
// of the file.
func binOrder(ck *loader.Checkpoint, layers []linear) ([]linear, error) {
	var all []linear
	for _, l := range ends(&ck.Config) {
		if err := l.find(ck); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	var blocks []linear
	for _, name := range binMatrices {
		for _, l := range layers {
			if strings.HasSuffix(l.name, name) {
				blocks = append(blocks, l)
			}
		}
	}
	return slices.Insert(all, 1, blocks...), nil
}

// layOutNorms places the norms' weights, as F32 in front of all else.
func (p *plan) layOutNorms(ck *loader.Checkpoint, t *target) error {
	var names []string
	for _, norm := range []string{"input_layernorm", "post_attention_layernorm"} {
		for i := range ck.Config.NumLayers {
			names = append(names, layerName(i, norm))
		}
	}
	dim := ck.Config.HiddenSize
	for _, name := range append(names, "model.norm") {
		w, err := vector{name + ".weight", dim}.find(ck)
		if err != nil {
			return err
		}
		p.jobs = append(p.jobs, &job{
			source: w, sourceBytes: int64(len(w.Data)), rows: 1, cols: dim,
			action: widen, values: place{t, t.size},
		})
		t.size += 4 * int64(dim)
	}
	return nil
}

// layOutMatrix places a matrix: int8 values, then F32 scales.
func (p *plan) layOutMatrix(t *target, c *loader.Config, l linear) {
	j := &job{
		source: l.weight, sourceBytes: int64(len(l.weight.Data)), rows: l.rows, cols: l.cols,
		action: quantize, signed: true, wideScales: true,
	}
	if !c.RoPE.Interleaved && l.heads > 0 {
		j.order = toPairs(c.HeadDim)
	}
	n := int64(l.rows) * int64(l.cols)
	j.values = place{t, t.size}
	j.scales = place{t, t.size + n}
	t.size += n + n/int64(p.group)*4
	p.jobs = append(p.jobs, j)
}

// binHeader is the header of the file.
func binHeader(c *loader.Config, group int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, binMagic)
	for _, n := range []int{
		binVersion, c.HiddenSize, c.IntermediateSize, c.NumLayers, c.NumHeads, c.NumKVHeads, c.VocabSize, c.MaxPositions,
	} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	shared := byte(0)
	if c.TieWordEmbeddings {
		shared = 1
	}
	b = append(b, shared)
	b = binary.LittleEndian.AppendUint32(b, uint32(group))
	return append(b, make([]byte, binHeaderSize-len(b))...)
}

// checkRunq refuses what a llama2.c file cannot say: runq.c has the block of Llama with
// fixed constants, and would compute something else without a word.
func checkRunq(ck *loader.Checkpoint, f family) error {
	c := &ck.Config
	switch {
	case !f.llama2c:
		return refuseField("architectures", "LlamaForCausalLM", c.Architecture)
	case c.RoPE.Type != "default":
		return refuseField("rope_scaling", "none", c.RoPE.Type)
	case c.RoPE.Theta != binTheta:
		return refuseField("rope_theta", binTheta, c.RoPE.Theta)
	case float32(c.NormEps) != binEps:
		return refuseField("rms_norm_eps", binEps, c.NormEps)
	case c.HiddenAct != "silu":
		return refuseField("hidden_act", "silu", c.HiddenAct)
	case c.NumHeads*c.HeadDim != c.HiddenSize:
		return refuseField("head_dim", float64(c.HiddenSize)/float64(c.NumHeads), c.HeadDim)
	case c.AttentionBias || hasBias(ck, "self_attn."):
		return refuseField("attention_bias", false, true)
	case c.MLPBias || hasBias(ck, "mlp."):
		return refuseField("mlp_bias", false, true)
	}
	return checkInts(c)
}

func refuseField(name string, expected, found any) error {
	return unsupported(configFile, "%s: a llama2.c file needs %v, found %v", name, expected, found)
}

// checkInts refuses sizes that runq.c counts in an int.
func checkInts(c *loader.Config) error {
	rows := max(c.VocabSize, c.IntermediateSize, c.HiddenSize)
	if int64(rows)*int64(c.HiddenSize) > math.MaxInt32 {
		return unsupported(configFile, "a llama2.c file holds matrices of up to %d values, found %d x %d",
			math.MaxInt32, rows, c.HiddenSize)
	}
	return nil
}

// hasBias reports whether a block has a tensor part….bias.
func hasBias(ck *loader.Checkpoint, part string) bool {
	return slices.ContainsFunc(ck.Names(), func(name string) bool {
		return strings.Contains(name, part) && strings.HasSuffix(name, ".bias")
	})
}
