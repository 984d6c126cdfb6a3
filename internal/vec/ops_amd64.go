//go:build amd64 && !purego

package vec

import (
	"math"

	"octet/internal/cpu"
)

// Kernels of element by element work, n whole blocks.

//go:noescape
func addAVX2(dst, x *float32, n int)

//go:noescape
func mulScaleAVX2(dst, x, weight *float32, n int, scale float32)

//go:noescape
func rotateAVX2(a, b, cos, sin *float32, n int)

//go:noescape
func scaleMaxAVX2(x *float32, n int, scale float32) float32

//go:noescape
func divideAVX2(x *float32, n int, divisor float32)

//go:noescape
func expSumAVX2(lane *[Lanes]float32, x *float32, n int, largest float32)

//go:noescape
func expSumAVX512(lane *[Lanes]float32, x *float32, n int, largest float32)

//go:noescape
func siluMulAVX2(dst, gate, up *float32, n int)

//go:noescape
func siluMulAVX512(dst, gate, up *float32, n int)

// expTable holds the constants of Exp in the order of its use, then its bounds, infinity
// and the sign: each as often as a YMM register has room for.
//
//lint:ignore U1000 the assembly reads it
var expTable = repeatEach(log2e, roundMagic, ln2Hi, ln2Lo, exp5, exp4, exp3, exp2, exp1, exp0, 1,
	expMin, expMax, inf, float32(math.Copysign(0, -1)))

//lint:ignore U1000 expTable needs it
func repeatEach(constants ...float32) (table [15][8]float32) {
	for i, c := range constants {
		for j := range table[i] {
			table[i][j] = c
		}
	}
	return table
}

func addBlocks(dst, x *float32, n int) { addAVX2(dst, x, n) }

func mulScaleBlocks(dst, x, weight *float32, n int, scale float32) {
	mulScaleAVX2(dst, x, weight, n, scale)
}

func rotateBlocks(a, b, cos, sin *float32, n int) { rotateAVX2(a, b, cos, sin, n) }

func scaleMaxBlocks(x *float32, n int, scale float32) float32 { return scaleMaxAVX2(x, n, scale) }

func divideBlocks(x *float32, n int, divisor float32) { divideAVX2(x, n, divisor) }

func expSumBlocks(lane *[Lanes]float32, x *float32, n int, largest float32) {
	if level == cpu.AVX2 {
		expSumAVX2(lane, x, n, largest)
	} else {
		expSumAVX512(lane, x, n, largest)
	}
}

func siluMulBlocks(dst, gate, up *float32, n int) {
	if level == cpu.AVX2 {
		siluMulAVX2(dst, gate, up, n)
	} else {
		siluMulAVX512(dst, gate, up, n)
	}
}
