//go:build amd64 && !purego

#include "textflag.h"

// Inner products of rows, bit for bit those of dotGeneric: two YMM registers are the 16
// lanes of a sum; a product is rounded before it is added (VMULPS, VADDPS), and lanes fold
// by halves, several sums at a time. cols is a multiple of 16, at least 16.

// MULADD adds x*y to sum.
#define MULADD(x, y, product, sum) \
	VMULPS x, y, product \
	VADDPS product, sum, sum

// FOLDQUAD folds four sums of 8 lanes, p…s, to one each: p and r in the lower half of p,
// elements 0 and 1, q and s in the upper half.
#define FOLDQUAD(p, q, r, s, t)  \
	VPERM2F128 $0x31, q, p, t \
	VPERM2F128 $0x20, q, p, p \
	VADDPS     t, p, p        \
	VPERM2F128 $0x31, s, r, t \
	VPERM2F128 $0x20, s, r, r \
	VADDPS     t, r, r        \
	VUNPCKHPS  r, p, t        \
	VUNPCKLPS  r, p, p        \
	VADDPS     t, p, p        \
	VPERMILPS  $0x4E, p, t    \
	VADDPS     t, p, p

// func dotAVX2(a, b *float32, cols int) float32
//
// SI a, DX b, CX values left; Y0, Y1 the sum.
TEXT ·dotAVX2(SB), NOSPLIT, $0-28
	MOVQ   a+0(FP), SI
	MOVQ   b+8(FP), DX
	MOVQ   cols+16(FP), CX
	VXORPS X0, X0, X0
	VXORPS X1, X1, X1

loop:
	VMOVUPS (SI), Y2
	VMOVUPS 32(SI), Y3
	VMULPS  (DX), Y2, Y2
	VMULPS  32(DX), Y3, Y3
	VADDPS  Y2, Y0, Y0
	VADDPS  Y3, Y1, Y1
	ADDQ    $64, SI
	ADDQ    $64, DX
	SUBQ    $16, CX
	JNZ     loop

	VADDPS       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0x4E, X0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0xB1, X0, X1
	VADDPS       X1, X0, X0
	VMOVSS       X0, ret+24(FP)
	VZEROUPPER
	RET

// func dots2x2AVX2(dst *float32, stride int, a, b *float32, cols, n, tiles int, sums *float32, last bool)
//
// Each tile is n values of 2 rows of a with the same 2 rows of b; rows are cols apart. Sums
// go on from sums [tiles, 4, Lanes], or start at zero if that is nil, and end there, or
// folded in dst if last. A sum has two registers: Y0 row 0 of a with row 0 of b, Y2 row 0 of
// a with row 1 of b, Y4 and Y6 row 1 of a.
//
//	DI dst   R8 stride, bytes   SI a   DX b   R10 cols, bytes
//	R12 from a tile's end to the next, bytes   R13 sums   BX tiles left   CX bytes left
//	Y8…Y11 b   Y12, Y13 a   Y14, Y15 products
TEXT ·dots2x2AVX2(SB), NOSPLIT, $0-65
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), R8
	SHLQ $2, R8
	MOVQ a+16(FP), SI
	MOVQ cols+32(FP), R10
	SHLQ $2, R10
	MOVQ n+40(FP), CX
	SHLQ $2, CX
	LEAQ (R10*2), R12
	SUBQ CX, R12
	MOVQ tiles+48(FP), BX
	MOVQ sums+56(FP), R13

tile:
	MOVQ  b+24(FP), DX
	MOVQ  n+40(FP), CX
	SHLQ  $2, CX
	TESTQ R13, R13
	JZ    zero
	VMOVUPS (R13), Y0
	VMOVUPS 32(R13), Y1
	VMOVUPS 64(R13), Y2
	VMOVUPS 96(R13), Y3
	VMOVUPS 128(R13), Y4
	VMOVUPS 160(R13), Y5
	VMOVUPS 192(R13), Y6
	VMOVUPS 224(R13), Y7
	JMP   loop

zero:
	VXORPS X0, X0, X0
	VXORPS X1, X1, X1
	VXORPS X2, X2, X2
	VXORPS X3, X3, X3
	VXORPS X4, X4, X4
	VXORPS X5, X5, X5
	VXORPS X6, X6, X6
	VXORPS X7, X7, X7

