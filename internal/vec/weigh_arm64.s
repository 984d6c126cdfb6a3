//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Sums of rows of v by weights, rows in order: bit for bit those of weighGeneric. Sums stay
// in registers over all rows; a product is rounded before it is added (FMUL, FADD). Rows
// some 4 KB ahead are prefetched.

// MULADD adds x times the first element of w to sum.
#define MULADD(w, x, product, sum) \
	FMUL_S_BY(0, w, x, product) \
	FADD_S(product, sum, sum)

// func weigh1x16(dst, w, v *float32, cols, n int)
//
// dst[0…15] += Σ w[i] * v[i][0…15] for i < n; rows of v have cols values.
//
//	R0 dst   R1 w   R2 v   R3 cols, bytes   R4 rows left
//	V0…V3 sums   V4 weight   V16…V19 v and products
TEXT ·weigh1x16(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD w+8(FP), R1
	MOVD v+16(FP), R2
	MOVD cols+24(FP), R3
	LSL  $2, R3
	MOVD n+32(FP), R4
	VLD1 (R0), [V0.S4, V1.S4, V2.S4, V3.S4]

loop:
	PRFM    4096(R2), PLDL1KEEP
	VLD1.P  (R2)(R3), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMOVS.P 4(R1), F4
	MULADD(4, 16, 16, 0)
	MULADD(4, 17, 17, 1)
	MULADD(4, 18, 18, 2)
	MULADD(4, 19, 19, 3)
	SUBS    $1, R4
	BNE     loop

	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R0)
	RET

// func weigh1x64(dst, w, v *float32, cols, n int)
//
// The same for 64 values: as many products and sums take 45 instructions.
//
//	R0 dst   R1 w   R2 v   R3 cols, bytes   R4 rows left   R5 place in the row, and in dst
//	V0…V15 sums   V24 weight   V16…V23 v and products
TEXT ·weigh1x64(SB), NOSPLIT, $0-40
	MOVD   dst+0(FP), R0
	MOVD   w+8(FP), R1
	MOVD   v+16(FP), R2
	MOVD   cols+24(FP), R3
	LSL    $2, R3
	MOVD   n+32(FP), R4
	MOVD   R0, R5
	VLD1.P 64(R5), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R5), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R5), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1   (R5), [V12.S4, V13.S4, V14.S4, V15.S4]

loop:
	FMOVS.P 4(R1), F24
	MOVD    R2, R5
	PRFM    4096(R2), PLDL1KEEP
	PRFM    4160(R2), PLDL1KEEP
	PRFM    4224(R2), PLDL1KEEP
	PRFM    4288(R2), PLDL1KEEP
	VLD1.P  64(R5), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P  64(R5), [V20.S4, V21.S4, V22.S4, V23.S4]
	MULADD(24, 16, 16, 0)
	MULADD(24, 17, 17, 1)
	MULADD(24, 18, 18, 2)
	MULADD(24, 19, 19, 3)
	MULADD(24, 20, 20, 4)
	MULADD(24, 21, 21, 5)
	MULADD(24, 22, 22, 6)
	MULADD(24, 23, 23, 7)
	VLD1.P  64(R5), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1    (R5), [V20.S4, V21.S4, V22.S4, V23.S4]
	MULADD(24, 16, 16, 8)
	MULADD(24, 17, 17, 9)
	MULADD(24, 18, 18, 10)
	MULADD(24, 19, 19, 11)
	MULADD(24, 20, 20, 12)
	MULADD(24, 21, 21, 13)
	MULADD(24, 22, 22, 14)
	MULADD(24, 23, 23, 15)
	ADD     R3, R2
	SUBS    $1, R4
	BNE     loop

	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(R0)
	VST1   [V12.S4, V13.S4, V14.S4, V15.S4], (R0)
	RET

// WEIGH4 adds the vectors V16…V19, times the weight w, to a sum.
#define WEIGH4(w, s0, s1, s2, s3) \
	MULADD(w, 16, 24, s0) \
	MULADD(w, 17, 25, s1) \
	MULADD(w, 18, 26, s2) \
	MULADD(w, 19, 27, s3)

// func weigh4x16(dst, w *float32, stride int, v *float32, cols, n int)
//
// The same for 16 values of 4 rows of dst, of cols values, with 4 rows of weights, stride
// apart: 64 products and sums take 40 instructions.
//
//	R0 dst   R5…R8 rows of w   R9 stride, bytes   R2 v   R3 cols, bytes   R4 rows left
//	R10, R11, R12 rows 1 to 3 of dst
//	V0…V15 sums, four registers for a row   V16…V19 v   V20…V23 weights   V24…V27 products
TEXT ·weigh4x16(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), R0
	MOVD w+8(FP), R5
	MOVD stride+16(FP), R9
	LSL  $2, R9
	ADD  R9, R5, R6
	ADD  R9, R6, R7
	ADD  R9, R7, R8
	MOVD v+24(FP), R2
	MOVD cols+32(FP), R3
	LSL  $2, R3
	MOVD n+40(FP), R4
	ADD  R3, R0, R10
	ADD  R3, R10, R11
	ADD  R3, R11, R12
	VLD1 (R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1 (R10), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1 (R11), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1 (R12), [V12.S4, V13.S4, V14.S4, V15.S4]

loop:
	PRFM    4096(R2), PLDL1KEEP
	VLD1.P  (R2)(R3), [V16.S4, V17.S4, V18.S4, V19.S4]
	FMOVS.P 4(R5), F20
	FMOVS.P 4(R6), F21
	FMOVS.P 4(R7), F22
	FMOVS.P 4(R8), F23
	WEIGH4(20, 0, 1, 2, 3)
	WEIGH4(21, 4, 5, 6, 7)
	WEIGH4(22, 8, 9, 10, 11)
	WEIGH4(23, 12, 13, 14, 15)
	SUBS    $1, R4
	BNE     loop

	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R0)
	VST1 [V4.S4, V5.S4, V6.S4, V7.S4], (R10)
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R11)
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (R12)
	RET
