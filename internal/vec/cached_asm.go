//go:build (amd64 || arm64) && !purego

package vec

import (
	"unsafe"

	"octet/internal/cpu"
)

func largestBits(x []float32) uint32 {
	done, largest := wholeBlocks(len(x)), uint32(0)
	if done > 0 {
		largest = largestBitsBlocks(first(x), done)
	}
	return max(largest, largestBitsGeneric(x[done:]))
}

func narrowF16(dst []uint16, x []float32) {
	done := wholeBlocks(len(x))
	if done > 0 && largestBits(x[:done]) >= maxHalf {
		done = 0
	}
	if done > 0 {
		narrowF16Blocks(first(dst), first(x), done)
	}
	narrowF16Generic(dst[done:], x[done:])
}

func roundI8(dst []int8, x []float32, scale float32) {
	done := wholeBlocks(len(x))
	if done > 0 {
		narrowI8Blocks(first(dst), first(x), done, scale)
	}
	roundI8Generic(dst[done:], x[done:], scale)
}

func widen[T Cached](dst []float32, x []T) {
	done := wholeBlocks(len(dst))
	if done > 0 {
		p := unsafe.Pointer(first(x))
		switch unsafe.Sizeof(x[0]) {
		case 4:
			copy(dst[:done], unsafe.Slice((*float32)(p), done))
		case 2:
			widenF16Blocks(first(dst), (*byte)(p), done)
		case 1:
			widenI8Blocks(first(dst), (*int8)(p), done)
		}
	}
	widenPlain(dst[done:], x[done:])
}

// wideRows is the number of rows from which on halves and bytes are widened once for all
// of them, instead of by the kernels.
const wideRows = 8

func dotTiles[T Cached](dst []float32, stride int, keys []T, q []float32, cols int) {
	switch {
	case level == cpu.Generic || !blocks(cols):
		dotTilesPlain(dst, stride, keys, q, cols)
	case unsafe.Sizeof(keys[0]) < 4 && len(q) >= wideRows*cols:
		dotTilesWidened(dst, stride, keys, q, cols)
	default:
		dotTilesParts(dst, stride, keys, q, cols)
	}
}

// partTiles is the number of tiles that meet all queries before the next.
func partTiles(cols int) int { return max(wideSize/(cols*KeyTile), 1) }

// dotTilesWidened is DotTiles with keys made float32 once for all queries.
func dotTilesWidened[T Cached](dst []float32, stride int, keys []T, q []float32, cols int) {
	var buf [wideSize]float32
	wide := wideBuffer(buf[:], partTiles(cols)*cols*KeyTile)
	for len(keys) > 0 {
		part := wide[:min(len(wide), len(keys))]
		widen(part, keys[:len(part)])
		dotTilesPart(dst, stride, part, q, cols, 0)
		dst, keys = dst[min(len(part)/cols, len(dst)):], keys[len(part):]
	}
}

// keysAhead is how far ahead keys are prefetched, in bytes.
const keysAhead = 4096

// dotTilesParts is DotTiles with keys as they lie.
func dotTilesParts[T Cached](dst []float32, stride int, keys []T, q []float32, cols int) {
	size := partTiles(cols) * cols * KeyTile
	for len(keys) > 0 {
		part := keys[:min(size, len(keys))]
		dotTilesPart(dst, stride, part, q, cols, keysAhead)
		dst, keys = dst[min(len(part)/cols, len(dst)):], keys[len(part):]
	}
}
