//go:build amd64 && !purego

#include "textflag.h"

// Sums of rows of halves or bytes by weights: the kernels of weigh_avx512_amd64.s and
// weigh_avx2_amd64.s, but that values are widened when they are loaded; and three sums
// together, for float32 too. LOAD(from, to) widens a register's values; W is the size of one.

#define LOADF32(from, to) \
	VMOVUPS from, to

#define LOADF16(from, to) \
	VCVTPH2PS from, to

#define LOADI8(from, to) \
	VPMOVSXBD from, to \
	VCVTDQ2PS to, to

// What follows a row's first cache line 4 KB ahead.
#define FETCHF32 \
	PREFETCHT0 4160(SI) \
	PREFETCHT0 4224(SI) \
	PREFETCHT0 4288(SI)

#define FETCHF16 \
	PREFETCHT0 4160(SI)

#define FETCHI8

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

// ROW64 loads 64 values and prefetches those 4 KB ahead.
#define ROW64(LOAD, W, FETCH) \
	LOAD((SI), Z16) \
	LOAD((16*W)(SI), Z17) \
	LOAD((32*W)(SI), Z18) \
	LOAD((48*W)(SI), Z19) \
	PREFETCHT0 4096(SI) \
	FETCH

// WEIGH1X64 adds to 64 values of dst.
//
//	DI dst   R8 w   SI v   R10 cols, bytes   CX rows left
//	Z0…Z3 sums   Z16…Z19 v   Z20 weight   Z21…Z24 products
#define WEIGH1X64(LOAD, W, FETCH) \
	IMULQ $W, R10 \
	VMOVUPS (DI), Z0 \
	VMOVUPS 64(DI), Z1 \
	VMOVUPS 128(DI), Z2 \
	VMOVUPS 192(DI), Z3 \
loop: \
	ROW64(LOAD, W, FETCH) \
	WEIGH4((R8), Z0, Z1, Z2, Z3) \
	ADDQ $4, R8 \
	ADDQ R10, SI \
	DECQ CX \
	JNZ  loop \
	VMOVUPS Z0, (DI) \
	VMOVUPS Z1, 64(DI) \
	VMOVUPS Z2, 128(DI) \
	VMOVUPS Z3, 192(DI) \
	VZEROUPPER \
	RET

// func weigh1x64F16AVX512(dst, w *float32, v *uint16, cols, n int)
TEXT ·weigh1x64F16AVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ v+16(FP), SI
	MOVQ cols+24(FP), R10
	MOVQ n+32(FP), CX
	WEIGH1X64(LOADF16, 2, FETCHF16)

// func weigh1x64I8AVX512(dst, w *float32, v *int8, cols, n int)
TEXT ·weigh1x64I8AVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ v+16(FP), SI
	MOVQ cols+24(FP), R10
	MOVQ n+32(FP), CX
	WEIGH1X64(LOADI8, 1, FETCHI8)

// WEIGH4X64 adds to 64 values of 4 rows of dst, with 4 rows of weights, stride apart.
//
//	DI dst   R11 dst's row, bytes   R13 3 of them   R8 w   R9 stride, bytes   R12 3*stride
//	SI v   R10 cols, bytes   CX rows left
//	Z0…Z15 sums, four for a row   Z16…Z19 v   Z20 weight   Z21…Z24 products
#define WEIGH4X64(LOAD, W, FETCH) \
	SHLQ $2, R9 \
	LEAQ (R9)(R9*2), R12 \
	LEAQ (R10*4), R11 \
	LEAQ (R11)(R11*2), R13 \
	IMULQ $W, R10 \
	VMOVUPS (DI), Z0 \
	VMOVUPS 64(DI), Z1 \
	VMOVUPS 128(DI), Z2 \
	VMOVUPS 192(DI), Z3 \
	VMOVUPS (DI)(R11*1), Z4 \
	VMOVUPS 64(DI)(R11*1), Z5 \
	VMOVUPS 128(DI)(R11*1), Z6 \
	VMOVUPS 192(DI)(R11*1), Z7 \
	VMOVUPS (DI)(R11*2), Z8 \
	VMOVUPS 64(DI)(R11*2), Z9 \
	VMOVUPS 128(DI)(R11*2), Z10 \
	VMOVUPS 192(DI)(R11*2), Z11 \
	VMOVUPS (DI)(R13*1), Z12 \
	VMOVUPS 64(DI)(R13*1), Z13 \
	VMOVUPS 128(DI)(R13*1), Z14 \
	VMOVUPS 192(DI)(R13*1), Z15 \
