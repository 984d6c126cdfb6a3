//go:build amd64 && !purego

#include "textflag.h"

// Inner products of rows, bit for bit those of dotGeneric: a ZMM register is the 16 lanes
// of a sum; a product is rounded before it is added (VMULPS, VADDPS), and lanes fold by
// halves, several sums at a time. cols is a multiple of 16, at least 16.

// MULADD adds x*y to sum.
#define MULADD(x, y, product, sum) \
	VMULPS x, y, product \
	VADDPS product, sum, sum

// FOLD16 folds the sums p and q to 8 lanes each, q's above p's, in p.
#define FOLD16(p, q, t) \
	VSHUFF32X4 $0xEE, q, p, t \
	VSHUFF32X4 $0x44, q, p, p \
	VADDPS     t, p, p

// FOLD8 folds p and q, of two sums each, to 4 lanes a sum, in p.
#define FOLD8(p, q, t) \
	VSHUFF32X4 $0xDD, q, p, t \
	VSHUFF32X4 $0x88, q, p, p \
	VADDPS     t, p, p

// FOLD4 folds p and q to 2 lanes a sum, in p: in each quarter p's and q's lane 0, then
// their lane 1.
#define FOLD4(p, q, t) \
	VUNPCKHPS q, p, t \
	VUNPCKLPS q, p, p \
	VADDPS    t, p, p

// FOLD2 folds p and q, of two sums each in a quarter, to one lane a sum, in p.
#define FOLD2(p, q, t) \
	VUNPCKHPD q, p, t \
	VUNPCKLPD q, p, p \
	VADDPS    t, p, p

// FOLDROWS folds the sums p, q, r, s of four rows and stores them at (DI).
#define FOLDROWS(p, q, r, s, t) \
	FOLD16(p, q, t)             \
	FOLD16(r, s, t)             \
	FOLD8(p, r, t)              \
	VPERMILPS  $0x4E, p, t      \
	VADDPS     t, p, p          \
	VPERMILPS  $0xB1, p, t      \
	VADDPS     t, p, p          \
	VCOMPRESSPS p, K1, t        \
	VMOVUPS    X16, (DI)

// func dotAVX512(a, b *float32, cols int) float32
//
// SI a, DX b, CX bytes left; Z0 the sum.
TEXT ·dotAVX512(SB), NOSPLIT, $0-28
	MOVQ   a+0(FP), SI
	MOVQ   b+8(FP), DX
	MOVQ   cols+16(FP), CX
	VXORPS X0, X0, X0

loop:
	VMOVUPS (SI), Z1
	VMULPS  (DX), Z1, Z1
	VADDPS  Z1, Z0, Z0
	ADDQ    $64, SI
	ADDQ    $64, DX
	SUBQ    $16, CX
	JNZ     loop

	VEXTRACTF64X4 $1, Z0, Y1
	VADDPS        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VADDPS        X1, X0, X0
	VPERMILPS     $0x4E, X0, X1
	VADDPS        X1, X0, X0
	VPERMILPS     $0xB1, X0, X1
	VADDPS        X1, X0, X0
	VMOVSS        X0, ret+24(FP)
	VZEROUPPER
	RET

