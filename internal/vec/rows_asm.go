//go:build (amd64 || arm64) && !purego

package vec

import (
	"unsafe"

	"octet/internal/cpu"
)

// level is the instruction set in use. Only tests change it.
var level = cpu.Chosen()

// Kernels take whole blocks of Lanes values and know no lengths but those given; the
// functions here and in half_asm.go and ops_asm.go hand them what fits and leave the rest
// to plain Go. What they call and is not here each architecture has: dotBlocks and its like
// choose the kernel for the level.

// first is the address of a slice's first value.
func first[T any](x []T) *T { return unsafe.SliceData(x) }

// blocks tells whether n values are whole blocks, at least one.
func blocks(n int) bool { return n > 0 && n%Lanes == 0 }

func dot(a, b []float32) float32 {
	if level == cpu.Generic || !blocks(len(a)) {
		return dotGeneric(a, b)
	}
	return dotBlocks(first(a), first(b), len(a))
}

// rowsBytes is how much of a matrix meets all rows of the other before its next part: it
// stays in the first-level cache. Rows longer than deep values are taken in pieces for the
// same reason, deepRows of them at a time.
const (
	rowsBytes = 24 << 10
	deep      = 1024
	deepRows  = 32
)

func dots(dst []float32, stride int, a, b []float32, cols int) {
	if level == cpu.Generic || !blocks(cols) {
		dotsGeneric(dst, stride, a, b, cols)
		return
	}
	part := deepRows
	if cols <= deep {
		part = max(rowsBytes/4/cols&^3, 4)
	}
	once := len(b) < 8*cols // one tile reads a
	for len(a) > part*cols {
		dotsPart(dst, stride, a[:part*cols], b, cols, once)
		dst, a = dst[part:], a[part*cols:]
	}
	dotsPart(dst, stride, a, b, cols, once)
}

// dotsPart is dots of a few rows of a.
func dotsPart(dst []float32, stride int, a, b []float32, cols int, once bool) {
	height := tileRows()
	for ; len(b) >= height*cols; b = b[height*cols:] {
		dotsTiles(dst, stride, a, b[:height*cols], cols, height, once)
		dst = dst[min(height*stride, len(dst)):]
	}
	for ; len(b) > 0; b = b[cols:] {
		dotsRow(dst, a, b[:cols])
		dst = dst[min(stride, len(dst)):]
	}
}

// dotsTiles is dots of height rows of b.
func dotsTiles(dst []float32, stride int, a, b []float32, cols, height int, once bool) {
	rows := len(a) / cols
	tiles := rows / height
	switch {
	case tiles == 0:
	case cols <= deep:
		dotsPiece(first(dst), stride, first(a), first(b), cols, cols, tiles, nil, true, once)
	default:
		var sums [deepRows * 4 * Lanes]float32
		for from := 0; from < cols; from += deep {
			n := min(deep, cols-from)
			dotsPiece(first(dst), stride, &a[from], &b[from], cols, n, tiles, &sums[0], from+n == cols, false)
		}
	}
	for i := tiles * height; i < rows; i++ {
		for j := range height {
			dst[j*stride+i] = dot(a[i*cols:][:cols], b[j*cols:][:cols])
		}
	}
}

// dotsRow is dots of one row x.
func dotsRow(dst, a, x []float32) {
	cols := len(x)
	rows := len(a) / cols
	done := rows &^ 3
	if done > 0 {
		dotsF32Tiles(first(dst), first(a), first(x), cols, done/4)
	}
	for i := done; i < rows; i++ {
		dst[i] = dot(a[i*cols:][:cols], x)
	}
}

// dotsF32 is dotsRow of rows that come from memory.
func dotsF32(dst, a, x []float32) {
	cols := len(x)
	done := kernelRows(len(dst), cols)
	if done > 0 {
		streamF32Tiles(first(dst), first(a), first(x), cols, done/4)
	}
	for i := done; i < len(dst); i++ {
		dst[i] = dot(a[i*cols:][:cols], x)
	}
}

// sumBytes is how many rows of values meet all sums before the next rows.
const sumBytes = 16 << 10

func weigh(dst, w []float32, stride int, v []float32, cols, lo, hi int) {
	if level == cpu.Generic || !blocks(hi-lo) {
		weighGeneric(dst, w, stride, v, cols, lo, hi)
		return
	}
	part := max(sumBytes/4/cols, 1) * cols
	for len(v) > part {
		weighPart(dst, w, stride, v[:part], cols, lo, hi)
		w, v = w[part/cols:], v[part:]
	}
	weighPart(dst, w, stride, v, cols, lo, hi)
}

// weighPart is weigh of a few rows of v.
func weighPart(dst, w []float32, stride int, v []float32, cols, lo, hi int) {
	for ; len(dst) >= 4*cols; dst = dst[4*cols:] {
		weighFour(dst[:4*cols], w, stride, v, cols, lo, hi)
		w = w[min(4*stride, len(w)):]
	}
	for ; len(dst) > 0; dst = dst[cols:] {
		weighOne(dst[:cols], w, v, lo, hi)
		w = w[min(stride, len(w)):]
	}
}
