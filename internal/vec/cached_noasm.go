//go:build !(amd64 || arm64) || purego

package vec

func narrowF16(dst []uint16, x []float32) { narrowF16Generic(dst, x) }

func largestBits(x []float32) uint32 { return largestBitsGeneric(x) }

func roundI8(dst []int8, x []float32, scale float32) { roundI8Generic(dst, x, scale) }

func widen[T Cached](dst []float32, x []T) { widenPlain(dst, x) }

func dotTiles[T Cached](dst []float32, stride int, keys []T, q []float32, cols int) {
	dotTilesPlain(dst, stride, keys, q, cols)
}