// TILE adds the next 16 values of 4 rows of a with 4 rows of b to the 16 sums.
#define TILE \
	VMOVUPS (DX), Z16 \
	VMOVUPS (DX)(R10*1), Z17 \
	VMOVUPS (DX)(R10*2), Z18 \
	VMOVUPS (DX)(R11*1), Z19 \
	VMOVUPS (SI), Z20 \
	MULADD(Z16, Z20, Z21, Z0) \
	MULADD(Z17, Z20, Z22, Z1) \
	MULADD(Z18, Z20, Z23, Z2) \
	MULADD(Z19, Z20, Z24, Z3) \
	VMOVUPS (SI)(R10*1), Z20 \
	MULADD(Z16, Z20, Z21, Z4) \
	MULADD(Z17, Z20, Z22, Z5) \
	MULADD(Z18, Z20, Z23, Z6) \
	MULADD(Z19, Z20, Z24, Z7) \
	VMOVUPS (SI)(R10*2), Z20 \
	MULADD(Z16, Z20, Z21, Z8) \
	MULADD(Z17, Z20, Z22, Z9) \
	MULADD(Z18, Z20, Z23, Z10) \
	MULADD(Z19, Z20, Z24, Z11) \
	VMOVUPS (SI)(R11*1), Z20 \
	MULADD(Z16, Z20, Z21, Z12) \
	MULADD(Z17, Z20, Z22, Z13) \
	MULADD(Z18, Z20, Z23, Z14) \
	MULADD(Z19, Z20, Z24, Z15) \
	ADDQ $64, DX \
	ADDQ $64, SI \
	SUBQ $64, CX

// func dots4x4AVX512(dst *float32, stride int, a, b *float32, cols, n, tiles int, sums *float32, last, stream bool)
//
// Each tile is n values of 4 rows of a with the same 4 rows of b; rows are cols apart. Sums
// go on from sums [tiles, 16, Lanes], or start at zero if that is nil, and end there, or
// folded in dst if last. Z(4i+j) is row i of a with row j of b. If stream, a comes from
// memory (keys of a long context): what lies 4 KB ahead of its rows is prefetched, which
// would only cost time where a lies in the cache.
//
//	DI dst   R8 stride, bytes   R9 3*stride
//	SI a     DX b               R10 cols, bytes   R11 3*cols, bytes
//	R12 from a tile's end to the next, bytes      R13 sums   BX tiles left   CX bytes left
//	Z16…Z19 b   Z20 a   Z21…Z24 products
TEXT ·dots4x4AVX512(SB), NOSPLIT, $0-66
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), R8
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	MOVQ a+16(FP), SI
	MOVQ cols+32(FP), R10
	SHLQ $2, R10
	LEAQ (R10)(R10*2), R11
	MOVQ n+40(FP), CX
	SHLQ $2, CX
	LEAQ (R10*4), R12
	SUBQ CX, R12
	MOVQ tiles+48(FP), BX
	MOVQ sums+56(FP), R13

tile:
	MOVQ  b+24(FP), DX
	MOVQ  n+40(FP), CX
	SHLQ  $2, CX
	TESTQ R13, R13
	JZ    zero
	VMOVUPS (R13), Z0
	VMOVUPS 64(R13), Z1
	VMOVUPS 128(R13), Z2
	VMOVUPS 192(R13), Z3
	VMOVUPS 256(R13), Z4
	VMOVUPS 320(R13), Z5
	VMOVUPS 384(R13), Z6
	VMOVUPS 448(R13), Z7
	VMOVUPS 512(R13), Z8
	VMOVUPS 576(R13), Z9
	VMOVUPS 640(R13), Z10
	VMOVUPS 704(R13), Z11
	VMOVUPS 768(R13), Z12
	VMOVUPS 832(R13), Z13
	VMOVUPS 896(R13), Z14
	VMOVUPS 960(R13), Z15
	JMP   start

zero:
	VXORPS X0, X0, X0
	VXORPS X1, X1, X1
	VXORPS X2, X2, X2
	VXORPS X3, X3, X3
	VXORPS X4, X4, X4
	VXORPS X5, X5, X5
	VXORPS X6, X6, X6
	VXORPS X7, X7, X7
	VXORPS X8, X8, X8
	VXORPS X9, X9, X9
	VXORPS X10, X10, X10
	VXORPS X11, X11, X11
	VXORPS X12, X12, X12
	VXORPS X13, X13, X13
	VXORPS X14, X14, X14
	VXORPS X15, X15, X15

start:
	CMPB stream+65(FP), $0
	JNE  stream

loop:
	TILE
	JNZ loop
	JMP end

