//go:build amd64 && !purego

#include "textflag.h"

// Kernels for AVX2.

// AHEAD is how many bytes after the weights at hand others are fetched, into the second-level
// cache: more can be on the way to it than to the first.
#define AHEAD 12288

// FOUR multiplies 16 columns of four groups of weights with those of x.
#define FOUR(w, x, a0, a1, a2, a3) \
	VPMOVZXBW (w), Y8;               \
	VPMOVZXBW (w)(R12*1), Y9;        \
	VPMOVZXBW (w)(R12*2), Y10;       \
	VPMOVZXBW (w)(R13*1), Y11;       \
	VPMADDWD  (x), Y8, Y8;           \
	VPMADDWD  (x)(R12*2), Y9, Y9;    \
	VPMADDWD  (x)(R12*4), Y10, Y10;  \
	VPMADDWD  (x)(R13*2), Y11, Y11;  \
	VPADDD    Y8, a0, a0;            \
	VPADDD    Y9, a1, a1;            \
	VPADDD    Y10, a2, a2;           \
	VPADDD    Y11, a3, a3;           \
	ADDQ      $16, w;                \
	ADDQ      $32, x

// FOLD_FOUR adds neighbouring lanes of four sums, until each half of a0 has a part of every
// sum.
#define FOLD_FOUR(a0, a1, a2, a3) \
	VPUNPCKLDQ  a1, a0, Y8;    \
	VPUNPCKHDQ  a1, a0, Y9;    \
	VPUNPCKLDQ  a3, a2, Y10;   \
	VPUNPCKHDQ  a3, a2, Y11;   \
	VPADDD      Y9, Y8, Y8;    \
	VPADDD      Y11, Y10, Y10; \
	VPUNPCKLQDQ Y10, Y8, Y9;   \
	VPUNPCKHQDQ Y10, Y8, Y11;  \
	VPADDD      Y11, Y9, a0

// func termsAVX2(dst *float32, w *byte, n, group int, x *int16, bias *int32, sx, sw *float32, groups, step int)
//
// Eight groups at a time, one sum of 8 lanes each, 16 columns a step. The sums are folded
// together until one register has the groups' dots.
//
//	R8, R9  w of four groups each    R12, R13  group, 3·group
//	AX, BX  x of four groups each    R14       the first group's number in x
//	SI  columns left    R15  groups left    DI  dst    R10  sw    CX  weights to fetch
//	Y0 … Y7  sums       Y8 … Y11  weights, then what is folded
TEXT ·termsAVX2(SB), NOSPLIT, $0-80
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ n+16(FP), R15
	MOVQ group+24(FP), R12
	LEAQ (R12)(R12*2), R13
	MOVQ sw+56(FP), R10
	LEAQ AHEAD(R8), CX
	XORL R14, R14

eight:
	MOVQ  R14, AX
	IMULQ R12, AX
	ADDQ  AX, AX
	ADDQ  x+32(FP), AX
	LEAQ  (AX)(R12*8), BX
	LEAQ  (R8)(R12*4), R9
	MOVQ  R12, SI
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7

columns:
	PREFETCHT1 (CX)
	PREFETCHT1 64(CX)
	FOUR(R8, AX, Y0, Y1, Y2, Y3)
	FOUR(R9, BX, Y4, Y5, Y6, Y7)
	ADDQ $128, CX
	SUBQ $16, SI
	JNZ  columns

	LEAQ (R9)(R13*1), R8
	FOLD_FOUR(Y0, Y1, Y2, Y3)
	FOLD_FOUR(Y4, Y5, Y6, Y7)
	VPERM2I128 $0x20, Y4, Y0, Y1
	VPERM2I128 $0x31, Y4, Y0, Y2
	VPADDD     Y2, Y1, Y0

	MOVQ      bias+40(FP), AX
	MOVQ      sx+48(FP), BX
	VPADDD    (AX)(R14*4), Y0, Y0
	VMOVUPS   (BX)(R14*4), Y1
	VMULPS    (R10), Y1, Y1
	VCVTDQ2PS Y0, Y0
	VMULPS    Y1, Y0, Y0
	VMOVUPS   Y0, (DI)
	ADDQ      $32, DI
	ADDQ      $32, R10
	ADDQ      step+72(FP), R14
	CMPQ      R14, groups+64(FP)
	JLT       next
	SUBQ      groups+64(FP), R14

next:
	SUBQ $8, R15
	JZ   done
	CMPQ R15, $8
	JGE  eight

	// Fewer than eight are left: go back to have as many.
	MOVQ  $8, AX
	SUBQ  R15, AX
	SUBQ  AX, R14
	MOVQ  AX, BX
	IMULQ R12, BX
	SUBQ  BX, R8
	SHLQ  $2, AX
	SUBQ  AX, DI
	SUBQ  AX, R10
	MOVQ  $8, R15

wrap:
	TESTQ R14, R14
	JGE   eight
	ADDQ  groups+64(FP), R14
	JMP   wrap

done:
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
