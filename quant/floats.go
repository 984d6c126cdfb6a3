package quant

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/x448/float16"
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
		widenBF16(dst, data)
	default:
		widenF16(dst, data)
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

func widenBF16(dst []float32, data []byte) {
	for len(dst) >= 4 && len(data) >= 8 {
		v := binary.LittleEndian.Uint64(data)
		d := (*[4]float32)(dst)
		d[0] = math.Float32frombits(uint32(v) << 16)
		d[1] = math.Float32frombits(uint32(v) & 0xffff0000)
		d[2] = math.Float32frombits(uint32(v>>32) << 16)
		d[3] = math.Float32frombits(uint32(v>>32) & 0xffff0000)
		dst, data = dst[4:], data[8:]
	}
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(data[2*i:])) << 16)
	}
}

func widenF16(dst []float32, data []byte) {
	for len(dst) >= 4 && len(data) >= 8 {
		d, v := (*[4]float32)(dst), binary.LittleEndian.Uint64(data)
		if allNormal(v) {
			d[0] = normalHalf(uint32(v))
			d[1] = normalHalf(uint32(v >> 16))
			d[2] = normalHalf(uint32(v >> 32))
			d[3] = normalHalf(uint32(v >> 48))
		} else {
			for i := range d {
				d[i] = float16.Float16(v >> (16 * i)).Float32()
			}
		}
		dst, data = dst[4:], data[8:]
	}
	for i := range dst {
		dst[i] = float16.Float16(binary.LittleEndian.Uint16(data[2*i:])).Float32()
	}
}

// allNormal tells whether four halves are normal numbers: adding 31 steps to an exponent
// of 5 bits carries unless it is 0, adding 1 carries only if it is 31.
func allNormal(v uint64) bool {
	const ones = 0x0001_0001_0001_0001
	exponents := v & (0x7c00 * ones)
	return (exponents+0x7c00*ones)&^(exponents+0x0400*ones)&(0x8000*ones) == 0x8000*ones
}

// normalHalf widens the half in the low 16 bits of h, a normal number: its exponent and
// fraction move to their places in a float32, and the exponent's bias grows by 112.
func normalHalf(h uint32) float32 {
	return math.Float32frombits((h&0x8000)<<16 | ((h&0x7fff)<<13 + 112<<23))
}

// slice returns values lo … hi-1.
func (f Floats) slice(lo, hi int) Floats {
	size := f.Element.Size()
	return Floats{f.Element, f.Data[lo*size : hi*size]}
}
