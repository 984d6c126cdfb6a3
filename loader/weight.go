package loader

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Weight is a matrix as a checkpoint stores it.
type Weight struct {
	Name       string
	Rows, Cols int
	// Group is the number of consecutive inputs that share a scale; Cols for one scale
	// a row (strategy channel); 0 for a float weight.
	Group int
	// Values holds F32, BF16 or F16 [Rows, Cols] for a float weight, otherwise one byte
	// a value: I8 (q), or I32 [Rows, Cols/4] whose bytes are q+128 in column order.
	Values Tensor
	Scales Tensor // F32, BF16 or F16 [Rows, Cols/Group]; zero for a float weight
}

// Suffixes of the tensors that belong to a layer.
const (
	suffixWeight = ".weight"
	suffixPacked = ".weight_packed"
	suffixScale  = ".weight_scale"
	suffixShape  = ".weight_shape"
)

// suffixesRefused are tensors that change what the others mean.
var suffixesRefused = []string{".weight_zero_point", ".weight_g_idx", ".qweight", ".weight_scale_inv"}

// Weight returns the weight [rows, cols] of the linear layer or embedding called name
// (without ".weight"), float or int8 as it is stored. It checks dtype and shape of each
// tensor that belongs to it. The values are in order: nothing is permuted.
//
// Which tensors a layer has decides whether it is quantized; that the config says so
// too is checked. The errors wrap ErrMissingTensor where the layer is not there,
// ErrFormat where its tensors are not as expected, or ErrUnsupported.
func (c *Checkpoint) Weight(name string, rows, cols int) (Weight, error) {
	for _, suffix := range suffixesRefused {
		if t, ok := c.tensors[name+suffix]; ok {
			return Weight{}, unsupported(t.File, "tensor %s: only symmetric int8 weights in their own order are read", quote(t.Name))
		}
	}
	w := Weight{Name: name, Rows: rows, Cols: cols}
	var err error
	if packed, ok := c.tensors[name+suffixPacked]; ok {
		err = c.packedWeight(&w, packed)
	} else if t, ok := c.tensors[name+suffixWeight]; ok && t.DType == I8 {
		err = c.int8Weight(&w, t)
	} else {
		err = c.floatWeight(&w)
	}
	if err != nil {
		return Weight{}, err
	}
	return w, nil
}

// floatWeight fills w from X.weight.
func (c *Checkpoint) floatWeight(w *Weight) (err error) {
	if t, ok := c.tensors[w.Name+suffixScale]; ok {
		return damaged(t.File, "tensor %s: it scales no %s of type I8 and no %s",
			quote(t.Name), w.Name+suffixWeight, w.Name+suffixPacked)
	}
	w.Values, err = c.shaped(w.Name+suffixWeight, []int{w.Rows, w.Cols}, F32, BF16, F16)
	return err
}

// packedWeight fills w from X.weight_packed, X.weight_scale and X.weight_shape.
func (c *Checkpoint) packedWeight(w *Weight, packed Tensor) (err error) {
	if err = c.checkQuantized(w.Name, packed, packQuantized); err != nil {
		return err
	}
	if other, ok := c.tensors[w.Name+suffixWeight]; ok {
		return damaged(other.File, "tensor %s: unexpected beside %s", quote(other.Name), quote(packed.Name))
	}
	if w.Cols%4 != 0 {
		return unsupported(packed.File, "tensor %s: a number of columns that 4 divides expected, found %d", quote(packed.Name), w.Cols)
	}
	if w.Values, err = c.shaped(packed.Name, []int{w.Rows, w.Cols / 4}, I32); err != nil {
		return err
	}
	if err = c.checkShapeTensor(w); err != nil {
		return err
	}
	return c.scales(w)
}

// int8Weight fills w from X.weight and X.weight_scale.
func (c *Checkpoint) int8Weight(w *Weight, t Tensor) (err error) {
	if err = c.checkQuantized(w.Name, t, intQuantized); err != nil {
		return err
	}
	if w.Values, err = c.shaped(t.Name, []int{w.Rows, w.Cols}, I8); err != nil {
		return err
	}
	return c.scales(w)
}

