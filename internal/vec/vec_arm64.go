//go:build !purego

package vec

// The kernels of NEON, which every arm64 processor has.

//go:noescape
func dotBlocks(a, b *float32, cols int) float32

// Tiles of 4 rows of a with one row of b, or 2 with 2.

//go:noescape
func dotsF32Tiles(dst, a, x *float32, cols, tiles int)

//go:noescape
func dotsBF16Tiles(dst *float32, a *byte, x *float32, cols, tiles int)

//go:noescape
func dotsF16Tiles(dst *float32, a *byte, x *float32, cols, tiles int)

//go:noescape
func dots2x2(dst *float32, stride int, a, b *float32, cols, n, tiles int, sums *float32, last bool)

//go:noescape
func widenBF16Blocks(dst *float32, data *byte, n int)

//go:noescape
func widenF16Blocks(dst *float32, data *byte, n int)

// Sums of n rows for 1 or 4 rows of dst, 16 or 64 of their values.

//go:noescape
func weigh1x16(dst, w, v *float32, cols, n int)

//go:noescape
func weigh1x64(dst, w, v *float32, cols, n int)

//go:noescape
func weigh4x16(dst, w *float32, stride int, v *float32, cols, n int)

// Element by element work, n whole blocks.

//go:noescape
func addBlocks(dst, x *float32, n int)

//go:noescape
func mulScaleBlocks(dst, x, weight *float32, n int, scale float32)

//go:noescape
func rotateBlocks(a, b, cos, sin *float32, n int)

//go:noescape
func scaleMaxBlocks(x *float32, n int, scale float32) float32

//go:noescape
func divideBlocks(x *float32, n int, divisor float32)

//go:noescape
func expSumBlocks(lane *[Lanes]float32, x *float32, n int, largest float32)

//go:noescape
func siluMulBlocks(dst, gate, up *float32, n int)

// expTable holds the constants of Exp in the order of its use, then its bounds and infinity.
//
//lint:ignore U1000 the assembly reads it
var expTable = [...]float32{log2e, ln2Hi, ln2Lo, exp5, exp4, exp3, exp2, exp1, exp0, 1,
	expMin, expMax, inf}

// streamF32Tiles is dotsF32Tiles of rows that come from memory.
func streamF32Tiles(dst, a, x *float32, cols, tiles int) { dotsF32Tiles(dst, a, x, cols, tiles) }

// tileRows is how many rows of a and of b meet in a tile.
func tileRows() int { return 2 }

// dotsPiece hands n columns to the kernel of tiles.
func dotsPiece(dst *float32, stride int, a, b *float32, cols, n, tiles int, sums *float32, last, _ bool) {
	dots2x2(dst, stride, a, b, cols, n, tiles, sums, last)
}

// weighFour is weigh for four sums.
func weighFour(dst, w []float32, stride int, v []float32, cols, lo, hi int) {
	for ; lo < hi; lo += 16 {
		weigh4x16(&dst[lo], first(w), stride, &v[lo], cols, len(v)/cols)
	}
}

// weighOne is weigh for one sum.
func weighOne(dst, w, v []float32, lo, hi int) {
	cols := len(dst)
	n := len(v) / cols
	for ; lo+64 <= hi; lo += 64 {
		weigh1x64(&dst[lo], first(w), &v[lo], cols, n)
	}
	for ; lo < hi; lo += 16 {
		weigh1x16(&dst[lo], first(w), &v[lo], cols, n)
	}
}
