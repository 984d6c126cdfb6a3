//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// What is done to each element alone, bit for bit the plain Go. n is a multiple of 16, at
// least 16.

// EACH4 does op to four registers of each operand.
#define EACH4(op, m0, m1, m2, m3, n0, n1, n2, n3, d0, d1, d2, d3) \
	op(m0, n0, d0) \
	op(m1, n1, d1) \
	op(m2, n2, d2) \
	op(m3, n3, d3)

// SCALE multiplies by the first element of m.
#define SCALE(m, n, d) FMUL_S_BY(0, m, n, d)

// func addBlocks(dst, x *float32, n int)
//
// R0 dst, R1 x, R2 values left; V0…V3 sums, V4…V7 x.
TEXT ·addBlocks(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R2

loop:
	VLD1   (R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	EACH4(FADD_S, 4, 5, 6, 7, 0, 1, 2, 3, 0, 1, 2, 3)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	SUBS   $16, R2
	BNE    loop
	RET

// func mulScaleBlocks(dst, x, weight *float32, n int, scale float32)
//
// Sets dst to (x*scale) * weight.
//
// R0 dst, R1 x, R2 weight, R3 values left; V0…V3 products, V4…V7 weight, V16 scale.
TEXT ·mulScaleBlocks(SB), NOSPLIT, $0-36
	MOVD  dst+0(FP), R0
	MOVD  x+8(FP), R1
	MOVD  weight+16(FP), R2
	MOVD  n+24(FP), R3
	FMOVS scale+32(FP), F16

loop:
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R2), [V4.S4, V5.S4, V6.S4, V7.S4]
	EACH4(SCALE, 16, 16, 16, 16, 0, 1, 2, 3, 0, 1, 2, 3)
	EACH4(FMUL_S, 4, 5, 6, 7, 0, 1, 2, 3, 0, 1, 2, 3)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	SUBS   $16, R3
	BNE    loop
	RET

// func rotateBlocks(a, b, cos, sin *float32, n int)
//
// Sets a to a*cos - b*sin and b to b*cos + a*sin.
//
//	R0 a   R1 b   R2 cos   R3 sin   R4 values left
//	V0…V3 a   V4…V7 b   V8…V11 cos   V12…V15 sin   V16…V31 products
TEXT ·rotateBlocks(SB), NOSPLIT, $0-40
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD cos+16(FP), R2
	MOVD sin+24(FP), R3
	MOVD n+32(FP), R4

loop:
	VLD1   (R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1   (R1), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R2), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1.P 64(R3), [V12.S4, V13.S4, V14.S4, V15.S4]
	EACH4(FMUL_S, 8, 9, 10, 11, 0, 1, 2, 3, 16, 17, 18, 19)
	EACH4(FMUL_S, 12, 13, 14, 15, 4, 5, 6, 7, 20, 21, 22, 23)
	EACH4(FMUL_S, 8, 9, 10, 11, 4, 5, 6, 7, 24, 25, 26, 27)
	EACH4(FMUL_S, 12, 13, 14, 15, 0, 1, 2, 3, 28, 29, 30, 31)
	EACH4(FSUB_S, 20, 21, 22, 23, 16, 17, 18, 19, 16, 17, 18, 19)
	EACH4(FADD_S, 28, 29, 30, 31, 24, 25, 26, 27, 24, 25, 26, 27)
	VST1.P [V16.S4, V17.S4, V18.S4, V19.S4], 64(R0)
	VST1.P [V24.S4, V25.S4, V26.S4, V27.S4], 64(R1)
	SUBS   $16, R4
	BNE    loop
	RET

// func scaleMaxBlocks(x *float32, n int, scale float32) float32
//
// FMAX gives NaN where there is one, and then all becomes NaN.
//
// R0 x, R1 values left; V0…V3 maxima, V4…V7 products, V16 scale.
TEXT ·scaleMaxBlocks(SB), NOSPLIT, $0-28
	MOVD  x+0(FP), R0
	MOVD  n+8(FP), R1
	FMOVS scale+16(FP), F16
	MOVW  $0xFF800000, R2 // -Inf
	VDUP  R2, V0.S4
	VDUP  R2, V1.S4
	VDUP  R2, V2.S4
	VDUP  R2, V3.S4

loop:
	VLD1   (R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	EACH4(SCALE, 16, 16, 16, 16, 4, 5, 6, 7, 4, 5, 6, 7)
	EACH4(FMAX_S, 4, 5, 6, 7, 0, 1, 2, 3, 0, 1, 2, 3)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	SUBS   $16, R1
	BNE    loop

	FMAX_S(2, 0, 0)
	FMAX_S(3, 1, 1)
	FMAX_S(1, 0, 0)
	FMAXV(0, 0)
	FMOVS F0, ret+24(FP)
	RET

// func divideBlocks(x *float32, n int, divisor float32)
//
// R0 x, R1 values left; V0…V3 quotients, V16 divisor.
TEXT ·divideBlocks(SB), NOSPLIT, $0-20
	MOVD  x+0(FP), R0
	MOVD  n+8(FP), R1
	FMOVS divisor+16(FP), F16
	VDUP  V16.S[0], V16.S4

loop:
	VLD1   (R0), [V0.S4, V1.S4, V2.S4, V3.S4]
	EACH4(FDIV_S, 16, 16, 16, 16, 0, 1, 2, 3, 0, 1, 2, 3)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	SUBS   $16, R1
	BNE    loop
	RET
