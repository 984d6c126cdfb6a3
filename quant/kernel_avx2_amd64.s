//go:build amd64 && !purego

#include "textflag.h"

// Kernels for AVX2.

// AHEAD is how many bytes after the weights at hand others are fetched: four rows, so that
// all columns of the next four come while these are multiplied, and no less than memory
// needs time for.
#define AHEAD 8192

// ROW multiplies 16 columns of a row in two groups.
#define ROW(row, a0, a1) \
	VPMOVZXBW (row), Y10;         \
	VPMOVZXBW (row)(R12*1), Y11;  \
	VPMADDWD  Y8, Y10, Y10;       \
	VPMADDWD  Y9, Y11, Y11;       \
	VPADDD    Y10, a0, a0;        \
	VPADDD    Y11, a1, a1;        \
	ADDQ      $16, row

// FOLD_ROWS adds neighbouring lanes of the sums of four rows, until each half of a0 has a
// sum of every row.
#define FOLD_ROWS(a0, a1, a2, a3) \
	VPUNPCKLDQ  a1, a0, Y8;    \
	VPUNPCKHDQ  a1, a0, Y9;    \
	VPUNPCKLDQ  a3, a2, Y10;   \
	VPUNPCKHDQ  a3, a2, Y11;   \
	VPADDD      Y9, Y8, Y8;    \
	VPADDD      Y11, Y10, Y10; \
	VPUNPCKLQDQ Y10, Y8, Y9;   \
	VPUNPCKHQDQ Y10, Y8, Y11;  \
	VPADDD      Y11, Y9, a0

// func rowsAVX2(dst *float32, w *byte, stride, group, groups int, x *int16, sums *int32, sx, sw *float32, quads int)
//
// Two groups of four rows at a time: 8 sums of 8 lanes, 16 columns a step. Then rows fold
// within the halves of a register, and the groups' halves are brought together, so that one
// register has [2 groups][4 rows]; its halves are scaled at once and added in order. A
// remaining group goes alone.
//
//	R8 … R11   rows of weights       R12  group
//	SI  x      BX  sums    CX  sx    DX  sw        R15  dst
//	DI  weights to fetch             AX  groups left       R14  columns left
//	Y0 … Y7    sums, [2 groups][4 rows]
//	Y8, Y9     x                     Y10, Y11  weights, then what is folded
//	X15  results
TEXT ·rowsAVX2(SB), NOSPLIT, $0-80
	MOVQ dst+0(FP), R15
	MOVQ w+8(FP), R8
	MOVQ stride+16(FP), AX
	LEAQ (R8)(AX*1), R9
	LEAQ (R9)(AX*1), R10
	LEAQ (R10)(AX*1), R11
	MOVQ group+24(FP), R12
	MOVQ sw+64(FP), DX
	LEAQ (AX)(AX*2), DI
	ADDQ AX, DI
	CMPQ DI, $AHEAD
	JGE  ahead
	MOVQ $AHEAD, DI

ahead:
	ADDQ R8, DI

quad:
	MOVQ   groups+32(FP), AX
	MOVQ   x+40(FP), SI
	MOVQ   sums+48(FP), BX
	MOVQ   sx+56(FP), CX
	VXORPS X15, X15, X15
	SUBQ   $2, AX
	JLT    rest

two:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	MOVQ  R12, R14

twoColumns:
	VMOVDQU    (SI), Y8
	VMOVDQU    (SI)(R12*2), Y9
	PREFETCHT0 (DI)
	PREFETCHT0 64(DI)
	ROW(R8, Y0, Y4)
	ROW(R9, Y1, Y5)
	ROW(R10, Y2, Y6)
	ROW(R11, Y3, Y7)
	ADDQ $32, SI
	ADDQ $128, DI
	SUBQ $16, R14
	JNZ  twoColumns

	LEAQ (SI)(R12*2), SI
	ADDQ R12, R8
	ADDQ R12, R9
	ADDQ R12, R10
	ADDQ R12, R11

	FOLD_ROWS(Y0, Y1, Y2, Y3)
	FOLD_ROWS(Y4, Y5, Y6, Y7)
	VPERM2I128 $0x20, Y4, Y0, Y1
	VPERM2I128 $0x31, Y4, Y0, Y2
	VPADDD     Y2, Y1, Y0

	VPBROADCASTD (BX), X8
	VPBROADCASTD 4(BX), X9
	VINSERTI128  $1, X9, Y8, Y8
	VPSLLD       $7, Y8, Y8
	VPSUBD       Y8, Y0, Y0
	VBROADCASTSS (CX), X8
	VBROADCASTSS 4(CX), X9
	VINSERTF128  $1, X9, Y8, Y8
	VMULPS       (DX), Y8, Y8
	VCVTDQ2PS    Y0, Y0
	VMULPS       Y8, Y0, Y0
	VADDPS       X0, X15, X15
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X15, X15
	ADDQ         $8, BX
	ADDQ         $8, CX
	ADDQ         $32, DX
	SUBQ         $2, AX
	JGE          two

rest:
	ADDQ  $2, AX
	JZ    done
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ  R12, R14

