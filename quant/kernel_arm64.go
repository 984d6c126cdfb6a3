//go:build arm64 && !purego

package quant

import "golang.org/x/sys/cpu"

// The kernels of arm64. Linux, macOS and Windows tell whether a processor has SDOT; elsewhere
// it is not used.
var (
	sdot = bytesKernel{
		rows: [2]rowsMul{rowsInt8SDOT, rowsInt16SDOT},
		tile: [2]tileMul{tileInt8, tileInt16},
	}
	neon = bytesKernel{rows: [2]rowsMul{rowsInt8NEON, rowsInt16NEON}}
)

// machineKernels lists the instruction sets' kernels, the best first.
func machineKernels() (found []*kernel) {
	if cpu.ARM64.HasASIMDDP {
		found = append(found, sdot.kernel("sdot"))
	}
	return append(found, neon.kernel("neon"))
}

// Groups in assembly are multiples of 32 columns. Nothing is aligned.

// rowsInt16SDOT sets dst [quads, 4] to the product of one token with quads of rows of weights
// u, stride = groups·group bytes apart: x as splitToken makes it, its scales sx [groups];
// sw [quads, groups, 4].
//
//go:noescape
func rowsInt16SDOT(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)

// rowsInt8SDOT is like rowsInt16SDOT, with x [cols].
//
//go:noescape
func rowsInt8SDOT(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)

// rowsInt16NEON is like rowsInt16SDOT.
//
//go:noescape
func rowsInt16NEON(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)

// rowsInt8NEON is like rowsInt8SDOT.
//
//go:noescape
func rowsInt8NEON(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)

// tileInt16 sets 4·quads values in each of 8 rows of dst, dstStride bytes apart, to the
// product of a tile of tokens with quads of rows: w [quads, groups·group/16, 4, 16], sw [quads,
// groups, 4]; x as splitTokens makes it, its scales sx [groups, 8].
//
//go:noescape
func tileInt16(dst *float32, dstStride int, w, x *int8, sw, sx *float32, group, groups, quads int)

// tileInt8 is like tileInt16, with x as narrowTokens makes it.
//
//go:noescape
func tileInt8(dst *float32, dstStride int, w, x *int8, sw, sx *float32, group, groups, quads int)

// signQuad copies four rows of weights u, stride bytes apart, to dst [cols/16, 4, 16] as q.
//
//go:noescape
func signQuad(dst *int8, src *byte, stride, cols int)

// scalesF32 copies scales of four rows, stride bytes apart, to dst [4·fours, 4].
//
//go:noescape
func scalesF32(dst *float32, src *byte, stride, fours int)

// scalesBF16 is like scalesF32.
//
//go:noescape
func scalesBF16(dst *float32, src *byte, stride, fours int)

// scalesF16 is like scalesF32.
//
//go:noescape
func scalesF16(dst *float32, src *byte, stride, fours int)

// splitToken splits xq [n] to dst [n/16, 2, 16]: upper bytes, lower bytes.
//
//go:noescape
func splitToken(dst *int8, xq *int16, n int)

// narrowToken copies bytes xq [n] to dst [n].
//
//go:noescape
func narrowToken(dst *int8, xq *int16, n int)

// splitTokens splits xq of four tokens, stride bytes apart, to their half of
// dst [n/16, 2, 2 halves, 4, 4 tokens, 4]: upper and lower bytes in steps of four columns.
//
//go:noescape
func splitTokens(dst *int8, xq *int16, stride, n int)

// narrowTokens is like splitTokens, with dst [n/16, 2 halves, 4, 4 tokens, 4].
//
//go:noescape
func narrowTokens(dst *int8, xq *int16, stride, n int)
