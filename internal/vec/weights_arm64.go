//go:build !purego

package vec

import "math/bits"

// Kernels of weights, n whole blocks.

//go:noescape
func largestBlocks(x *float32, n int) float32

//go:noescape
func weightsBlocks(lane *[Lanes]float64, dst, x *float32, n int, largest float32, factor float64)

//go:noescape
func sumFromBlocks(lane *[Lanes]float64, x *float32, n int, least float32)

// The stores of betweenBlocks are whole registers: it needs room for n values in dst.
//
//go:noescape
func betweenBlocks(dst, x *float32, n int, low, high float32) int

// packTable holds for each set of 4 elements the order of bytes that brings its own to the
// front.
//
//lint:ignore U1000 the assembly reads it
var packTable = packOrders()

//lint:ignore U1000 packTable needs it
func packOrders() (table [16][16]uint8) {
	for set := range table {
		for i, left := 0, uint(set); left != 0; i, left = i+4, left&(left-1) {
			for b := range 4 {
				table[set][i+b] = uint8(4*bits.TrailingZeros(left) + b)
			}
		}
	}
	return table
}
