//go:build (amd64 || arm64) && !purego

package quant

// vectors tells whether n values are whole vectors for maxBits32 and its like.
func vectors(n int) bool { return n%32 == 0 && n > 0 }

// maxBitsVector is maxBits.
func maxBitsVector(x []float32) uint32 {
	if !vectors(len(x)) {
		return maxBits(x)
	}
	return maxBits32(&x[0], len(x))
}

// quantizeVector is quantizeGroup.
func quantizeVector(xq []int16, x []float32, limit float32) (scale float32, sum int32) {
	if !vectors(len(xq)) {
		return quantizeGroup(xq, x, limit)
	}
	x = x[:len(xq)]
	scale, ok := groupScale(maxBits32(&x[0], len(x)), limit)
	if !ok {
		clear(xq)
		return scale, 0
	}
	return scale, round32(&xq[0], &x[0], len(x), scale)
}

// roundWeightsVector is roundWeights.
func roundWeightsVector(q []byte, values []float32, scale float32) (lost lostInGroup) {
	if !vectors(len(values)) {
		return roundWeights(q, values, scale)
	}
	q = q[:len(values)]
	lost.squares, lost.squaredError, lost.largest = roundWeights32(&q[0], &values[0], len(values), scale)
	return lost
}

// maxBits32 is maxBits of n values, a multiple of 32.
//
//go:noescape
func maxBits32(x *float32, n int) uint32

// round32 is roundGroup of n values, a multiple of 32.
//
//go:noescape
func round32(xq *int16, x *float32, n int, scale float32) int32

// roundWeights32 is roundWeights of n values, a multiple of 32.
//
//go:noescape
func roundWeights32(q *byte, values *float32, n int, scale float32) (squares, squaredError, largest float64)