loop:
	VMOVUPS (DX), Y8
	VMOVUPS 32(DX), Y9
	VMOVUPS (DX)(R10*1), Y10
	VMOVUPS 32(DX)(R10*1), Y11
	VMOVUPS (SI), Y12
	VMOVUPS 32(SI), Y13
	MULADD(Y8, Y12, Y14, Y0)
	MULADD(Y9, Y13, Y15, Y1)
	MULADD(Y10, Y12, Y14, Y2)
	MULADD(Y11, Y13, Y15, Y3)
	VMOVUPS (SI)(R10*1), Y12
	VMOVUPS 32(SI)(R10*1), Y13
	MULADD(Y8, Y12, Y14, Y4)
	MULADD(Y9, Y13, Y15, Y5)
	MULADD(Y10, Y12, Y14, Y6)
	MULADD(Y11, Y13, Y15, Y7)
	ADDQ $64, DX
	ADDQ $64, SI
	SUBQ $64, CX
	JNZ  loop

	CMPB last+64(FP), $0
	JNE  fold
	VMOVUPS Y0, (R13)
	VMOVUPS Y1, 32(R13)
	VMOVUPS Y2, 64(R13)
	VMOVUPS Y3, 96(R13)
	VMOVUPS Y4, 128(R13)
	VMOVUPS Y5, 160(R13)
	VMOVUPS Y6, 192(R13)
	VMOVUPS Y7, 224(R13)
	JMP  next

fold:
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y5, Y4, Y4
	VADDPS Y7, Y6, Y6
	FOLDQUAD(Y0, Y2, Y4, Y6, Y8)
	VEXTRACTF128 $1, Y0, X1
	VMOVLPS      X0, (DI)
	VMOVLPS      X1, (DI)(R8*1)

next:
	ADDQ  $8, DI
	ADDQ  R12, SI
	TESTQ R13, R13
	JZ    count
	ADDQ  $256, R13

count:
	DECQ BX
	JNZ  tile
	VZEROUPPER
	RET

// FOLDSUMS folds the sums Y0…Y7 of four rows and stores them at (DI).
#define FOLDSUMS \
	VADDPS  Y1, Y0, Y0            \
	VADDPS  Y3, Y2, Y2            \
	VADDPS  Y5, Y4, Y4            \
	VADDPS  Y7, Y6, Y6            \
	FOLDQUAD(Y0, Y4, Y2, Y6, Y8)  \
	VEXTRACTF128 $1, Y0, X1       \
	VMOVLHPS     X1, X0, X0       \
	VMOVUPS      X0, (DI)

// func dotsF32AVX2(dst, a, x *float32, cols, tiles int)
//
// Tiles of 4 rows of a, which are in a cache or will be wanted again, with one row x (the
// inner loop has taken SI past one of the four). The tile behind this one is prefetched.
//
//	DI dst   SI a   R8 a's row, bytes   R9 3 rows   R12 the next tile
//	R11 x    DX its place   CX values of the row left   BX tiles left   AX cols
//	Y0…Y7 sums, two for a row   Y8, Y9 x   Y10…Y13 a
TEXT ·dotsF32AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ x+16(FP), R11
	MOVQ cols+24(FP), AX
	MOVQ tiles+32(FP), BX
	LEAQ (AX*4), R8
	LEAQ   (R8)(R8*2), R9
	LEAQ   (SI)(R8*4), R12

tile:
	MOVQ   R11, DX
	MOVQ   AX, CX
	VXORPS X0, X0, X0
	VXORPS X1, X1, X1
	VXORPS X2, X2, X2
	VXORPS X3, X3, X3
	VXORPS X4, X4, X4
	VXORPS X5, X5, X5
	VXORPS X6, X6, X6
	VXORPS X7, X7, X7

loop:
	VMOVUPS (DX), Y8
	VMOVUPS 32(DX), Y9
	PREFETCHT0 (R12)
	PREFETCHT0 (R12)(R8*1)
	PREFETCHT0 (R12)(R8*2)
	PREFETCHT0 (R12)(R9*1)
	VMOVUPS (SI), Y10
	VMOVUPS 32(SI), Y11
	VMOVUPS (SI)(R8*1), Y12
	VMOVUPS 32(SI)(R8*1), Y13
	MULADD(Y8, Y10, Y10, Y0)
	MULADD(Y9, Y11, Y11, Y1)
	MULADD(Y8, Y12, Y12, Y2)
	MULADD(Y9, Y13, Y13, Y3)
	VMOVUPS (SI)(R8*2), Y10
	VMOVUPS 32(SI)(R8*2), Y11
	VMOVUPS (SI)(R9*1), Y12
	VMOVUPS 32(SI)(R9*1), Y13
	MULADD(Y8, Y10, Y10, Y4)
	MULADD(Y9, Y11, Y11, Y5)
	MULADD(Y8, Y12, Y12, Y6)
	MULADD(Y9, Y13, Y13, Y7)
	ADDQ    $64, DX
	ADDQ    $64, SI
	ADDQ    $64, R12
	SUBQ    $16, CX
	JNZ     loop
	FOLDSUMS
	ADDQ    $16, DI
	ADDQ    R9, SI
	ADDQ    R9, R12
	DECQ    BX
	JNZ     tile
	VZEROUPPER
	RET

