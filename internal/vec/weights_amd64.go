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

func largestOf(x []float32) float32 {
	done, largest := wholeBlocks(len(x)), -inf
	if done > 0 {
		largest = largestAVX2(first(x), done)
	}
	return largestGeneric(x[done:], largest)
}

func weights(lane *[Lanes]float64, dst, x []float32, largest float32, factor float64) {
	done := wholeBlocks(len(x))
	switch {
	case done == 0:
	case level == cpu.AVX2:
		weightsAVX2(lane, first(dst), first(x), done, largest, factor)
	default:
		weightsAVX512(lane, first(dst), first(x), done, largest, factor)
	}
	weightsGeneric(lane, dst[done:], x[done:], largest, factor)
}

func sumFrom(lane *[Lanes]float64, x []float32, least float32) {
	done := wholeBlocks(len(x))
	switch {
	case done == 0:
	case level == cpu.AVX2:
		sumFromAVX2(lane, first(x), done, least)
	default:
		sumFromAVX512(lane, first(x), done, least)
	}
	sumFromGeneric(lane, x[done:], least)
}

func between(dst, x []float32, low, high float32) int {
	done, n := wholeBlocks(len(x)), 0
	switch {
	case done == 0:
	case level == cpu.AVX2:
		n = betweenAVX2(first(dst), first(x), done, low, high)
	default:
		n = betweenAVX512(first(dst), first(x), done, low, high)
	}
	return n + betweenGeneric(dst[n:], x[done:], low, high)
}
