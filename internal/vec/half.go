package vec

import (
	"encoding/binary"
	"fmt"
	"math"

	"octet/internal/cpu"

	"github.com/x448/float16"
)

// WidenBF16 sets dst to the bfloat16 numbers in data, little-endian, exactly.
func WidenBF16(dst []float32, data []byte) { widenBF16(dst, data[:2*len(dst)]) }

// WidenF16 sets dst to the IEEE half-precision numbers in data, little-endian, exactly. (A
// signaling NaN becomes quiet.)
func WidenF16(dst []float32, data []byte) { widenF16(dst, data[:2*len(dst)]) }

// DotsBF16 sets dst[r] to Dot of x and row r of a [len(dst), len(x)], bfloat16 numbers.
func DotsBF16(dst []float32, a []byte, x []float32) {
	checkHalf(dst, a, x)
	dotsBF16(dst, a, x)
}

// DotsF16 sets dst[r] to Dot of x and row r of a [len(dst), len(x)], IEEE half-precision
// numbers.
func DotsF16(dst []float32, a []byte, x []float32) {
	checkHalf(dst, a, x)
	dotsF16(dst, a, x)
}

func checkHalf(dst []float32, a []byte, x []float32) {
	if len(a) != 2*len(dst)*len(x) {
		panic(fmt.Sprintf("vec: product of %d bytes with %d values into %d", len(a), len(x), len(dst)))
	}
}

// dotsBF16Generic is DotsBF16 in plain Go.
func dotsBF16Generic(dst []float32, a []byte, x []float32) {
	for r := range dst {
		var lane [Lanes]float32
		row := a[2*r*len(x):][:2*len(x)]
		for i, v := range x {
			lane[i%Lanes] += float32(v * bf16(row[2*i:]))
		}
		dst[r] = fold(&lane)
	}
}

// dotsF16Generic is DotsF16 in plain Go.
func dotsF16Generic(dst []float32, a []byte, x []float32) {
	for r := range dst {
		var lane [Lanes]float32
		row := a[2*r*len(x):][:2*len(x)]
		for i, v := range x {
			lane[i%Lanes] += float32(v * f16(row[2*i:]))
		}
		dst[r] = fold(&lane)
	}
}

func bf16(data []byte) float32 {
	return math.Float32frombits(uint32(binary.LittleEndian.Uint16(data)) << 16)
}

func f16(data []byte) float32 { return float16.Float16(binary.LittleEndian.Uint16(data)).Float32() }

// Vectorized tells whether DotsF32, DotsBF16 and DotsF16 run in vector code: else it is faster to
// widen a row first.
func Vectorized() bool { return level > cpu.Generic }

// widenBF16Generic is WidenBF16 in plain Go.
func widenBF16Generic(dst []float32, data []byte) {
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
		dst[i] = bf16(data[2*i:])
	}
}

// widenF16Generic is WidenF16 in plain Go.
func widenF16Generic(dst []float32, data []byte) {
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
		dst[i] = f16(data[2*i:])
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
