package runtime

import (
	"fmt"

	"octet/loader"
	"octet/quant"
)

// linear is y = W·x + bias.
type linear struct {
	weight quant.Linear
	bias   []float32 // [rows]; nil without
}

// weights takes tensors out of a checkpoint and remembers which.
type weights struct {
	ck       *loader.Checkpoint
	pool     *quant.Pool
	quantize int // group size for float linear layers; 0 leaves them float
	used     map[string]bool
}

// vector returns the float tensor name, widened, after checking its shape [n].
func (w *weights) vector(name string, n int) ([]float32, error) {
	t, err := w.ck.Tensor(name)
	if err != nil {
		return nil, err
	}
	if len(t.Shape) != 1 || t.Shape[0] != n {
		return nil, fmt.Errorf("%w: %s: tensor %q: shape [%d] expected, found %v", loader.ErrFormat, t.File, name, n, t.Shape)
	}
	f, err := floats(t)
	if err != nil {
		return nil, err
	}
	w.used[name] = true
	out := make([]float32, n)
	f.Widen(out, 0)
	return out, nil
}

// linear returns the layer name with weight [rows, cols], quantized if that was asked for.
func (w *weights) linear(name string, rows, cols int, bias bool) (linear, error) {
	m, err := w.matrix(name, rows, cols)
	if err != nil {
		return linear{}, err
	}
	if d, ok := m.(*quant.Dense); ok && w.quantize > 0 {
		if m, err = quant.Quantize(w.pool, d, w.quantize); err != nil {
			return linear{}, fmt.Errorf("tensor %q: %w", name+".weight", err)
		}
	}
	l := linear{weight: m}
	if bias {
		l.bias, err = w.vector(name+".bias", rows)
	}
	return l, err
}

// matrix returns the weight [rows, cols] of layer name as it is stored.
func (w *weights) matrix(name string, rows, cols int) (quant.Linear, error) {
	m, err := w.ck.Weight(name, rows, cols)
	if err != nil {
		return nil, err
	}
	for _, part := range []string{".weight", ".weight_packed", ".weight_scale", ".weight_shape"} {
		w.used[name+part] = true
	}
	if m.Group == 0 {
		f, err := floats(m.Values)
		if err != nil {
			return nil, err
		}
		return quant.NewDense(rows, cols, f)
	}
	return newMatrix(m)
}

// newMatrix is the int8 matrix over a stored weight: packed bytes are taken as they lie,
// plain int8 ones are copied with the offset of 128.
func newMatrix(m loader.Weight) (quant.Linear, error) {
	scales, err := floats(m.Scales)
	if err != nil {
		return nil, err
	}
	data := m.Values.Data
	if m.Values.DType == loader.I8 {
		data = make([]byte, len(m.Values.Data))
		for i, b := range m.Values.Data {
			data[i] = b ^ 0x80
		}
	}
	group := m.Group
	if group > quant.MaxGroup {
		if group, err = splitGroup(m); err != nil {
			return nil, err
		}
		scales = repeat(scales, m.Group/group)
	}
	return quant.NewMatrix(m.Rows, m.Cols, group, data, scales)
}

// splitGroup returns the largest divisor of a group wider than the kernels take.
func splitGroup(m loader.Weight) (int, error) {
	for g := quant.MaxGroup; g >= 16; g-- {
		if m.Group%g == 0 {
			return g, nil
		}
	}
	return 0, fmt.Errorf("%w: tensor %q: group of %d inputs has no divisor from 16 to %d", ErrUnsupported, m.Values.Name, m.Group, quant.MaxGroup)
}

// repeat returns f with each value n times in a row.
func repeat(f quant.Floats, n int) quant.Floats {
	size := len(f.Data) / f.Len()
	out := make([]byte, 0, len(f.Data)*n)
	for i := 0; i < len(f.Data); i += size {
		for range n {
			out = append(out, f.Data[i:i+size]...)
		}
	}
	return quant.Floats{Element: f.Element, Data: out}
}

func floats(t loader.Tensor) (quant.Floats, error) {
	switch t.DType {
	case loader.F32:
		return quant.Floats{Element: quant.F32, Data: t.Data}, nil
	case loader.BF16:
		return quant.Floats{Element: quant.BF16, Data: t.Data}, nil
	case loader.F16:
		return quant.Floats{Element: quant.F16, Data: t.Data}, nil
	}
	return quant.Floats{}, fmt.Errorf("%w: %s: tensor %q: dtype %v (F32, BF16 and F16 are supported)", ErrUnsupported, t.File, t.Name, t.DType)
}