oneColumns:
	PREFETCHT0 (DI)
	VMOVDQU    (SI), Y8
	VPMOVZXBW  (R8), Y4
	VPMOVZXBW  (R9), Y5
	VPMOVZXBW  (R10), Y6
	VPMOVZXBW  (R11), Y7
	VPMADDWD   Y8, Y4, Y4
	VPMADDWD   Y8, Y5, Y5
	VPMADDWD   Y8, Y6, Y6
	VPMADDWD   Y8, Y7, Y7
	VPADDD     Y4, Y0, Y0
	VPADDD     Y5, Y1, Y1
	VPADDD     Y6, Y2, Y2
	VPADDD     Y7, Y3, Y3
	ADDQ       $16, R8
	ADDQ       $16, R9
	ADDQ       $16, R10
	ADDQ       $16, R11
	ADDQ       $32, SI
	ADDQ       $64, DI
	SUBQ       $16, R14
	JNZ        oneColumns

	FOLD_ROWS(Y0, Y1, Y2, Y3)
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPBROADCASTD (BX), X8
	VPSLLD       $7, X8, X8
	VPSUBD       X8, X0, X0
	VBROADCASTSS (CX), X8
	VMULPS       (DX), X8, X8
	VCVTDQ2PS    X0, X0
	VMULPS       X8, X0, X0
	VADDPS       X0, X15, X15
	ADDQ         $16, DX

done:
	VMOVUPS    X15, (R15)
	ADDQ       $16, R15
	MOVQ       stride+16(FP), AX
	LEAQ       (AX)(AX*2), AX
	ADDQ       AX, R8
	ADDQ       AX, R9
	ADDQ       AX, R10
	ADDQ       AX, R11
	DECQ       quads+72(FP)
	JNZ        quad
	VZEROUPPER
	RET

// DOT multiplies a row's two weights of a step with the tile.
#define DOT(w, a0, a1) \
	VPBROADCASTD w, Y10;       \
	VPMADDWD     Y8, Y10, Y11; \
	VPMADDWD     Y9, Y10, Y12; \
	VPADDD       Y11, a0, a0;  \
	VPADDD       Y12, a1, a1

// SCALE adds a row's dots with the tile, scaled, to its results.
#define SCALE(row, a0, a1) \
	VBROADCASTSS (4*row)(R8), Y10;      \
	VMULPS       Y8, Y10, Y11;          \
	VMULPS       Y9, Y10, Y12;          \
	VCVTDQ2PS    a0, a0;                \
	VCVTDQ2PS    a1, a1;                \
	VMULPS       Y11, a0, a0;           \
	VMULPS       Y12, a1, a1;           \
	VADDPS       (64*row)(DI), a0, a0;  \
	VADDPS       (64*row+32)(DI), a1, a1; \
	VMOVUPS      a0, (64*row)(DI);      \
	VMOVUPS      a1, (64*row+32)(DI)

// func tile1AVX2(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)
//
// A group of four rows at a time with 16 tokens: 8 sums, each a row's with 8 tokens, that
// start at the biases. A step is two columns.
//
//	DI  acc       SI  x          DX  w           R8  sw       R9  sx     R10  bias
//	R11 steps     R15 3·steps    R12 wStride     R13 swStride
//	AX  quads left               R14 x of a step              BX  w of a step
//	CX  steps left
//	Y0 … Y7  sums, [4 rows][2 times 8 tokens]
//	Y8, Y9   x, then sx          Y10 … Y12  weights and products, then scales
TEXT ·tile1AVX2(SB), NOSPLIT, $0-80
	MOVQ acc+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ w+16(FP), DX
	MOVQ sw+24(FP), R8
	MOVQ sx+32(FP), R9
	MOVQ bias+40(FP), R10
	MOVQ steps+48(FP), R11
	MOVQ quads+56(FP), AX
	MOVQ wStride+64(FP), R12
	MOVQ swStride+72(FP), R13
	LEAQ (R11)(R11*2), R15

quad:
	VMOVDQU (R10), Y0
	VMOVDQU 32(R10), Y1
	VMOVDQA Y0, Y2
	VMOVDQA Y1, Y3
	VMOVDQA Y0, Y4
	VMOVDQA Y1, Y5
	VMOVDQA Y0, Y6
	VMOVDQA Y1, Y7
	MOVQ    SI, R14
	MOVQ    DX, BX
	MOVQ    R11, CX

step:
	VMOVDQU (R14), Y8
	VMOVDQU 32(R14), Y9
	DOT((BX), Y0, Y1)
	DOT((BX)(R11*4), Y2, Y3)
	DOT((BX)(R11*8), Y4, Y5)
	DOT((BX)(R15*4), Y6, Y7)
	ADDQ $64, R14
	ADDQ $4, BX
	DECQ CX
	JNZ  step

	VMOVUPS (R9), Y8
	VMOVUPS 32(R9), Y9
	SCALE(0, Y0, Y1)
	SCALE(1, Y2, Y3)
	SCALE(2, Y4, Y5)
	SCALE(3, Y6, Y7)
	ADDQ       $256, DI
	ADDQ       R12, DX
	ADDQ       R13, R8
	DECQ       AX
	JNZ        quad
	VZEROUPPER
	RET