#define LOADF32(from, to) \
	VMOVUPS from, to

#define LOADBF16(from, to) \
	VPMOVZXWD from, to \
	VPSLLD    $16, to, to

#define LOADF16(from, to) \
	VCVTPH2PS from, to

// BLOCK adds 16 columns, at CX+at, of the row at SI to the sum lo, hi.
#define BLOCK(LOAD, W, at, lo, hi) \
	LOAD((at*W)(SI)(CX*W), Y8)     \
	LOAD((at*W+8*W)(SI)(CX*W), Y9) \
	MULADD((at*4)(DX)(CX*4), Y8, Y8, lo) \
	MULADD((at*4+32)(DX)(CX*4), Y9, Y9, hi)

// ROW sets lo, hi to the lanes of the row that ends at SI, and SI to the end of the next.
// LOAD widens 8 values of W bytes; FETCH prefetches 32 that come later.
#define ROW(LOAD, FETCH, W, pairs, end, lo, hi) \
	MOVQ   AX, CX             \
	VXORPS lo, lo, lo         \
	VXORPS hi, hi, hi         \
	TESTQ  $16, CX            \
	JZ     pairs              \
	BLOCK(LOAD, W, 0, lo, hi) \
	ADDQ   $16, CX            \
	JZ     end                \
pairs:                      \
	FETCH                     \
	BLOCK(LOAD, W, 0, lo, hi) \
	BLOCK(LOAD, W, 16, lo, hi) \
	ADDQ   $32, CX            \
	JNZ    pairs              \
end:                        \
	ADDQ   R8, SI

// STREAM is the body of the kernels of rows that come from memory with one row x: one row
// after the other, so that a is a single stream. Several streams at once, or prefetches
// into the first-level cache, which can wait for few lines, read half as fast. A row's sum
// waits for each addition, but memory is slower than that.
//
//	DI dst   SI a's row, its end   R8 a's row, bytes   DX x, its end
//	AX -cols   CX columns up to the end, negative   BX tiles of 4 rows left
//	Y0…Y7 sums, two for a row   Y8, Y9 a
#define STREAM(LOAD, FETCH, W) \
	LEAQ (AX*W), R8            \
	ADDQ R8, SI                \
	LEAQ (DX)(AX*4), DX        \
	NEGQ AX                    \
tile:                        \
	ROW(LOAD, FETCH, W, pairs0, end0, Y0, Y1) \
	ROW(LOAD, FETCH, W, pairs1, end1, Y2, Y3) \
	ROW(LOAD, FETCH, W, pairs2, end2, Y4, Y5) \
	ROW(LOAD, FETCH, W, pairs3, end3, Y6, Y7) \
	FOLDSUMS                   \
	ADDQ $16, DI               \
	DECQ BX                    \
	JNZ  tile                  \
	VZEROUPPER                 \
	RET

// What is fetched goes to the second-level cache.

#define FETCH2 \
	PREFETCHT1 6144(SI)(CX*2)

#define FETCH4 \
	PREFETCHT1 4096(SI)(CX*4) \
	PREFETCHT1 4160(SI)(CX*4)

// func streamF32AVX2(dst, a, x *float32, cols, tiles int)
TEXT ·streamF32AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ cols+24(FP), AX
	MOVQ tiles+32(FP), BX
	STREAM(LOADF32, FETCH4, 4)

// func streamBF16AVX2(dst *float32, a *byte, x *float32, cols, tiles int)
TEXT ·streamBF16AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ cols+24(FP), AX
	MOVQ tiles+32(FP), BX
	STREAM(LOADBF16, FETCH2, 2)

// func streamF16AVX2(dst *float32, a *byte, x *float32, cols, tiles int)
TEXT ·streamF16AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ cols+24(FP), AX
	MOVQ tiles+32(FP), BX
	STREAM(LOADF16, FETCH2, 2)
