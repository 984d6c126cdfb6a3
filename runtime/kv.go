package runtime

import (
	"fmt"

	"octet/loader"
	"octet/quant"
)

// KV is the type in which sessions keep keys and values. They are rounded once, when they
// are stored, and widened to float32 exactly when they are read.
type KV uint8

// The types of keys and values.
const (
	// KVDefault is KVF16 for int8 models, KVF32 for float ones and with quant.Float
	// activations, which are the reference.
	KVDefault KV = iota
	// KVF32 keeps them as they are computed.
	KVF32
	// KVF16 keeps IEEE halves. A value that halves cannot hold (65520 or more in magnitude)
	// becomes NaN, and so do the logits: generation ends with ErrNotFinite.
	KVF16
	// KVInt8 keeps signed bytes with a float32 scale for each position and head, as
	// vec.Narrow defines them. A product of a query with a key's bytes is multiplied by the
	// key's scale, and a position's weight by the value's scale before the sum of values.
	KVInt8
)

// String returns the type's name as the command line spells it.
func (k KV) String() string {
	switch k {
	case KVDefault:
		return "default"
	case KVF32:
		return "f32"
	case KVF16:
		return "f16"
	case KVInt8:
		return "int8"
	}
	return fmt.Sprintf("KV(%d)", uint8(k))
}

// chooseKV is the type that the options ask for.
func chooseKV(c loader.Config, o Options) (KV, error) {
	switch k := o.KV; {
	case k > KVInt8:
		return 0, fmt.Errorf("%w: cache of type %v", ErrUnsupported, k)
	case k != KVDefault:
		return k, nil
	}
	if isInt8(c, o) && o.Activations != quant.Float {
		return KVF16, nil
	}
	return KVF32, nil
}

// KV is the type in which the model's sessions keep keys and values, never KVDefault.
func (m *Model) KV() KV { return m.kv }

// width is the bytes of a position's key or value in a head.
func (k KV) width(headDim int) int {
	switch k {
	case KVF16:
		return 2 * headDim
	case KVInt8:
		return headDim + 4
	}
	return 4 * headDim
}

// newCache returns an empty cache of a layer.
func (m *Model) newCache() cache {
	heads, headDim := m.config.NumKVHeads, m.config.HeadDim
	switch m.kv {
	case KVF16:
		return &kvCache[uint16]{heads: heads, headDim: headDim}
	case KVInt8:
		return &kvCache[int8]{heads: heads, headDim: headDim, scaled: true}
	}
	return &kvCache[float32]{heads: heads, headDim: headDim}
}