stream:
	PREFETCHT0 4096(SI)
	PREFETCHT0 4096(SI)(R10*1)
	PREFETCHT0 4096(SI)(R10*2)
	PREFETCHT0 4096(SI)(R11*1)
	TILE
	JNZ stream

end:
	CMPB last+64(FP), $0
	JNE  fold
	VMOVUPS Z0, (R13)
	VMOVUPS Z1, 64(R13)
	VMOVUPS Z2, 128(R13)
	VMOVUPS Z3, 192(R13)
	VMOVUPS Z4, 256(R13)
	VMOVUPS Z5, 320(R13)
	VMOVUPS Z6, 384(R13)
	VMOVUPS Z7, 448(R13)
	VMOVUPS Z8, 512(R13)
	VMOVUPS Z9, 576(R13)
	VMOVUPS Z10, 640(R13)
	VMOVUPS Z11, 704(R13)
	VMOVUPS Z12, 768(R13)
	VMOVUPS Z13, 832(R13)
	VMOVUPS Z14, 896(R13)
	VMOVUPS Z15, 960(R13)
	JMP  next

fold:
	// Z0, Z4, Z8, Z12: rows of a; in each, a quarter for each row of b.
	FOLD16(Z0, Z1, Z16)
	FOLD16(Z2, Z3, Z17)
	FOLD16(Z4, Z5, Z18)
	FOLD16(Z6, Z7, Z19)
	FOLD16(Z8, Z9, Z16)
	FOLD16(Z10, Z11, Z17)
	FOLD16(Z12, Z13, Z18)
	FOLD16(Z14, Z15, Z19)
	FOLD8(Z0, Z2, Z16)
	FOLD8(Z4, Z6, Z17)
	FOLD8(Z8, Z10, Z18)
	FOLD8(Z12, Z14, Z19)
	FOLD4(Z0, Z4, Z16)
	FOLD4(Z8, Z12, Z17)
	FOLD2(Z0, Z8, Z16)
	VMOVUPS       X0, (DI)
	VEXTRACTF128  $1, Y0, (DI)(R8*1)
	VEXTRACTF32X4 $2, Z0, (DI)(R8*2)
	VEXTRACTF32X4 $3, Z0, (DI)(R9*1)

next:
	ADDQ  $16, DI
	ADDQ  R12, SI
	TESTQ R13, R13
	JZ    count
	ADDQ  $1024, R13

count:
	DECQ BX
	JNZ  tile
	VZEROUPPER
	RET

// func dotsF32AVX512(dst, a, x *float32, cols, tiles int)
//
// Tiles of 4 rows of a, which are in a cache or will be wanted again, with one row x (the
// inner loop has taken SI past one of the four). The tile behind this one is prefetched.
//
//	DI dst   SI a   R8 a's row, bytes   R9 3 rows   R12 the next tile
//	R11 x    DX its place   CX values of the row left   BX tiles left   AX cols
//	Z0…Z3 sums   Z4 x   Z5…Z8 a
TEXT ·dotsF32AVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ x+16(FP), R11
	MOVQ cols+24(FP), AX
	MOVQ tiles+32(FP), BX
	LEAQ (AX*4), R8
	MOVL   $0x1111, R10
	KMOVW  R10, K1
	LEAQ   (R8)(R8*2), R9
	LEAQ   (SI)(R8*4), R12

tile:
	MOVQ   R11, DX
	MOVQ   AX, CX
	VXORPS X0, X0, X0
	VXORPS X1, X1, X1
	VXORPS X2, X2, X2
	VXORPS X3, X3, X3

