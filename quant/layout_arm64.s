//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// Rearranging with NEON.

// SCALES reads the arguments of a rearrangement of scales.
//
//	R0  dst    R1 … R4  rows of src    R5  stride    R6  fours left
#define SCALES \
	MOVD dst+0(FP), R0;     \
	MOVD src+8(FP), R1;     \
	MOVD stride+16(FP), R5; \
	MOVD fours+24(FP), R6;  \
	ADD  R5, R1, R2;        \
	ADD  R5, R2, R3;        \
	ADD  R5, R3, R4

// TOKENS reads the arguments of a rearrangement of tokens.
//
//	R0  dst    R1 … R4  tokens    R5  stride    R6  values left of each
#define TOKENS \
	MOVD dst+0(FP), R0;     \
	MOVD xq+8(FP), R1;      \
	MOVD stride+16(FP), R5; \
	MOVD n+24(FP), R6;      \
	ADD  R5, R1, R2;        \
	ADD  R5, R2, R3;        \
	ADD  R5, R3, R4

// func signQuad(dst *int8, src *byte, stride, cols int)
//
//	R0  dst    R1 … R4  rows of src    R5  stride    R6  columns left    V4  128 in bytes
TEXT ·signQuad(SB), NOSPLIT, $0-32
	MOVD  dst+0(FP), R0
	MOVD  src+8(FP), R1
	MOVD  stride+16(FP), R5
	MOVD  cols+24(FP), R6
	ADD   R5, R1, R2
	ADD   R5, R2, R3
	ADD   R5, R3, R4
	VMOVI $128, V4.B16

sign:
	FMOVQ.P 16(R1), F0
	FMOVQ.P 16(R2), F1
	FMOVQ.P 16(R3), F2
	FMOVQ.P 16(R4), F3
	VEOR    V4.B16, V0.B16, V0.B16
	VEOR    V4.B16, V1.B16, V1.B16
	VEOR    V4.B16, V2.B16, V2.B16
	VEOR    V4.B16, V3.B16, V3.B16
	VST1.P  [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	SUBS    $16, R6
	BNE     sign
	RET

// HALVES reads four halves of each row.
#define HALVES \
	FMOVD.P 8(R1), F0; \
	FMOVD.P 8(R2), F1; \
	FMOVD.P 8(R3), F2; \
	FMOVD.P 8(R4), F3

// STORE_SCALES writes four floats of each row, and leaves the flags to BNE.
#define STORE_SCALES \
	VST4.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0); \
	SUBS   $1, R6

// func scalesF32(dst *float32, src *byte, stride, fours int)
TEXT ·scalesF32(SB), NOSPLIT, $0-32
	SCALES

floats:
	FMOVQ.P 16(R1), F0
	FMOVQ.P 16(R2), F1
	FMOVQ.P 16(R3), F2
	FMOVQ.P 16(R4), F3
	STORE_SCALES
	BNE floats
	RET

// func scalesBF16(dst *float32, src *byte, stride, fours int)
//
//	V4  zeros: the lower half of each float
TEXT ·scalesBF16(SB), NOSPLIT, $0-32
	SCALES
	VMOVI $0, V4.B16

floats:
	HALVES
	VZIP1 V0.H8, V4.H8, V0.H8
	VZIP1 V1.H8, V4.H8, V1.H8
	VZIP1 V2.H8, V4.H8, V2.H8
	VZIP1 V3.H8, V4.H8, V3.H8
	STORE_SCALES
	BNE floats
	RET

// func scalesF16(dst *float32, src *byte, stride, fours int)
TEXT ·scalesF16(SB), NOSPLIT, $0-32
	SCALES

floats:
	HALVES
	FCVTL_S(0, 0)
	FCVTL_S(1, 1)
	FCVTL_S(2, 2)
	FCVTL_S(3, 3)
	STORE_SCALES
	BNE floats
	RET

// SPLIT makes 16 words, in a and b, upper bytes and lower bytes: hi = round(x/255) is x and
// x/256 together, rounded to whole 256ths, which stays within 16 bits for |x| ≤ 32512; and lo
// is x - 255·hi, of which only the lower byte of x + hi is left. V30 and V31 are changed.
#define SPLIT(VA, a, VB, b, VHI, hi, VLO, lo) \
	SSHR_8(a, 30);                     \
	SSHR_8(b, 31);                     \
	VADD VA.H8, V30.H8, V30.H8;        \
	VADD VB.H8, V31.H8, V31.H8;        \
	RSHRN_8(30, hi);                   \
	XTN_B(a, lo);                      \
	RSHRN2_8(31, hi);                  \
	XTN2_B(b, lo);                     \
	VADD VHI.B16, VLO.B16, VLO.B16

// func splitToken(dst *int8, xq *int16, n int)
//
//	R0  dst    R1  xq    R2  values left
TEXT ·splitToken(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD xq+8(FP), R1
	MOVD n+16(FP), R2

split:
	FLDPQ.P 32(R1), (F4, F5)
	SPLIT(V4, 4, V5, 5, V0, 0, V1, 1)
	FSTPQ.P (F0, F1), 32(R0)
	SUBS    $16, R2
	BNE     split
	RET

// func narrowToken(dst *int8, xq *int16, n int)
//
//	R0  dst    R1  xq    R2  values left
TEXT ·narrowToken(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD xq+8(FP), R1
	MOVD n+16(FP), R2

narrow:
	FLDPQ.P 32(R1), (F4, F5)
	XTN_B(4, 0)
	XTN2_B(5, 0)
	FMOVQ.P F0, 16(R0)
	SUBS    $16, R2
	BNE     narrow
	RET

// SIXTEEN reads 16 values of each token.
#define SIXTEEN \
	FLDPQ.P 32(R1), (F16, F17); \
	FLDPQ.P 32(R2), (F18, F19); \
	FLDPQ.P 32(R3), (F20, F21); \
	FLDPQ.P 32(R4), (F22, F23)

// func splitTokens(dst *int8, xq *int16, stride, n int)
//
//	R7  lower bytes in dst
TEXT ·splitTokens(SB), NOSPLIT, $0-32
	TOKENS

split:
	SIXTEEN
	SPLIT(V16, 16, V17, 17, V0, 0, V4, 4)
	SPLIT(V18, 18, V19, 19, V1, 1, V5, 5)
	SPLIT(V20, 20, V21, 21, V2, 2, V6, 6)
	SPLIT(V22, 22, V23, 23, V3, 3, V7, 7)
	ADD  $128, R0, R7
	VST4 [V0.S4, V1.S4, V2.S4, V3.S4], (R0)
	VST4 [V4.S4, V5.S4, V6.S4, V7.S4], (R7)
	ADD  $256, R0
	SUBS $16, R6
	BNE  split
	RET

// func narrowTokens(dst *int8, xq *int16, stride, n int)
TEXT ·narrowTokens(SB), NOSPLIT, $0-32
	TOKENS

narrow:
	SIXTEEN
	XTN_B(16, 0)
	XTN_B(18, 1)
	XTN_B(20, 2)
	XTN_B(22, 3)
	XTN2_B(17, 0)
	XTN2_B(19, 1)
	XTN2_B(21, 2)
	XTN2_B(23, 3)
	VST4 [V0.S4, V1.S4, V2.S4, V3.S4], (R0)
	ADD  $128, R0
	SUBS $16, R6
	BNE  narrow
	RET
