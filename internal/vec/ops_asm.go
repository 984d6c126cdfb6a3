//go:build (amd64 || arm64) && !purego

package vec

import "octet/internal/cpu"

func add(dst, x []float32) {
	done := wholeBlocks(len(dst))
	if done > 0 {
		addBlocks(first(dst), first(x), done)
	}
	addGeneric(dst[done:], x[done:])
}

func mulScale(dst, x, weight []float32, scale float32) {
	done := wholeBlocks(len(x))
	if done > 0 {
		mulScaleBlocks(first(dst), first(x), first(weight), done, scale)
	}
	mulScaleGeneric(dst[done:], x[done:], weight[done:], scale)
}

func rotate(a, b, cos, sin []float32) {
	done := wholeBlocks(len(a))
	if done > 0 {
		rotateBlocks(first(a), first(b), first(cos), first(sin), done)
	}
	rotateGeneric(a[done:], b[done:], cos[done:], sin[done:])
}

func scaleMax(x []float32, scale float32) float32 {
	done, largest := wholeBlocks(len(x)), -inf
	if done > 0 {
		largest = scaleMaxBlocks(first(x), done, scale)
	}
	return scaleMaxGeneric(x[done:], scale, largest)
}

func divide(x []float32, divisor float32) {
	done := wholeBlocks(len(x))
	if done > 0 {
		divideBlocks(first(x), done, divisor)
	}
	divideGeneric(x[done:], divisor)
}

func expSum(lane *[Lanes]float32, x []float32, largest float32) {
	if level == cpu.Generic {
		expSumGeneric(lane, x, largest)
		return
	}
	done := wholeBlocks(len(x))
	if done > 0 {
		expSumBlocks(lane, first(x), done, largest)
	}
	if rest := x[done:]; len(rest) > 0 {
		// Exp(-Inf) is 0, which changes no lane.
		block := negInfs
		copy(block[:], rest)
		expSumBlocks(lane, &block[0], Lanes, largest)
		copy(rest, block[:])
	}
}

var negInfs = [Lanes]float32{-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf,
	-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf}

func siluMul(dst, gate, up []float32) {
	done := wholeBlocks(len(dst))
	if done > 0 {
		siluMulBlocks(first(dst), first(gate), first(up), done)
	}
	siluMulGeneric(dst[done:], gate[done:], up[done:])
}
