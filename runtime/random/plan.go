package random

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"octet/loader"
	"octet/runtime"
)

// ErrOptions is wrapped where Options do not fit the model.
var ErrOptions = errors.New("random: options")

// Options say how the weights are stored.
type Options struct {
	Int8      bool         // linear layers and the head are int8; what is float is of the config's type
	Group     int          // of Int8: inputs that share a scale at most: 32, 64 or 128
	FloatHead bool         // of Int8: the head is float
	Type      loader.DType // where not Int8: F32, BF16 or F16, of all weights
}

// Plan is a model that can be made.
type Plan struct {
	config loader.Config
	float  loader.DType // type of what is not int8
	blocks []block
	bytes  int64
}

// block is a tensor that is to be made.
type block struct {
	tensor loader.Tensor // Data is nil until it is made, or for small ones there
	bytes  int64
	fill   filling
}

// NewPlan lists the tensors of a model. An error wraps runtime.ErrUnsupported where the
// config is of no model that can be run, or ErrOptions.
func NewPlan(c loader.Config, o Options) (*Plan, error) {
	parts, err := runtime.Parts(c)
	if err != nil {
		return nil, err
	}
	p := &Plan{config: c, float: floatType(c, o)}
	p.config.DType, p.config.Quantization = p.float, nil
	group := 0
	if o.Int8 {
		if group, err = groupFor(parts, o.Group); err != nil {
			return nil, err
		}
		p.config.Quantization = &loader.Quantization{
			Method: "compressed-tensors", Format: "pack-quantized", Strategy: "group", Group: group,
		}
	}
	for _, part := range parts {
		p.add(part, group, o.FloatHead)
	}
	return p, nil
}

// Config is the configuration of the model, with its quantization.
func (p *Plan) Config() loader.Config { return p.config }

// Bytes is what all tensors take.
func (p *Plan) Bytes() int64 { return p.bytes }

// floatType is the type of the weights that are not int8.
func floatType(c loader.Config, o Options) loader.DType {
	switch {
	case !o.Int8:
		return o.Type
	case c.DType == loader.F32 || c.DType == loader.F16:
		return c.DType
	}
	return loader.BF16
}

// groupFor is the largest group size up to most that divides the inputs of all matrices.
func groupFor(parts []runtime.Part, most int) (int, error) {
	for g := 128; g >= 32; g /= 2 {
		if g <= most && divides(g, parts) {
			return g, nil
		}
	}
	return 0, fmt.Errorf("%w: group size %d: no size from 32 to that divides the inputs of all matrices", ErrOptions, most)
}

func divides(group int, parts []runtime.Part) bool {
	for _, p := range parts {
		if p.Cols%group != 0 && (p.Kind == runtime.LinearPart || p.Kind == runtime.HeadPart) {
			return false
		}
	}
	return true
}

// add adds the tensors of a part; group is 0 where weights are float.
func (p *Plan) add(part runtime.Part, group int, floatHead bool) {
	switch part.Kind {
	case runtime.NormPart:
		p.put(part.Name, p.float, filling{exponent: -1}, part.Rows)
	case runtime.BiasPart:
		p.put(part.Name, p.float, filling{exponent: -6, signed: true}, part.Rows)
	case runtime.LinearPart, runtime.HeadPart:
		if group > 0 && (part.Kind == runtime.LinearPart || !floatHead) {
			p.addInt8(part, group)
			return
		}
		fallthrough
	default:
		p.put(part.Name+".weight", p.float, filling{exponent: exponent(part.Cols, 1), signed: true}, part.Rows, part.Cols)
	}
}

// addInt8 adds a matrix in the form of compressed-tensors, four weights in an I32.
func (p *Plan) addInt8(part runtime.Part, group int) {
	p.put(part.Name+".weight_packed", loader.I32, filling{bytes: true}, part.Rows, part.Cols/4)
	p.put(part.Name+".weight_scale", p.float, filling{exponent: exponent(part.Cols, rmsInt8)}, part.Rows, part.Cols/group)
	shape := binary.LittleEndian.AppendUint64(nil, uint64(part.Rows))
	p.put(part.Name+".weight_shape", loader.I64, filling{}, 2)
	p.blocks[len(p.blocks)-1].tensor.Data = binary.LittleEndian.AppendUint64(shape, uint64(part.Cols))
}

// put adds a tensor. Sizes are bounded by the loader, so that those of one tensor cannot
// overflow; their sum stops at the largest number.
func (p *Plan) put(name string, t loader.DType, f filling, shape ...int) {
	b := block{tensor: loader.Tensor{Name: name, DType: t, Shape: shape, File: "random"}, fill: f}
	b.bytes = int64(t.Size())
	for _, d := range shape {
		if b.bytes > math.MaxInt64/int64(d) {
			b.bytes = math.MaxInt64
			break
		}
		b.bytes *= int64(d)
	}
	p.bytes += min(b.bytes, math.MaxInt64-p.bytes)
	p.blocks = append(p.blocks, b)
}