loop:
	VMOVUPS (DX), Z4
	PREFETCHT0 (R12)
	PREFETCHT0 (R12)(R8*1)
	PREFETCHT0 (R12)(R8*2)
	PREFETCHT0 (R12)(R9*1)
	VMOVUPS (SI), Z5
	VMOVUPS (SI)(R8*1), Z6
	VMOVUPS (SI)(R8*2), Z7
	VMOVUPS (SI)(R9*1), Z8
	MULADD(Z4, Z5, Z5, Z0)
	MULADD(Z4, Z6, Z6, Z1)
	MULADD(Z4, Z7, Z7, Z2)
	MULADD(Z4, Z8, Z8, Z3)
	ADDQ    $64, DX
	ADDQ    $64, SI
	ADDQ    $64, R12
	SUBQ    $16, CX
	JNZ     loop
	FOLDROWS(Z0, Z1, Z2, Z3, Z16)
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

// ROW sets sum to the lanes of the row that ends at SI, and SI to the end of the next. LOAD
// widens 16 values of W bytes; FETCH prefetches 32 that come later.
#define ROW(LOAD, FETCH, W, pairs, end, sum) \
	MOVQ   AX, CX               \
	VPXORD sum, sum, sum        \
	TESTQ  $16, CX              \
	JZ     pairs                \
	LOAD((SI)(CX*W), Z4)        \
	MULADD((DX)(CX*4), Z4, Z4, sum) \
	ADDQ   $16, CX              \
	JZ     end                  \
pairs:                        \
	FETCH                       \
	LOAD((SI)(CX*W), Z4)        \
	LOAD((16*W)(SI)(CX*W), Z5)  \
	MULADD((DX)(CX*4), Z4, Z4, sum) \
	MULADD(64(DX)(CX*4), Z5, Z5, sum) \
	ADDQ   $32, CX              \
	JNZ    pairs                \
end:                          \
	ADDQ   R8, SI

// STREAM is the body of the kernels of rows that come from memory with one row x: one row
// after the other, so that a is a single stream. Several streams at once, or prefetches
// into the first-level cache, which can wait for few lines, read half as fast. A row's sum
// waits for each addition, but memory is slower than that.
//
//	DI dst   SI a's row, its end   R8 a's row, bytes   DX x, its end
//	AX -cols   CX columns up to the end, negative   BX tiles of 4 rows left
//	Z0…Z3 sums   Z4, Z5 a
#define STREAM(LOAD, FETCH, W)  \
	MOVL  $0x1111, R10          \
	KMOVW R10, K1               \
	LEAQ  (AX*W), R8            \
	ADDQ  R8, SI                \
	LEAQ  (DX)(AX*4), DX        \
	NEGQ  AX                    \
tile:                         \
	ROW(LOAD, FETCH, W, pairs0, end0, Z0) \
	ROW(LOAD, FETCH, W, pairs1, end1, Z1) \
	ROW(LOAD, FETCH, W, pairs2, end2, Z2) \
	ROW(LOAD, FETCH, W, pairs3, end3, Z3) \
	FOLDROWS(Z0, Z1, Z2, Z3, Z16) \
	ADDQ  $16, DI               \
	DECQ  BX                    \
	JNZ   tile                  \
	VZEROUPPER                  \
	RET

// What is fetched goes to the second-level cache.

#define FETCH2 \
	PREFETCHT1 6144(SI)(CX*2)

#define FETCH4 \
	PREFETCHT1 4096(SI)(CX*4) \
	PREFETCHT1 4160(SI)(CX*4)

// func streamF32AVX512(dst, a, x *float32, cols, tiles int)
TEXT ·streamF32AVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ cols+24(FP), AX
	MOVQ tiles+32(FP), BX
	STREAM(LOADF32, FETCH4, 4)

// func streamBF16AVX512(dst *float32, a *byte, x *float32, cols, tiles int)
TEXT ·streamBF16AVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ cols+24(FP), AX
	MOVQ tiles+32(FP), BX
	STREAM(LOADBF16, FETCH2, 2)

// func streamF16AVX512(dst *float32, a *byte, x *float32, cols, tiles int)
TEXT ·streamF16AVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ cols+24(FP), AX
	MOVQ tiles+32(FP), BX
	STREAM(LOADF16, FETCH2, 2)
