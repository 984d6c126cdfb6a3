//go:build amd64 && !purego

package quant

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// The kernels of amd64. Features count only where the operating system keeps the registers.
var (
	hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasF16C
	hasVNNI = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL &&
		cpu.X86.HasAVX512VNNI
)

// avx2 takes activations of either mode as words: VPMADDWD multiplies 16 of them exactly,
// and bytes would need as many instructions.
var avx2 = tiles{
	few:   8,
	terms: termsAVX2,
	batch: 8,
	mul1:  [2]tileMul{tile1AVX2},
}

var vnni = tiles{
	few:   8,
	wide:  true,
	terms: termsVNNI,
	batch: 16,
	bytes: true,
	mul1:  [2]tileMul{tile1Words, tile1Bytes},
	mul4:  [2]tileMul{tiles4Words, tiles4Bytes},
}

// machineKernels lists the instruction sets' kernels, the best first.
func machineKernels() (found []*kernel) {
	if hasVNNI {
		found = append(found, vnni.kernel("vnni"))
		found = append(found, amxKernels()...)
	}
	if hasAVX2 {
		found = append(found, avx2.kernel("avx2"))
	}
	return found
}

// Groups in assembly are multiples of 32 columns. Nothing is aligned.

// termsAVX2 sets dst to what each of n ≥ 8 groups of weights u, one after the other, adds to
// its row's result: (dot + bias)·(sw·sx). Rows have groups of them. x [groups+15, group], bias
// -128·Σx and sx [groups+15] begin again after a row's end; sw [n]. step is 8 modulo groups.
//
//go:noescape
func termsAVX2(dst *float32, w *byte, n, group int, x *int16, bias *int32, sx, sw *float32, groups, step int)

// termsVNNI is like termsAVX2, with n ≥ 16 and step 16 modulo groups.
//
//go:noescape
func termsVNNI(dst *float32, w *byte, n, group int, x *int16, bias *int32, sx, sw *float32, groups, step int)

// sumTermsAVX2 sets dst [rows] to the sums of terms [rows, groups], in order; rows is a
// multiple of 8.
//
//go:noescape
func sumTermsAVX2(dst, terms *float32, groups, rows int)

// tile1AVX2 adds a group's product of quads of rows with one tile to acc [quads, 4, 16]:
// x [steps, 16, 2] words; w [quads, 4, steps, 2] words, sw [quads, 4], each quad a stride in
// bytes from the last; the tile's scales sx [16]; bias [16], -128·Σx.
//
//go:noescape
func tile1AVX2(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)

// tile1Words is like tile1AVX2 and takes quads in fours: what follows the last is read and its
// products are written, too.
//
//go:noescape
func tile1Words(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)

// tile1Bytes is like tile1Words, with x [steps, 16, 4] and w [quads, 4, steps, 4] bytes.
//
//go:noescape
func tile1Bytes(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)

// tiles4Words is like tile1AVX2 for four tiles: acc [quads, 4, 64], x [steps, 64, 2] words,
// sx [64], bias [64].
//
//go:noescape
func tiles4Words(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)

// tiles4Bytes is like tiles4Words, with x [steps, 64, 4] and w [quads, 4, steps, 4] bytes.
//
//go:noescape
func tiles4Bytes(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)

// transposeAVX2 writes 4·quads rows of n words of 32 bits as n rows. Strides are in bytes.
//
//go:noescape
func transposeAVX2(dst unsafe.Pointer, dstStride int, src unsafe.Pointer, srcStride, quads, n int)

// transposeAVX512 is like transposeAVX2, with 16·sixteens rows, n a multiple of 4.
//
//go:noescape
func transposeAVX512(dst unsafe.Pointer, dstStride int, src unsafe.Pointer, srcStride, sixteens, n int)

// scalesBF16AVX2 widens scales src [quads, 4, groups] to dst [quads, groups, 4].
//
//go:noescape
func scalesBF16AVX2(dst *float32, src unsafe.Pointer, quads, groups int)

// scalesF16AVX2 is like scalesBF16AVX2.
//
//go:noescape
func scalesF16AVX2(dst *float32, src unsafe.Pointer, quads, groups int)

// widenAVX2 copies 4 rows of weights u, stride bytes apart, to words dst [groups, 4, group],
// whose groups are dstStride bytes apart.
//
//go:noescape
func widenAVX2(dst unsafe.Pointer, dstStride int, src *byte, stride, group, groups int)

// gatherAVX2 is like widenAVX2, with bytes dst.
//
//go:noescape
func gatherAVX2(dst unsafe.Pointer, dstStride int, src *byte, stride, group, groups int)

// narrowAVX2 copies words, rows stride bytes apart, to bytes dst [rows, group].
//
//go:noescape
func narrowAVX2(dst *int8, src *int16, stride, group, rows int)

// prefetchAMD64 fetches n bytes of each row into the second-level cache.
//
//go:noescape
func prefetchAMD64(p *byte, stride, rows, n int)