loop: \
	ROW64(LOAD, W, FETCH) \
	WEIGH4((R8), Z0, Z1, Z2, Z3) \
	WEIGH4((R8)(R9*1), Z4, Z5, Z6, Z7) \
	WEIGH4((R8)(R9*2), Z8, Z9, Z10, Z11) \
	WEIGH4((R8)(R12*1), Z12, Z13, Z14, Z15) \
	ADDQ $4, R8 \
	ADDQ R10, SI \
	DECQ CX \
	JNZ  loop \
	VMOVUPS Z0, (DI) \
	VMOVUPS Z1, 64(DI) \
	VMOVUPS Z2, 128(DI) \
	VMOVUPS Z3, 192(DI) \
	VMOVUPS Z4, (DI)(R11*1) \
	VMOVUPS Z5, 64(DI)(R11*1) \
	VMOVUPS Z6, 128(DI)(R11*1) \
	VMOVUPS Z7, 192(DI)(R11*1) \
	VMOVUPS Z8, (DI)(R11*2) \
	VMOVUPS Z9, 64(DI)(R11*2) \
	VMOVUPS Z10, 128(DI)(R11*2) \
	VMOVUPS Z11, 192(DI)(R11*2) \
	VMOVUPS Z12, (DI)(R13*1) \
	VMOVUPS Z13, 64(DI)(R13*1) \
	VMOVUPS Z14, 128(DI)(R13*1) \
	VMOVUPS Z15, 192(DI)(R13*1) \
	VZEROUPPER \
	RET

// func weigh4x64F16AVX512(dst, w *float32, stride int, v *uint16, cols, n int)
TEXT ·weigh4x64F16AVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ stride+16(FP), R9
	MOVQ v+24(FP), SI
	MOVQ cols+32(FP), R10
	MOVQ n+40(FP), CX
	WEIGH4X64(LOADF16, 2, FETCHF16)

// func weigh4x64I8AVX512(dst, w *float32, stride int, v *int8, cols, n int)
TEXT ·weigh4x64I8AVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ stride+16(FP), R9
	MOVQ v+24(FP), SI
	MOVQ cols+32(FP), R10
	MOVQ n+40(FP), CX
	WEIGH4X64(LOADI8, 1, FETCHI8)

// WEIGH3X64 is WEIGH4X64 for 3 rows.
#define WEIGH3X64(LOAD, W, FETCH) \
	SHLQ $2, R9 \
	LEAQ (R10*4), R11 \
	IMULQ $W, R10 \
	VMOVUPS (DI), Z0 \
	VMOVUPS 64(DI), Z1 \
	VMOVUPS 128(DI), Z2 \
	VMOVUPS 192(DI), Z3 \
	VMOVUPS (DI)(R11*1), Z4 \
	VMOVUPS 64(DI)(R11*1), Z5 \
	VMOVUPS 128(DI)(R11*1), Z6 \
	VMOVUPS 192(DI)(R11*1), Z7 \
	VMOVUPS (DI)(R11*2), Z8 \
	VMOVUPS 64(DI)(R11*2), Z9 \
	VMOVUPS 128(DI)(R11*2), Z10 \
	VMOVUPS 192(DI)(R11*2), Z11 \
loop: \
	ROW64(LOAD, W, FETCH) \
	WEIGH4((R8), Z0, Z1, Z2, Z3) \
	WEIGH4((R8)(R9*1), Z4, Z5, Z6, Z7) \
	WEIGH4((R8)(R9*2), Z8, Z9, Z10, Z11) \
	ADDQ $4, R8 \
	ADDQ R10, SI \
	DECQ CX \
	JNZ  loop \
	VMOVUPS Z0, (DI) \
	VMOVUPS Z1, 64(DI) \
	VMOVUPS Z2, 128(DI) \
	VMOVUPS Z3, 192(DI) \
	VMOVUPS Z4, (DI)(R11*1) \
	VMOVUPS Z5, 64(DI)(R11*1) \
	VMOVUPS Z6, 128(DI)(R11*1) \
	VMOVUPS Z7, 192(DI)(R11*1) \
	VMOVUPS Z8, (DI)(R11*2) \
	VMOVUPS Z9, 64(DI)(R11*2) \
	VMOVUPS Z10, 128(DI)(R11*2) \
	VMOVUPS Z11, 192(DI)(R11*2) \
	VZEROUPPER \
	RET

// func weigh3x64F32AVX512(dst, w *float32, stride int, v *float32, cols, n int)
TEXT ·weigh3x64F32AVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ stride+16(FP), R9
	MOVQ v+24(FP), SI
	MOVQ cols+32(FP), R10
	MOVQ n+40(FP), CX
	WEIGH3X64(LOADF32, 4, FETCHF32)

// func weigh3x64F16AVX512(dst, w *float32, stride int, v *uint16, cols, n int)
TEXT ·weigh3x64F16AVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ stride+16(FP), R9
	MOVQ v+24(FP), SI
	MOVQ cols+32(FP), R10
	MOVQ n+40(FP), CX
	WEIGH3X64(LOADF16, 2, FETCHF16)

