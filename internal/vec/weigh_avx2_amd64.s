//go:build amd64 && !purego

#include "textflag.h"

// Sums of rows of v by weights, rows in order: bit for bit those of weighGeneric. Sums stay
// in registers over all rows; a product is rounded before it is added (VMULPS, VADDPS). Rows
// some 4 KB ahead are prefetched.

// MULADD adds x*y to sum.
#define MULADD(x, y, product, sum) \
	VMULPS x, y, product \
	VADDPS product, sum, sum

// WEIGH2 adds the vectors Y12, Y13, times the weight at w, to s0 and s1.
#define WEIGH2(w, s0, s1) \
	VBROADCASTSS w, Y14 \
	MULADD(Y12, Y14, Y15, s0) \
	MULADD(Y13, Y14, Y14, s1)

// func weigh1x16AVX2(dst, w, v *float32, cols, n int)
//
// dst[0…15] += Σ w[i] * v[i][0…15] for i < n; rows of v have cols values.
//
//	DI dst   R8 w   SI v   R10 cols, bytes   CX rows left
//	Y0, Y1 sums   Y12, Y13 v   Y14 weight   Y14, Y15 products
TEXT ·weigh1x16AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ v+16(FP), SI
	MOVQ cols+24(FP), R10
	SHLQ $2, R10
	MOVQ n+32(FP), CX
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1

loop:
	VMOVUPS (SI), Y12
	VMOVUPS 32(SI), Y13
	PREFETCHT0 4096(SI)
	WEIGH2((R8), Y0, Y1)
	ADDQ $4, R8
	ADDQ R10, SI
	DECQ CX
	JNZ  loop

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VZEROUPPER
	RET

// func weigh1x64AVX2(dst, w, v *float32, cols, n int)
//
// The same for 64 values.
//
//	DI dst   R8 w   SI v   R10 cols, bytes   CX rows left
//	Y0…Y7 sums   Y8 weight   Y9…Y12 products
TEXT ·weigh1x64AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ v+16(FP), SI
	MOVQ cols+24(FP), R10
	SHLQ $2, R10
	MOVQ n+32(FP), CX
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS 128(DI), Y4
	VMOVUPS 160(DI), Y5
	VMOVUPS 192(DI), Y6
	VMOVUPS 224(DI), Y7

loop:
	VBROADCASTSS (R8), Y8
	PREFETCHT0 4096(SI)
	PREFETCHT0 4160(SI)
	PREFETCHT0 4224(SI)
	PREFETCHT0 4288(SI)
	MULADD((SI), Y8, Y9, Y0)
	MULADD(32(SI), Y8, Y10, Y1)
	MULADD(64(SI), Y8, Y11, Y2)
	MULADD(96(SI), Y8, Y12, Y3)
	MULADD(128(SI), Y8, Y9, Y4)
	MULADD(160(SI), Y8, Y10, Y5)
	MULADD(192(SI), Y8, Y11, Y6)
	MULADD(224(SI), Y8, Y12, Y7)
	ADDQ $4, R8
	ADDQ R10, SI
	DECQ CX
	JNZ  loop

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	VZEROUPPER
	RET

// func weigh4x16AVX2(dst, w *float32, stride int, v *float32, cols, n int)
//
// The same for 16 values of 4 rows of dst, of cols values, with 4 rows of weights, stride
// apart.
//
//	DI dst   R8 w   R9 stride, bytes   R12 3*stride   SI v   R10 cols, bytes   CX rows left
//	R11 3*cols, bytes
//	Y0…Y7 sums, two for a row   Y12, Y13 v   Y14 weight   Y14, Y15 products
TEXT ·weigh4x16AVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ stride+16(FP), R9
	SHLQ $2, R9
	LEAQ (R9)(R9*2), R12
	MOVQ v+24(FP), SI
	MOVQ cols+32(FP), R10
	SHLQ $2, R10
	LEAQ (R10)(R10*2), R11
	MOVQ n+40(FP), CX
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS (DI)(R10*1), Y2
	VMOVUPS 32(DI)(R10*1), Y3
	VMOVUPS (DI)(R10*2), Y4
	VMOVUPS 32(DI)(R10*2), Y5
	VMOVUPS (DI)(R11*1), Y6
	VMOVUPS 32(DI)(R11*1), Y7

loop:
	VMOVUPS (SI), Y12
	VMOVUPS 32(SI), Y13
	PREFETCHT0 4096(SI)
	WEIGH2((R8), Y0, Y1)
	WEIGH2((R8)(R9*1), Y2, Y3)
	WEIGH2((R8)(R9*2), Y4, Y5)
	WEIGH2((R8)(R12*1), Y6, Y7)
	ADDQ $4, R8
	ADDQ R10, SI
	DECQ CX
	JNZ  loop

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, (DI)(R10*1)
	VMOVUPS Y3, 32(DI)(R10*1)
	VMOVUPS Y4, (DI)(R10*2)
	VMOVUPS Y5, 32(DI)(R10*2)
	VMOVUPS Y6, (DI)(R11*1)
	VMOVUPS Y7, 32(DI)(R11*1)
	VZEROUPPER
	RET
