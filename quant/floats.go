package quant

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"octet/internal/vec"
)

// Element is the type of a stored float.
type Element uint8

// The stored float types.
const (
	F32 Element = iota
	BF16
	F16
)

// Size returns the bytes of one value.
func (e Element) Size() int {
	if e == F32 {
		return 4
	}
	return 2
}

// String returns the type's name as safetensors spells it.
func (e Element) String() string {
	switch e {
	case F32:
		return "F32"
	case BF16:
		return "BF16"
	case F16:
		return "F16"
	}
	return fmt.Sprintf("Element(%d)", uint8(e))
}

// Floats is a read-only run of floats in their stored type, little-endian. Data may lie at
// any address.
type Floats struct {
	Element Element
	Data    []byte
}

// Len is the number of values.
func (f Floats) Len() int { return len(f.Data) / f.Element.Size() }

// Widen sets dst[i] to value from+i, exactly. (A signaling NaN of an F16 becomes quiet.)
func (f Floats) Widen(dst []float32, from int) {
	size := f.Element.Size()
	data := f.Data[from*size : (from+len(dst))*size]
	switch f.Element {
	case F32:
		widenF32(dst, data)
	case BF16:
		vec.WidenBF16(dst, data)
	default:
		vec.WidenF16(dst, data)
	}
}

// float32s returns values from … from+n-1 without a copy where they are stored as this
// machine's float32, else nil.
func (f Floats) float32s(from, n int) []float32 {
	if f.Element != F32 || !littleEndian || n == 0 {
		return nil
	}
	data := f.Data[from*4 : (from+n)*4]
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%4 != 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(data))), n)
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func widenF32(dst []float32, data []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
}

// slice returns values lo … hi-1.
func (f Floats) slice(lo, hi int) Floats {
	size := f.Element.Size()
	return Floats{f.Element, f.Data[lo*size : hi*size]}
}