// func weigh3x64I8AVX512(dst, w *float32, stride int, v *int8, cols, n int)
TEXT ·weigh3x64I8AVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ stride+16(FP), R9
	MOVQ v+24(FP), SI
	MOVQ cols+32(FP), R10
	MOVQ n+40(FP), CX
	WEIGH3X64(LOADI8, 1, FETCHI8)

// WEIGH2 adds the vectors Y12, Y13, times the weight at w, to s0 and s1.
#define WEIGH2(w, s0, s1) \
	VBROADCASTSS w, Y14 \
	MULADD(Y12, Y14, Y15, s0) \
	MULADD(Y13, Y14, Y14, s1)

// WEIGH1X16 adds to 16 values of dst.
//
//	DI dst   R8 w   SI v   R10 cols, bytes   CX rows left
//	Y0, Y1 sums   Y12, Y13 v   Y14 weight   Y14, Y15 products
#define WEIGH1X16(LOAD, W) \
	IMULQ $W, R10 \
	VMOVUPS (DI), Y0 \
	VMOVUPS 32(DI), Y1 \
loop: \
	LOAD((SI), Y12) \
	LOAD((8*W)(SI), Y13) \
	PREFETCHT0 4096(SI) \
	WEIGH2((R8), Y0, Y1) \
	ADDQ $4, R8 \
	ADDQ R10, SI \
	DECQ CX \
	JNZ  loop \
	VMOVUPS Y0, (DI) \
	VMOVUPS Y1, 32(DI) \
	VZEROUPPER \
	RET

// func weigh1x16F16AVX2(dst, w *float32, v *uint16, cols, n int)
TEXT ·weigh1x16F16AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ v+16(FP), SI
	MOVQ cols+24(FP), R10
	MOVQ n+32(FP), CX
	WEIGH1X16(LOADF16, 2)

// func weigh1x16I8AVX2(dst, w *float32, v *int8, cols, n int)
TEXT ·weigh1x16I8AVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ v+16(FP), SI
	MOVQ cols+24(FP), R10
	MOVQ n+32(FP), CX
	WEIGH1X16(LOADI8, 1)

// WEIGH4X16 adds to 16 values of 4 rows of dst; registers as in WEIGH4X64, but for
//
//	Y0…Y7 sums, two for a row   Y12, Y13 v   Y14 weight   Y14, Y15 products
#define WEIGH4X16(LOAD, W) \
	SHLQ $2, R9 \
	LEAQ (R9)(R9*2), R12 \
	LEAQ (R10*4), R11 \
	LEAQ (R11)(R11*2), R13 \
	IMULQ $W, R10 \
	VMOVUPS (DI), Y0 \
	VMOVUPS 32(DI), Y1 \
	VMOVUPS (DI)(R11*1), Y2 \
	VMOVUPS 32(DI)(R11*1), Y3 \
	VMOVUPS (DI)(R11*2), Y4 \
	VMOVUPS 32(DI)(R11*2), Y5 \
	VMOVUPS (DI)(R13*1), Y6 \
	VMOVUPS 32(DI)(R13*1), Y7 \
loop: \
	LOAD((SI), Y12) \
	LOAD((8*W)(SI), Y13) \
	PREFETCHT0 4096(SI) \
	WEIGH2((R8), Y0, Y1) \
	WEIGH2((R8)(R9*1), Y2, Y3) \
	WEIGH2((R8)(R9*2), Y4, Y5) \
	WEIGH2((R8)(R12*1), Y6, Y7) \
	ADDQ $4, R8 \
	ADDQ R10, SI \
	DECQ CX \
	JNZ  loop \
	VMOVUPS Y0, (DI) \
	VMOVUPS Y1, 32(DI) \
	VMOVUPS Y2, (DI)(R11*1) \
	VMOVUPS Y3, 32(DI)(R11*1) \
	VMOVUPS Y4, (DI)(R11*2) \
	VMOVUPS Y5, 32(DI)(R11*2) \
	VMOVUPS Y6, (DI)(R13*1) \
	VMOVUPS Y7, 32(DI)(R13*1) \
	VZEROUPPER \
	RET

// func weigh4x16F16AVX2(dst, w *float32, stride int, v *uint16, cols, n int)
TEXT ·weigh4x16F16AVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ stride+16(FP), R9
	MOVQ v+24(FP), SI
	MOVQ cols+32(FP), R10
	MOVQ n+40(FP), CX
	WEIGH4X16(LOADF16, 2)

// func weigh4x16I8AVX2(dst, w *float32, stride int, v *int8, cols, n int)
TEXT ·weigh4x16I8AVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ stride+16(FP), R9
	MOVQ v+24(FP), SI
	MOVQ cols+32(FP), R10
	MOVQ n+40(FP), CX
	WEIGH4X16(LOADI8, 1)
