//go:build amd64 && !purego

package vec

import "octet/internal/cpu"

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
	expMin, expMax, inf, negZero)

//lint:ignore U1000 expTable needs it
func repeatEach(constants ...float32) (table [15][8]float32) {
	for i, c := range constants {
		for j := range table[i] {
			table[i][j] = c
		}
	}
	return table
}

func add(dst, x []float32) {
	done := wholeBlocks(len(dst))
	if done > 0 {
		addAVX2(first(dst), first(x), done)
	}
	addGeneric(dst[done:], x[done:])
}

func mulScale(dst, x, weight []float32, scale float32) {
	done := wholeBlocks(len(x))
	if done > 0 {
		mulScaleAVX2(first(dst), first(x), first(weight), done, scale)
	}
	mulScaleGeneric(dst[done:], x[done:], weight[done:], scale)
}

func rotate(a, b, cos, sin []float32) {
	done := wholeBlocks(len(a))
	if done > 0 {
		rotateAVX2(first(a), first(b), first(cos), first(sin), done)
	}
	rotateGeneric(a[done:], b[done:], cos[done:], sin[done:])
}

func scaleMax(x []float32, scale float32) float32 {
	done, largest := wholeBlocks(len(x)), -inf
	if done > 0 {
		largest = scaleMaxAVX2(first(x), done, scale)
	}
	return scaleMaxGeneric(x[done:], scale, largest)
}

func divide(x []float32, divisor float32) {
	done := wholeBlocks(len(x))
	if done > 0 {
		divideAVX2(first(x), done, divisor)
	}
	divideGeneric(x[done:], divisor)
}

func expSum(lane *[Lanes]float32, x []float32, largest float32) {
	if level == cpu.Generic {
		expSumGeneric(lane, x, largest)
		return
	}
	done := wholeBlocks(len(x))
	expSumBlocks(lane, x[:done], largest)
	if rest := x[done:]; len(rest) > 0 {
		// Exp(-Inf) is 0, which changes no lane.
		block := negInfs
		copy(block[:], rest)
		expSumBlocks(lane, block[:], largest)
		copy(rest, block[:])
	}
}

var negInfs = [Lanes]float32{-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf,
	-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf}

func expSumBlocks(lane *[Lanes]float32, x []float32, largest float32) {
	switch {
	case len(x) == 0:
	case level == cpu.AVX2:
		expSumAVX2(lane, first(x), len(x), largest)
	default:
		expSumAVX512(lane, first(x), len(x), largest)
	}
}

func siluMul(dst, gate, up []float32) {
	done := wholeBlocks(len(dst))
	switch {
	case done == 0:
	case level == cpu.AVX2:
		siluMulAVX2(first(dst), first(gate), first(up), done)
	default:
		siluMulAVX512(first(dst), first(gate), first(up), done)
	}
	siluMulGeneric(dst[done:], gate[done:], up[done:])
}
