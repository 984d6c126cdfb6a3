//go:build !(amd64 || arm64) || purego

package vec

import "octet/internal/cpu"

// level is the instruction set in use.
const level = cpu.Generic

func dot(a, b []float32) float32 { return dotGeneric(a, b) }

func dots(dst []float32, stride int, a, b []float32, cols int) {
	dotsGeneric(dst, stride, a, b, cols)
}

func dotsBF16(dst []float32, a []byte, x []float32) { dotsBF16Generic(dst, a, x) }

func dotsF16(dst []float32, a []byte, x []float32) { dotsF16Generic(dst, a, x) }

func dotsF32(dst, a, x []float32) { dotsGeneric(dst, len(dst), a, x, len(x)) }

func weigh(dst, w []float32, stride int, v []float32, cols, lo, hi int) {
	weighGeneric(dst, w, stride, v, cols, lo, hi)
}

func widenBF16(dst []float32, data []byte) { widenBF16Generic(dst, data) }

func widenF16(dst []float32, data []byte) { widenF16Generic(dst, data) }

func add(dst, x []float32) { addGeneric(dst, x) }

func mulScale(dst, x, weight []float32, scale float32) { mulScaleGeneric(dst, x, weight, scale) }

func rotate(a, b, cos, sin []float32) { rotateGeneric(a, b, cos, sin) }

func scaleMax(x []float32, scale float32) float32 { return scaleMaxGeneric(x, scale, -inf) }

func expSum(lane *[Lanes]float32, x []float32, largest float32) { expSumGeneric(lane, x, largest) }

func divide(x []float32, divisor float32) { divideGeneric(x, divisor) }

func siluMul(dst, gate, up []float32) { siluMulGeneric(dst, gate, up) }
