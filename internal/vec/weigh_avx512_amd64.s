//go:build amd64 && !purego

#include "textflag.h"

// Sums of rows of v by weights, rows in order: bit for bit those of weighGeneric. Sums stay
// in registers over all rows; a product is rounded before it is added (VMULPS, VADDPS). Rows
// some 4 KB ahead are prefetched.

// MULADD adds x*y to sum.
#define MULADD(x, y, product, sum) \
	VMULPS x, y, product \
	VADDPS product, sum, sum

// WEIGH4 adds the four vectors of the row in Z16…Z19, times the weight at w, to s0…s3.
#define WEIGH4(w, s0, s1, s2, s3) \
	VBROADCASTSS w, Z20 \
	MULADD(Z16, Z20, Z21, s0) \
	MULADD(Z17, Z20, Z22, s1) \
	MULADD(Z18, Z20, Z23, s2) \
	MULADD(Z19, Z20, Z24, s3)

// func weigh1x64AVX512(dst, w, v *float32, cols, n int)
//
// dst[0…63] += Σ w[i] * v[i][0…63] for i < n; rows of v have cols values.
//
//	DI dst   R8 w   SI v   R10 cols, bytes   CX rows left
//	Z0…Z3 sums   Z16…Z19 v   Z20 weight   Z21…Z24 products
TEXT ·weigh1x64AVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ v+16(FP), SI
	MOVQ cols+24(FP), R10
	SHLQ $2, R10
	MOVQ n+32(FP), CX
	VMOVUPS (DI), Z0
	VMOVUPS 64(DI), Z1
	VMOVUPS 128(DI), Z2
	VMOVUPS 192(DI), Z3

loop:
	VMOVUPS (SI), Z16
	VMOVUPS 64(SI), Z17
	VMOVUPS 128(SI), Z18
	VMOVUPS 192(SI), Z19
	PREFETCHT0 4096(SI)
	PREFETCHT0 4160(SI)
	PREFETCHT0 4224(SI)
	PREFETCHT0 4288(SI)
	WEIGH4((R8), Z0, Z1, Z2, Z3)
	ADDQ $4, R8
	ADDQ R10, SI
	DECQ CX
	JNZ  loop

	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	VZEROUPPER
	RET

// func weigh4x64AVX512(dst, w *float32, stride int, v *float32, cols, n int)
//
// The same for 4 rows of dst, of cols values, with 4 rows of weights, stride apart.
//
//	DI dst   R8 w   R9 stride, bytes   R12 3*stride   SI v   R10 cols, bytes   CX rows left
//	R11 3*cols, bytes
//	Z0…Z15 sums, four for a row   Z16…Z19 v   Z20 weight   Z21…Z24 products
TEXT ·weigh4x64AVX512(SB), NOSPLIT, $0-48
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
	VMOVUPS (DI), Z0
	VMOVUPS 64(DI), Z1
	VMOVUPS 128(DI), Z2
	VMOVUPS 192(DI), Z3
	VMOVUPS (DI)(R10*1), Z4
	VMOVUPS 64(DI)(R10*1), Z5
	VMOVUPS 128(DI)(R10*1), Z6
	VMOVUPS 192(DI)(R10*1), Z7
	VMOVUPS (DI)(R10*2), Z8
	VMOVUPS 64(DI)(R10*2), Z9
	VMOVUPS 128(DI)(R10*2), Z10
	VMOVUPS 192(DI)(R10*2), Z11
	VMOVUPS (DI)(R11*1), Z12
	VMOVUPS 64(DI)(R11*1), Z13
	VMOVUPS 128(DI)(R11*1), Z14
	VMOVUPS 192(DI)(R11*1), Z15

loop:
	VMOVUPS (SI), Z16
	VMOVUPS 64(SI), Z17
	VMOVUPS 128(SI), Z18
	VMOVUPS 192(SI), Z19
	PREFETCHT0 4096(SI)
	PREFETCHT0 4160(SI)
	PREFETCHT0 4224(SI)
	PREFETCHT0 4288(SI)
	WEIGH4((R8), Z0, Z1, Z2, Z3)
	WEIGH4((R8)(R9*1), Z4, Z5, Z6, Z7)
	WEIGH4((R8)(R9*2), Z8, Z9, Z10, Z11)
	WEIGH4((R8)(R12*1), Z12, Z13, Z14, Z15)
	ADDQ $4, R8
	ADDQ R10, SI
	DECQ CX
	JNZ  loop

	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	VMOVUPS Z4, (DI)(R10*1)
	VMOVUPS Z5, 64(DI)(R10*1)
	VMOVUPS Z6, 128(DI)(R10*1)
	VMOVUPS Z7, 192(DI)(R10*1)
	VMOVUPS Z8, (DI)(R10*2)
	VMOVUPS Z9, 64(DI)(R10*2)
	VMOVUPS Z10, 128(DI)(R10*2)
	VMOVUPS Z11, 192(DI)(R10*2)
	VMOVUPS Z12, (DI)(R11*1)
	VMOVUPS Z13, 64(DI)(R11*1)
	VMOVUPS Z14, 128(DI)(R11*1)
	VMOVUPS Z15, 192(DI)(R11*1)
	VZEROUPPER
	RET
