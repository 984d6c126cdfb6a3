//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// float32 to halves and bytes, 16 values at a time; n is a multiple of 16, at least 16.

// func largestBitsBlocks(x *float32, n int) uint32
//
// The largest of the bits of |x|.
//
// R0 x, R1 values left; V0…V3 the largest, V4…V7 x without sign, V16 mask.
TEXT ·largestBitsBlocks(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	MOVW $0x7FFFFFFF, R2
	VDUP R2, V16.S4
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

loop:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VAND   V16.B16, V4.B16, V4.B16
	VAND   V16.B16, V5.B16, V5.B16
	VAND   V16.B16, V6.B16, V6.B16
	VAND   V16.B16, V7.B16, V7.B16
	VUMAX  V4.S4, V0.S4, V0.S4
	VUMAX  V5.S4, V1.S4, V1.S4
	VUMAX  V6.S4, V2.S4, V2.S4
	VUMAX  V7.S4, V3.S4, V3.S4
	SUBS   $16, R1
	BNE    loop

	VUMAX V2.S4, V0.S4, V0.S4
	VUMAX V3.S4, V1.S4, V1.S4
	VUMAX V1.S4, V0.S4, V0.S4
	UMAXV(0, 0)
	FMOVS F0, ret+16(FP)
	RET

// func narrowF16Blocks(dst *uint16, x *float32, n int)
//
// Rounds to nearest, half to even.
//
// R0 dst, R1 x, R2 values left; V0…V3 x, V4, V5 halves.
TEXT ·narrowF16Blocks(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R2

loop:
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	FCVTN_H(0, 4)
	FCVTN2_H(1, 4)
	FCVTN_H(2, 5)
	FCVTN2_H(3, 5)
	VST1.P [V4.H8, V5.H8], 32(R0)
	SUBS   $16, R2
	BNE    loop
	RET

// func narrowI8Blocks(dst *int8, x *float32, n int, scale float32)
//
// Rounds x/scale, at most 127 in magnitude, to nearest, half to even.
//
// R0 dst, R1 x, R2 values left; V0…V3 x and integers, V4, V5 halves, V6 bytes, V16 scale.
TEXT ·narrowI8Blocks(SB), NOSPLIT, $0-28
	MOVD  dst+0(FP), R0
	MOVD  x+8(FP), R1
	MOVD  n+16(FP), R2
	FMOVS scale+24(FP), F16
	VDUP  V16.S[0], V16.S4

loop:
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4]
	FDIV_S(16, 0, 0)
	FDIV_S(16, 1, 1)
	FDIV_S(16, 2, 2)
	FDIV_S(16, 3, 3)
	FCVTNS(0, 0)
	FCVTNS(1, 1)
	FCVTNS(2, 2)
	FCVTNS(3, 3)
	XTN_H(0, 4)
	XTN2_H(1, 4)
	XTN_H(2, 5)
	XTN2_H(3, 5)
	XTN_B(4, 6)
	XTN2_B(5, 6)
	VST1.P [V6.B16], 16(R0)
	SUBS   $16, R2
	BNE    loop
	RET
