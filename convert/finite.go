package convert

import (
	"encoding/binary"
	"fmt"

	"octet/loader"
	"octet/quant"
)

// checkFinite refuses NaN and infinities among the elements of t from first on, whose
// bytes are data. Types that are no weights pass.
func checkFinite(t loader.Tensor, data []byte, first int) error {
	i := -1
	switch t.DType {
	case loader.BF16:
		i = indexOfAll16(data, 0x7f80)
	case loader.F16:
		i = indexOfAll16(data, 0x7c00)
	case loader.F32:
		i = indexOfAll32(data, 0x7f800000)
	}
	if i < 0 {
		return nil
	}
	var v [1]float32
	quant.Floats{Element: elements[t.DType], Data: data}.Widen(v[:], i)
	return notFinite(t, first+i, v[0])
}

// ones has a 1 in each of its 16-bit lanes.
const ones = 0x0001_0001_0001_0001

// indexOfAll16 returns the index of the first 16-bit element that has all bits of
// exponent, as NaN and the infinities do, or -1. Of four elements at a time: only where the
// exponent is full does its lowest bit, added, carry into the sign's place.
func indexOfAll16(data []byte, exponent uint16) int {
	mask, low := uint64(exponent)*ones, uint64(exponent&-exponent)*ones
	whole := len(data) &^ 31
	for i := 0; i < whole; i += 32 {
		b := (*[32]byte)(data[i:])
		v0, v1 := binary.LittleEndian.Uint64(b[:])&mask, binary.LittleEndian.Uint64(b[8:])&mask
		v2, v3 := binary.LittleEndian.Uint64(b[16:])&mask, binary.LittleEndian.Uint64(b[24:])&mask
		if ((v0+low)|(v1+low)|(v2+low)|(v3+low))&(0x8000*ones) != 0 {
			whole = i
		}
	}
	for i := whole / 2; i < len(data)/2; i++ {
		if binary.LittleEndian.Uint16(data[2*i:])&exponent == exponent {
			return i
		}
	}
	return -1
}

// indexOfAll32 is indexOfAll16 for elements of 32 bits.
func indexOfAll32(data []byte, exponent uint32) int {
	for i := range len(data) / 4 {
		if binary.LittleEndian.Uint32(data[4*i:])&exponent == exponent {
			return i
		}
	}
	return -1
}

// notFinite returns an ErrWeight about element i of t, counted row-major, which is v.
func notFinite(t loader.Tensor, i int, v float32) error {
	index := make([]int, len(t.Shape))
	for d := len(index) - 1; d >= 0; d-- {
		index[d] = i % t.Shape[d]
		i /= t.Shape[d]
	}
	at := ""
	for d, n := range index {
		if d > 0 {
			at += ", "
		}
		at += fmt.Sprint(n)
	}
	return &fault{ErrWeight, fmt.Sprintf("convert: %s: tensor %s: a number expected at [%s], found %v",
		t.File, quote(t.Name), at, v)}
}
