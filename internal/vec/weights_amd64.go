//go:build amd64 && !purego

package vec

import (
	"math/bits"

	"octet/internal/cpu"
)

// Kernels of weights, n whole blocks.

//go:noescape
func largestAVX2(x *float32, n int) float32

//go:noescape
func weightsAVX2(lane *[Lanes]float64, dst, x *float32, n int, largest float32, factor float64)

//go:noescape
func weightsAVX512(lane *[Lanes]float64, dst, x *float32, n int, largest float32, factor float64)

//go:noescape
func sumFromAVX2(lane *[Lanes]float64, x *float32, n int, least float32)

//go:noescape
func sumFromAVX512(lane *[Lanes]float64, x *float32, n int, least float32)

// The stores of these two are whole registers: they need room for n values in dst.

//go:noescape
func betweenAVX2(dst, x *float32, n int, low, high float32) int

//go:noescape
func betweenAVX512(dst, x *float32, n int, low, high float32) int

// packTable holds for each set of 8 elements the order that brings its own to the front.
//
//lint:ignore U1000 the assembly reads it
var packTable = packOrders()

//lint:ignore U1000 packTable needs it
func packOrders() (table [256][8]uint8) {
	for set := range table {
		for i, left := 0, uint(set); left != 0; i, left = i+1, left&(left-1) {
			table[set][i] = uint8(bits.TrailingZeros(left))
		}
	}
	return table
}

func largestBlocks(x *float32, n int) float32 { return largestAVX2(x, n) }

func weightsBlocks(lane *[Lanes]float64, dst, x *float32, n int, largest float32, factor float64) {
	if level == cpu.AVX2 {
		weightsAVX2(lane, dst, x, n, largest, factor)
	} else {
		weightsAVX512(lane, dst, x, n, largest, factor)
	}
}

func sumFromBlocks(lane *[Lanes]float64, x *float32, n int, least float32) {
	if level == cpu.AVX2 {
		sumFromAVX2(lane, x, n, least)
	} else {
		sumFromAVX512(lane, x, n, least)
	}
}

func betweenBlocks(dst, x *float32, n int, low, high float32) int {
	if level == cpu.AVX2 {
		return betweenAVX2(dst, x, n, low, high)
	}
	return betweenAVX512(dst, x, n, low, high)
}
