package convert

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/nlpodyssey/safetensors"

	"octet/loader"
)

const (
	configFile    = "config.json"
	weightsFile   = "model.safetensors"
	indexFile     = "model.safetensors.index.json"
	tokenizerFile = "tokenizer.bin" // of llama2.c
)

// planDirectory plans a pack-quantized Hugging Face directory.
func (p *plan) planDirectory(ck *loader.Checkpoint, f family) (err error) {
	if p.matrices, err = f.linears(ck); err != nil {
		return err
	}
	if err := f.checkTensors(ck, p.matrices); err != nil {
		return err
	}
	if p.group, err = chooseGroup(p.matrices, p.options.GroupSize); err != nil {
		return err
	}
	units, err := p.units(ck)
	if err != nil {
		return err
	}
	if err := p.layOut(units); err != nil {
		return err
	}
	return p.planFiles(ck)
}

// units makes a unit of every tensor of the source, in natural order.
func (p *plan) units(ck *loader.Checkpoint) ([]*unit, error) {
	quantized := make(map[string]linear, len(p.matrices))
	for _, l := range p.matrices {
		quantized[l.weight.Name] = l
	}
	var units []*unit
	for _, name := range naturalOrder(ck.Names()) {
		u, err := p.unit(ck, name, quantized)
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

// unit makes the unit of one tensor.
func (p *plan) unit(ck *loader.Checkpoint, name string, quantized map[string]linear) (*unit, error) {
	if l, ok := quantized[name]; ok {
		return p.packed(l, &ck.Config)
	}
	return kept(ck, name)
}

// kept is a tensor that stays as it is.
func kept(ck *loader.Checkpoint, name string) (*unit, error) {
	t, err := ck.Tensor(name)
	if err != nil {
		return nil, err
	}
	dtype, err := safetensors.ParseDType(t.DType.String())
	if err != nil {
		return nil, unsupported(t.File, "tensor %s: %v", quote(name), err)
	}
	j := &job{source: t, sourceBytes: int64(len(t.Data)), action: keep}
	return &unit{[]*job{j}, []*tensor{{name, dtype, t.Shape, func(at place) { j.values = at }}}}, nil
}

// packed is a linear layer as weight_packed, weight_scale and weight_shape.
func (p *plan) packed(l linear, c *loader.Config) (*unit, error) {
	t := l.weight
	scale, err := safetensors.ParseDType(t.DType.String())
	if err != nil {
		return nil, unsupported(t.File, "tensor %s: %v", quote(t.Name), err)
	}
	j := &job{source: t, sourceBytes: int64(len(t.Data)), rows: l.rows, cols: l.cols, action: quantize}
	if c.RoPE.Interleaved && l.heads > 0 {
		j.order = toHalves(c.HeadDim)
	}
	shape := binary.LittleEndian.AppendUint64(nil, uint64(l.rows))
	shape = binary.LittleEndian.AppendUint64(shape, uint64(l.cols))
	s := &job{source: loader.Tensor{DType: loader.I64, Shape: []int{2}, Data: shape}, action: keep}
	return &unit{[]*job{j, s}, []*tensor{
		{l.name + ".weight_packed", safetensors.I32, []int{l.rows, l.cols / 4}, func(at place) { j.values = at }},
		{l.name + ".weight_scale", scale, []int{l.rows, l.cols / p.group}, func(at place) { j.scales = at }},
		{l.name + ".weight_shape", safetensors.I64, []int{2}, func(at place) { s.values = at }},
	}}, nil
}

// layOut divides the units into files.
func (p *plan) layOut(units []*unit) error {
	shards := splitShards(units, p.options.MaxShardBytes)
	for i, s := range shards {
		t, err := newTarget(shardName(i, len(shards)), s)
		if err != nil {
			return err
		}
		p.targets = append(p.targets, t)
	}
	for _, u := range units {
		p.jobs = append(p.jobs, u.jobs...)
	}
	if len(shards) < 2 {
		return nil
	}
	index, err := indexJSON(p.targets, shards)
	p.files = append(p.files, file{name: indexFile, data: index})
	return err
}

// naturalOrder sorts names with layer 2 before layer 10.
func naturalOrder(names []string) []string {
	slices.SortFunc(names, compareNatural)
	return names
}

// compareNatural compares two names part by part, numbers as numbers.
func compareNatural(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		if isNumber(x) && isNumber(y) && len(x) != len(y) {
			return cmp.Compare(len(x), len(y))
		}
		return cmp.Compare(x, y)
	})
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