// checkQuantized checks that the config says what the tensors show.
func (c *Checkpoint) checkQuantized(name string, t Tensor, format string) error {
	q := c.Config.Quantization
	switch {
	case q == nil:
		return damaged(t.File, "tensor %s: a float weight expected, as %s has no quantization_config, found %s",
			quote(t.Name), configFile, t.describe())
	case q.Format != "" && q.Format != format:
		return damaged(t.File, "tensor %s: a weight in format %s expected from %s, found %s",
			quote(t.Name), q.Format, configFile, format)
	case c.ignored.has(name):
		return damaged(t.File, "tensor %s: a float weight expected, as quantization_config.ignore has it, found %s",
			quote(t.Name), t.describe())
	}
	return nil
}

// scales fills w.Group and w.Scales.
func (c *Checkpoint) scales(w *Weight) (err error) {
	w.Group = c.Config.Quantization.Group
	if w.Group == 0 {
		w.Group = w.Cols
	}
	if w.Cols%w.Group != 0 {
		return unsupported(w.Values.File, "tensor %s: a number of columns that the group size %d divides expected, found %d",
			quote(w.Values.Name), w.Group, w.Cols)
	}
	w.Scales, err = c.shaped(w.Name+suffixScale, []int{w.Rows, w.Cols / w.Group}, F32, BF16, F16)
	return err
}

// checkShapeTensor checks that X.weight_shape holds [rows, cols].
func (c *Checkpoint) checkShapeTensor(w *Weight) error {
	t, err := c.shaped(w.Name+suffixShape, []int{2}, I64, I32)
	if err != nil {
		return err
	}
	var got [2]int64
	for i := range got {
		if t.DType == I64 {
			got[i] = int64(binary.LittleEndian.Uint64(t.Data[8*i:]))
		} else {
			got[i] = int64(int32(binary.LittleEndian.Uint32(t.Data[4*i:])))
		}
	}
	if got != [2]int64{int64(w.Rows), int64(w.Cols)} {
		return damaged(t.File, "tensor %s: [%d, %d] expected, found [%d, %d]", quote(t.Name), w.Rows, w.Cols, got[0], got[1])
	}
	return nil
}

// shaped returns the tensor called name, which must have that shape and one of the
// types.
func (c *Checkpoint) shaped(name string, shape []int, types ...DType) (Tensor, error) {
	t, err := c.Tensor(name)
	if err != nil {
		return Tensor{}, err
	}
	if !slices.Equal(t.Shape, shape) {
		return Tensor{}, damaged(t.File, "tensor %s: shape %s expected, found %s",
			quote(name), shapeString(shape), shapeString(t.Shape))
	}
	if !slices.Contains(types, t.DType) {
		return Tensor{}, unsupported(t.File, "tensor %s: %s expected, found %s", quote(name), typeList(types), t.DType)
	}
	return t, nil
}

// typeList writes the types as "F32, BF16 or F16".
func typeList(types []DType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// settle completes the config from the tensors.
func (c *Checkpoint) settle() error {
	c.settleDType()
	q := c.Config.Quantization
	if q == nil {
		return nil
	}
	var err error
	if c.ignored, err = newIgnoreList(q.Ignore); err != nil {
		return err
	}
	if q.Format == "" {
		q.Format = c.formatOfTensors()
	}
	if q.Format == "" {
		return damaged(configFile, "quantization_config: quantized weights expected, found none")
	}
	return nil
}

// formatOfTensors is the compressed-tensors format that the names of the tensors show.
func (c *Checkpoint) formatOfTensors() string {
	for _, name := range c.names {
		if strings.HasSuffix(name, suffixPacked) {
			return packQuantized
		}
	}
	for _, name := range c.names {
		if strings.HasSuffix(name, suffixWeight) && c.tensors[name].DType == I8 {
			return intQuantized
		}
	}
	return ""
}
