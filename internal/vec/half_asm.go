//go:build (amd64 || arm64) && !purego

package vec

import "octet/internal/cpu"

func dotsBF16(dst []float32, a []byte, x []float32) {
	done := kernelRows(len(dst), len(x))
	if done > 0 {
		dotsBF16Tiles(first(dst), first(a), first(x), len(x), done/4)
	}
	dotsBF16Generic(dst[done:], a[2*done*len(x):], x)
}

func dotsF16(dst []float32, a []byte, x []float32) {
	done := kernelRows(len(dst), len(x))
	if done > 0 {
		dotsF16Tiles(first(dst), first(a), first(x), len(x), done/4)
	}
	dotsF16Generic(dst[done:], a[2*done*len(x):], x)
}

// kernelRows is how many of a number of rows kernels take.
func kernelRows(rows, cols int) int {
	if level == cpu.Generic || !blocks(cols) {
		return 0
	}
	return rows &^ 3
}

func widenBF16(dst []float32, data []byte) {
	done := wholeBlocks(len(dst))
	if done > 0 {
		widenBF16Blocks(first(dst), first(data), done)
	}
	widenBF16Generic(dst[done:], data[2*done:])
}

func widenF16(dst []float32, data []byte) {
	done := wholeBlocks(len(dst))
	if done > 0 {
		widenF16Blocks(first(dst), first(data), done)
	}
	widenF16Generic(dst[done:], data[2*done:])
}

// wholeBlocks is how many of n values kernels take.
func wholeBlocks(n int) int {
	if level == cpu.Generic {
		return 0
	}
	return n &^ (Lanes - 1)
}
