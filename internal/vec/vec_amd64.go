//go:build amd64 && !purego

package vec

import (
	"unsafe"

	"octet/internal/cpu"
)

// level is the instruction set in use. Only tests change it.
var level = cpu.Chosen()

// The kernels take whole blocks of Lanes values and know no lengths but those given; the
// functions below hand them what fits and leave the rest to plain Go.

//go:noescape
func dotAVX2(a, b *float32, cols int) float32

//go:noescape
func dotAVX512(a, b *float32, cols int) float32

// Tiles of 4 rows of a (2 in dots2x2AVX2) with one row or as many rows of b.

//go:noescape
func dotsF32AVX2(dst, a, x *float32, cols, tiles int)

//go:noescape
func dotsF32AVX512(dst, a, x *float32, cols, tiles int)

//go:noescape
func dots2x2AVX2(dst *float32, stride int, a, b *float32, cols, n, tiles int, sums *float32, last bool)

//go:noescape
func dots4x4AVX512(dst *float32, stride int, a, b *float32, cols, n, tiles int, sums *float32, last, stream bool)

//go:noescape
func dotsBF16AVX2(dst *float32, a *byte, x *float32, cols, tiles int)

//go:noescape
func dotsBF16AVX512(dst *float32, a *byte, x *float32, cols, tiles int)

//go:noescape
func dotsF16AVX2(dst *float32, a *byte, x *float32, cols, tiles int)

//go:noescape
func dotsF16AVX512(dst *float32, a *byte, x *float32, cols, tiles int)

//go:noescape
func widenBF16AVX2(dst *float32, data *byte, n int)

//go:noescape
func widenF16AVX2(dst *float32, data *byte, n int)

// Sums of n rows for 1 or 4 rows of dst, 16 or 64 of their values.

//go:noescape
func weigh1x16AVX2(dst, w, v *float32, cols, n int)

//go:noescape
func weigh1x64AVX2(dst, w, v *float32, cols, n int)

//go:noescape
func weigh1x64AVX512(dst, w, v *float32, cols, n int)

//go:noescape
func weigh4x16AVX2(dst, w *float32, stride int, v *float32, cols, n int)

//go:noescape
func weigh4x64AVX512(dst, w *float32, stride int, v *float32, cols, n int)

// first is the address of a slice's first value.
func first[T any](x []T) *T { return unsafe.SliceData(x) }

// blocks tells whether n values are whole blocks, at least one.
func blocks(n int) bool { return n > 0 && n%Lanes == 0 }

func dot(a, b []float32) float32 {
	switch {
	case level == cpu.Generic || !blocks(len(a)):
		return dotGeneric(a, b)
	case level == cpu.AVX2:
		return dotAVX2(first(a), first(b), len(a))
	}
	return dotAVX512(first(a), first(b), len(a))
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
	height := 4 // rows of a and of b in a tile
	if level == cpu.AVX2 {
		height = 2
	}
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

// dotsPiece hands n columns to the kernel of tiles.
func dotsPiece(dst *float32, stride int, a, b *float32, cols, n, tiles int, sums *float32, last, once bool) {
	if level == cpu.AVX2 {
		dots2x2AVX2(dst, stride, a, b, cols, n, tiles, sums, last)
	} else {
		dots4x4AVX512(dst, stride, a, b, cols, n, tiles, sums, last, once)
	}
}

// dotsRow is dots of one row x.
func dotsRow(dst, a, x []float32) {
	cols := len(x)
	rows := len(a) / cols
	done := rows &^ 3
	switch {
	case done == 0:
	case level == cpu.AVX2:
		dotsF32AVX2(first(dst), first(a), first(x), cols, done/4)
	default:
		dotsF32AVX512(first(dst), first(a), first(x), cols, done/4)
	}
	for i := done; i < rows; i++ {
		dst[i] = dot(a[i*cols:][:cols], x)
	}
}

func dotsBF16(dst []float32, a []byte, x []float32) {
	done := halfRows(len(dst), len(x))
	switch {
	case done == 0:
	case level == cpu.AVX2:
		dotsBF16AVX2(first(dst), first(a), first(x), len(x), done/4)
	default:
		dotsBF16AVX512(first(dst), first(a), first(x), len(x), done/4)
	}
	dotsBF16Generic(dst[done:], a[2*done*len(x):], x)
}

func dotsF16(dst []float32, a []byte, x []float32) {
	done := halfRows(len(dst), len(x))
	switch {
	case done == 0:
	case level == cpu.AVX2:
		dotsF16AVX2(first(dst), first(a), first(x), len(x), done/4)
	default:
		dotsF16AVX512(first(dst), first(a), first(x), len(x), done/4)
	}
	dotsF16Generic(dst[done:], a[2*done*len(x):], x)
}

// halfRows is how many of a number of rows kernels take.
func halfRows(rows, cols int) int {
	if level == cpu.Generic || !blocks(cols) {
		return 0
	}
	return rows &^ 3
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

// weighFour is weigh for four sums.
func weighFour(dst, w []float32, stride int, v []float32, cols, lo, hi int) {
	n := len(v) / cols
	for ; level == cpu.AVX512 && lo+64 <= hi; lo += 64 {
		weigh4x64AVX512(&dst[lo], first(w), stride, &v[lo], cols, n)
	}
	for ; lo < hi; lo += 16 {
		weigh4x16AVX2(&dst[lo], first(w), stride, &v[lo], cols, n)
	}
}

// weighOne is weigh for one sum.
func weighOne(dst, w, v []float32, lo, hi int) {
	cols := len(dst)
	n := len(v) / cols
	for ; lo+64 <= hi; lo += 64 {
		if level == cpu.AVX512 {
			weigh1x64AVX512(&dst[lo], first(w), &v[lo], cols, n)
		} else {
			weigh1x64AVX2(&dst[lo], first(w), &v[lo], cols, n)
		}
	}
	for ; lo < hi; lo += 16 {
		weigh1x16AVX2(&dst[lo], first(w), &v[lo], cols, n)
	}
}

func widenBF16(dst []float32, data []byte) {
	done := wholeBlocks(len(dst))
	if done > 0 {
		widenBF16AVX2(first(dst), first(data), done)
	}
	widenBF16Generic(dst[done:], data[2*done:])
}

func widenF16(dst []float32, data []byte) {
	done := wholeBlocks(len(dst))
	if done > 0 {
		widenF16AVX2(first(dst), first(data), done)
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
