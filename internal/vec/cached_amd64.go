//go:build amd64 && !purego

package vec

import (
	"unsafe"

	"octet/internal/cpu"
)

// Tiles of keys with 4 or 3 queries, or with one. What lies ahead bytes behind the keys is
// prefetched.

//go:noescape
func dotTiles4F32AVX512(dst *float32, stride int, keys, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTiles4F16AVX512(dst *float32, stride int, keys *uint16, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTiles4I8AVX512(dst *float32, stride int, keys *int8, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTiles3F32AVX512(dst *float32, stride int, keys, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTiles3F16AVX512(dst *float32, stride int, keys *uint16, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTiles3I8AVX512(dst *float32, stride int, keys *int8, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTiles1F32AVX512(dst, keys, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTiles1F16AVX512(dst *float32, keys *uint16, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTiles1I8AVX512(dst *float32, keys *int8, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTilesF32AVX2(dst, keys, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTilesF16AVX2(dst *float32, keys *uint16, q *float32, cols, tiles, ahead int)

//go:noescape
func dotTilesI8AVX2(dst *float32, keys *int8, q *float32, cols, tiles, ahead int)

// Sums of n rows for 1, 3 or 4 rows of dst, 16 or 64 of their values.

//go:noescape
func weigh1x16F16AVX2(dst, w *float32, v *uint16, cols, n int)

//go:noescape
func weigh1x16I8AVX2(dst, w *float32, v *int8, cols, n int)

//go:noescape
func weigh4x16F16AVX2(dst, w *float32, stride int, v *uint16, cols, n int)

//go:noescape
func weigh4x16I8AVX2(dst, w *float32, stride int, v *int8, cols, n int)

//go:noescape
func weigh1x64F16AVX512(dst, w *float32, v *uint16, cols, n int)

//go:noescape
func weigh1x64I8AVX512(dst, w *float32, v *int8, cols, n int)

//go:noescape
func weigh4x64F16AVX512(dst, w *float32, stride int, v *uint16, cols, n int)

//go:noescape
func weigh4x64I8AVX512(dst, w *float32, stride int, v *int8, cols, n int)

//go:noescape
func weigh3x64F32AVX512(dst, w *float32, stride int, v *float32, cols, n int)

//go:noescape
func weigh3x64F16AVX512(dst, w *float32, stride int, v *uint16, cols, n int)

//go:noescape
func weigh3x64I8AVX512(dst, w *float32, stride int, v *int8, cols, n int)

// To narrower types and back, n whole blocks.

//go:noescape
func largestBitsAVX2(x *float32, n int) uint32

//go:noescape
func narrowF16AVX2(dst *uint16, x *float32, n int)

//go:noescape
func narrowI8AVX2(dst *int8, x *float32, n int, scale float32)

//go:noescape
func widenI8AVX2(dst *float32, x *int8, n int)

func largestBitsBlocks(x *float32, n int) uint32 { return largestBitsAVX2(x, n) }

func narrowF16Blocks(dst *uint16, x *float32, n int) { narrowF16AVX2(dst, x, n) }

func narrowI8Blocks(dst *int8, x *float32, n int, scale float32) { narrowI8AVX2(dst, x, n, scale) }

func widenI8Blocks(dst *float32, x *int8, n int) { widenI8AVX2(dst, x, n) }

// dotTilesPart is DotTiles of a few tiles.
func dotTilesPart[T Cached](dst []float32, stride int, keys []T, q []float32, cols, ahead int) {
	tiles := len(keys) / (cols * KeyTile)
	for ; level == cpu.AVX512 && len(q) >= 4*cols; q = q[4*cols:] {
		dotTilesFour(first(dst), stride, first(keys), first(q), cols, tiles, ahead)
		dst, ahead = dst[min(4*stride, len(dst)):], 0
	}
	if level == cpu.AVX512 && len(q) == 3*cols {
		dotTilesThree(first(dst), stride, first(keys), first(q), cols, tiles, ahead)
		return
	}
	for ; len(q) > 0; q = q[cols:] {
		dotTilesOne(first(dst), first(keys), first(q), cols, tiles, ahead)
		dst, ahead = dst[min(stride, len(dst)):], 0
	}
}

func dotTilesFour[T Cached](dst *float32, stride int, keys *T, q *float32, cols, tiles, ahead int) {
	p := unsafe.Pointer(keys)
	switch unsafe.Sizeof(*keys) {
	case 4:
		dotTiles4F32AVX512(dst, stride, (*float32)(p), q, cols, tiles, ahead)
	case 2:
		dotTiles4F16AVX512(dst, stride, (*uint16)(p), q, cols, tiles, ahead)
	case 1:
		dotTiles4I8AVX512(dst, stride, (*int8)(p), q, cols, tiles, ahead)
	}
}

func dotTilesThree[T Cached](dst *float32, stride int, keys *T, q *float32, cols, tiles, ahead int) {
	p := unsafe.Pointer(keys)
	switch unsafe.Sizeof(*keys) {
	case 4:
		dotTiles3F32AVX512(dst, stride, (*float32)(p), q, cols, tiles, ahead)
	case 2:
		dotTiles3F16AVX512(dst, stride, (*uint16)(p), q, cols, tiles, ahead)
	case 1:
		dotTiles3I8AVX512(dst, stride, (*int8)(p), q, cols, tiles, ahead)
	}
}

func dotTilesOne[T Cached](dst *float32, keys *T, q *float32, cols, tiles, ahead int) {
	p := unsafe.Pointer(keys)
	switch size := unsafe.Sizeof(*keys); {
	case size == 4 && level == cpu.AVX2:
		dotTilesF32AVX2(dst, (*float32)(p), q, cols, tiles, ahead)
	case size == 2 && level == cpu.AVX2:
		dotTilesF16AVX2(dst, (*uint16)(p), q, cols, tiles, ahead)
	case size == 1 && level == cpu.AVX2:
		dotTilesI8AVX2(dst, (*int8)(p), q, cols, tiles, ahead)
	case size == 4:
		dotTiles1F32AVX512(dst, (*float32)(p), q, cols, tiles, ahead)
	case size == 2:
		dotTiles1F16AVX512(dst, (*uint16)(p), q, cols, tiles, ahead)
	case size == 1:
		dotTiles1I8AVX512(dst, (*int8)(p), q, cols, tiles, ahead)
	}
}

func weighCached[T Cached](dst, w []float32, stride int, v []T, cols, lo, hi int) {
	plain := level == cpu.Generic || !blocks(hi-lo)
	switch {
	case level == cpu.AVX512 && len(dst) == 3*cols && (hi-lo)%64 == 0:
		weighThree(dst, w, stride, v, cols, lo, hi)
	case unsafe.Sizeof(v[0]) == 4:
		weigh(dst, w, stride, unsafe.Slice((*float32)(unsafe.Pointer(first(v))), len(v)), cols, lo, hi)
	case plain || len(dst) >= wideRows*cols:
		weighWidened(dst, w, stride, v, cols, lo, hi)
	default:
		weighNarrow(dst, w, stride, v, cols, lo, hi)
	}
}

// weighThree is WeighCached for three sums.
func weighThree[T Cached](dst, w []float32, stride int, v []T, cols, lo, hi int) {
	n := len(v) / cols
	for ; lo < hi; lo += 64 {
		p := unsafe.Pointer(&v[lo])
		switch unsafe.Sizeof(v[0]) {
		case 4:
			weigh3x64F32AVX512(&dst[lo], first(w), stride, (*float32)(p), cols, n)
		case 2:
			weigh3x64F16AVX512(&dst[lo], first(w), stride, (*uint16)(p), cols, n)
		case 1:
			weigh3x64I8AVX512(&dst[lo], first(w), stride, (*int8)(p), cols, n)
		}
	}
}

// weighNarrow is WeighCached with halves or bytes as they lie.
func weighNarrow[T Cached](dst, w []float32, stride int, v []T, cols, lo, hi int) {
	n := len(v) / cols
	for ; len(dst) >= 4*cols; dst = dst[4*cols:] {
		weighNarrowFour(dst, w, stride, v, cols, lo, hi, n)
		w = w[min(4*stride, len(w)):]
	}
	for ; len(dst) > 0; dst = dst[cols:] {
		weighNarrowOne(dst, w, v, cols, lo, hi, n)
		w = w[min(stride, len(w)):]
	}
}

func weighNarrowFour[T Cached](dst, w []float32, stride int, v []T, cols, lo, hi, n int) {
	half := unsafe.Sizeof(v[0]) == 2
	for ; level == cpu.AVX512 && lo+64 <= hi; lo += 64 {
		if p := unsafe.Pointer(&v[lo]); half {
			weigh4x64F16AVX512(&dst[lo], first(w), stride, (*uint16)(p), cols, n)
		} else {
			weigh4x64I8AVX512(&dst[lo], first(w), stride, (*int8)(p), cols, n)
		}
	}
	for ; lo < hi; lo += 16 {
		if p := unsafe.Pointer(&v[lo]); half {
			weigh4x16F16AVX2(&dst[lo], first(w), stride, (*uint16)(p), cols, n)
		} else {
			weigh4x16I8AVX2(&dst[lo], first(w), stride, (*int8)(p), cols, n)
		}
	}
}

func weighNarrowOne[T Cached](dst, w []float32, v []T, cols, lo, hi, n int) {
	half := unsafe.Sizeof(v[0]) == 2
	for ; level == cpu.AVX512 && lo+64 <= hi; lo += 64 {
		if p := unsafe.Pointer(&v[lo]); half {
			weigh1x64F16AVX512(&dst[lo], first(w), (*uint16)(p), cols, n)
		} else {
			weigh1x64I8AVX512(&dst[lo], first(w), (*int8)(p), cols, n)
		}
	}
	for ; lo < hi; lo += 16 {
		if p := unsafe.Pointer(&v[lo]); half {
			weigh1x16F16AVX2(&dst[lo], first(w), (*uint16)(p), cols, n)
		} else {
			weigh1x16I8AVX2(&dst[lo], first(w), (*int8)(p), cols, n)
		}
	}
}
