//go:build !purego

package vec

import "unsafe"

// Tiles of keys with a query. 64 multiply-adds take 52 instructions with float32, 68 with
// halves, 92 with bytes.

//go:noescape
func dotTilesF32(dst, keys, q *float32, cols, tiles int)

//go:noescape
func dotTilesF16(dst *float32, keys *uint16, q *float32, cols, tiles int)

//go:noescape
func dotTilesI8(dst *float32, keys *int8, q *float32, cols, tiles int)

// To narrower types and back, n whole blocks.

//go:noescape
func largestBitsBlocks(x *float32, n int) uint32

//go:noescape
func narrowF16Blocks(dst *uint16, x *float32, n int)

//go:noescape
func narrowI8Blocks(dst *int8, x *float32, n int, scale float32)

//go:noescape
func widenI8Blocks(dst *float32, x *int8, n int)

// dotTilesPart is DotTiles of a few tiles.
func dotTilesPart[T Cached](dst []float32, stride int, keys []T, q []float32, cols, _ int) {
	tiles := len(keys) / (cols * KeyTile)
	for ; len(q) > 0; q = q[cols:] {
		dotTilesOne(first(dst), first(keys), first(q), cols, tiles)
		dst = dst[min(stride, len(dst)):]
	}
}

func dotTilesOne[T Cached](dst *float32, keys *T, q *float32, cols, tiles int) {
	p := unsafe.Pointer(keys)
	switch unsafe.Sizeof(*keys) {
	case 4:
		dotTilesF32(dst, (*float32)(p), q, cols, tiles)
	case 2:
		dotTilesF16(dst, (*uint16)(p), q, cols, tiles)
	case 1:
		dotTilesI8(dst, (*int8)(p), q, cols, tiles)
	}
}
