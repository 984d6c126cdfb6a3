//go:build amd64 && !purego

package vec

import "octet/internal/cpu"

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

// Tiles of 4 rows of a, which come from memory, with one row.

//go:noescape
func streamF32AVX2(dst, a, x *float32, cols, tiles int)

//go:noescape
func streamF32AVX512(dst, a, x *float32, cols, tiles int)

//go:noescape
func streamBF16AVX2(dst *float32, a *byte, x *float32, cols, tiles int)

//go:noescape
func streamBF16AVX512(dst *float32, a *byte, x *float32, cols, tiles int)

//go:noescape
func streamF16AVX2(dst *float32, a *byte, x *float32, cols, tiles int)

//go:noescape
func streamF16AVX512(dst *float32, a *byte, x *float32, cols, tiles int)

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

func dotBlocks(a, b *float32, n int) float32 {
	if level == cpu.AVX2 {
		return dotAVX2(a, b, n)
	}
	return dotAVX512(a, b, n)
}

// tileRows is how many rows of a and of b meet in a tile.
func tileRows() int {
	if level == cpu.AVX2 {
		return 2
	}
	return 4
}

// dotsPiece hands n columns to the kernel of tiles.
func dotsPiece(dst *float32, stride int, a, b *float32, cols, n, tiles int, sums *float32, last, once bool) {
	if level == cpu.AVX2 {
		dots2x2AVX2(dst, stride, a, b, cols, n, tiles, sums, last)
	} else {
		dots4x4AVX512(dst, stride, a, b, cols, n, tiles, sums, last, once)
	}
}

func dotsF32Tiles(dst, a, x *float32, cols, tiles int) {
	if level == cpu.AVX2 {
		dotsF32AVX2(dst, a, x, cols, tiles)
	} else {
		dotsF32AVX512(dst, a, x, cols, tiles)
	}
}

func streamF32Tiles(dst, a, x *float32, cols, tiles int) {
	if level == cpu.AVX2 {
		streamF32AVX2(dst, a, x, cols, tiles)
	} else {
		streamF32AVX512(dst, a, x, cols, tiles)
	}
}

func dotsBF16Tiles(dst *float32, a *byte, x *float32, cols, tiles int) {
	if level == cpu.AVX2 {
		streamBF16AVX2(dst, a, x, cols, tiles)
	} else {
		streamBF16AVX512(dst, a, x, cols, tiles)
	}
}

func dotsF16Tiles(dst *float32, a *byte, x *float32, cols, tiles int) {
	if level == cpu.AVX2 {
		streamF16AVX2(dst, a, x, cols, tiles)
	} else {
		streamF16AVX512(dst, a, x, cols, tiles)
	}
}

func widenBF16Blocks(dst *float32, data *byte, n int) { widenBF16AVX2(dst, data, n) }

func widenF16Blocks(dst *float32, data *byte, n int) { widenF16AVX2(dst, data, n) }

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
