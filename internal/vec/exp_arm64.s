//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Exp and what is made of it, bit for bit the plain Go: the same operations in the same
// order, a product rounded before it is added, and the special cases blended in at the
// end. (Where FRINTN rounds other than adding and subtracting roundMagic does, a special
// case replaces the result; the sign of a zero does not reach it.) n is a multiple of 16,
// at least 16.

// CONSTANTS sets V16…V28 to those of expTable, in its order, and V29 to zero.
#define CONSTANTS \
	MOVD    $·expTable(SB), R8 \
	VLD1R.P 4(R8), [V16.S4]    \
	VLD1R.P 4(R8), [V17.S4]    \
	VLD1R.P 4(R8), [V18.S4]    \
	VLD1R.P 4(R8), [V19.S4]    \
	VLD1R.P 4(R8), [V20.S4]    \
	VLD1R.P 4(R8), [V21.S4]    \
	VLD1R.P 4(R8), [V22.S4]    \
	VLD1R.P 4(R8), [V23.S4]    \
	VLD1R.P 4(R8), [V24.S4]    \
	VLD1R.P 4(R8), [V25.S4]    \
	VLD1R.P 4(R8), [V26.S4]    \
	VLD1R.P 4(R8), [V27.S4]    \
	VLD1R   (R8), [V28.S4]     \
	VEOR    V29.B16, V29.B16, V29.B16

#define LOG2E  16
#define LN2HI  17
#define LN2LO  18
#define EXP5   19
#define EXP4   20
#define EXP3   21
#define EXP2   22
#define EXP1   23
#define EXP0   24
#define ONE    25
#define EXPMIN 26
#define EXPMAX 27
#define INF    V28
#define ZERO   V29

// BOTH does op to two pairs of registers, with one constant.
#define BOTH(op, m, n0, n1, d0, d1) \
	op(m, n0, d0) \
	op(m, n1, d1)

// STEP multiplies V6 and V7 by r and adds a constant.
#define STEP(constant) \
	FMUL_S(10, 6, 6) \
	FMUL_S(11, 7, 7) \
	BOTH(FADD_S, constant, 6, 7, 6, 7)

// EXP sets V6 and V7 to the exponentials of x, V4 and V5, which stay. n is V8 and V9, r V10
// and V11; V12 and V13 are scratch.
#define EXP \
	BOTH(FMUL_S, LOG2E, 4, 5, 8, 9)     \
	FRINTN(8, 8)                        \
	FRINTN(9, 9)                        \
	BOTH(FMUL_S, LN2HI, 8, 9, 12, 13)   \
	FSUB_S(12, 4, 10)                   \
	FSUB_S(13, 5, 11)                   \
	BOTH(FMUL_S, LN2LO, 8, 9, 12, 13)   \
	FSUB_S(12, 10, 10)                  \
	FSUB_S(13, 11, 11)                  \
	BOTH(FMUL_S, EXP5, 10, 11, 6, 7)    \
	BOTH(FADD_S, EXP4, 6, 7, 6, 7)      \
	STEP(EXP3)                          \
	STEP(EXP2)                          \
	STEP(EXP1)                          \
	STEP(EXP0)                          \
	FMUL_S(10, 10, 12)                  \
	FMUL_S(11, 11, 13)                  \
	FMUL_S(12, 6, 6)                    \
	FMUL_S(13, 7, 7)                    \
	FADD_S(10, 6, 6)                    \
	FADD_S(11, 7, 7)                    \
	BOTH(FADD_S, ONE, 6, 7, 6, 7)       \
	FCVTZS(8, 8)                        \
	FCVTZS(9, 9)                        \
	VSHL  $23, V8.S4, V8.S4             \
	VSHL  $23, V9.S4, V9.S4             \
	VADD  V8.S4, V6.S4, V6.S4           \
	VADD  V9.S4, V7.S4, V7.S4           \
	FCMGT_S(4, EXPMIN, 12)              \
	FCMGT_S(5, EXPMIN, 13)              \
	VBIT  V12.B16, ZERO.B16, V6.B16     \
	VBIT  V13.B16, ZERO.B16, V7.B16     \
	BOTH(FCMGT_S, EXPMAX, 4, 5, 12, 13) \
	VBIT  V12.B16, INF.B16, V6.B16      \
	VBIT  V13.B16, INF.B16, V7.B16

// func expSumBlocks(lane *[Lanes]float32, x *float32, n int, largest float32)
//
// Replaces x by Exp(x-largest) and adds the results to the lanes.
//
//	R0 lane   R1 x   R2 values left   R8 constants
//	V0…V3 lanes   V4…V13 as EXP has them   V16…V29 constants   V30 largest
TEXT ·expSumBlocks(SB), NOSPLIT, $0-28
	MOVD  lane+0(FP), R0
	MOVD  x+8(FP), R1
	MOVD  n+16(FP), R2
	FMOVS largest+24(FP), F30
	VDUP  V30.S[0], V30.S4
	CONSTANTS
	VLD1  (R0), [V0.S4, V1.S4, V2.S4, V3.S4]

loop:
	FLDPQ   (R1), (F4, F5)
	BOTH(FSUB_S, 30, 4, 5, 4, 5)
	EXP
	FSTPQ.P (F6, F7), 32(R1)
	FADD_S(6, 0, 0)
	FADD_S(7, 1, 1)
	FLDPQ   (R1), (F4, F5)
	BOTH(FSUB_S, 30, 4, 5, 4, 5)
	EXP
	FSTPQ.P (F6, F7), 32(R1)
	FADD_S(6, 2, 2)
	FADD_S(7, 3, 3)
	SUBS    $16, R2
	BNE     loop

	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R0)
	RET

// func siluMulBlocks(dst, gate, up *float32, n int)
//
//	R0 dst   R1 gate   R2 up   R3 values left   R8 constants
//	V0, V1 gate   V2, V3 up   V4, V5 -gate   V4…V13 as EXP has them   V16…V29 constants
TEXT ·siluMulBlocks(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD gate+8(FP), R1
	MOVD up+16(FP), R2
	MOVD n+24(FP), R3
	CONSTANTS

loop:
	FLDPQ.P 32(R1), (F0, F1)
	FLDPQ.P 32(R2), (F2, F3)
	FNEG_S(0, 4)
	FNEG_S(1, 5)
	EXP
	BOTH(FADD_S, ONE, 6, 7, 6, 7)
	FDIV_S(6, 0, 0)
	FDIV_S(7, 1, 1)
	FMUL_S(2, 0, 0)
	FMUL_S(3, 1, 1)
	FSTPQ.P (F0, F1), 32(R0)
	SUBS    $8, R3
	BNE     loop
	RET

// NUMBERS sets P to 0 where register x is NaN. T, register t, is scratch.
#define NUMBERS(x, t, T, P) \
	FCMEQ_S(x, x, t) \
	VAND T.B16, P.B16, P.B16

// SCALE sets x to float32((x-V12)*V13), the product in float64. t and u are scratch.
#define SCALE(x, t, u) \
	FSUB_S(12, x, x) \
	FCVTL_D(x, t)    \
	FCVTL2_D(x, u)   \
	FMUL_D(13, t, t) \
	FMUL_D(13, u, u) \
	FCVTN_S(t, x)    \
	FCVTN2_S(u, x)

// WEIGHTS does eight elements: scales them to V4 and V5, stores their exponentials, 0 for
// NaN, and adds them to the lanes l0…l3.
#define WEIGHTS(l0, l1, l2, l3) \
	VLD1R   (R4), [V12.S4]     \
	VLD1R   (R5), [V13.D2]     \
	FLDPQ.P 32(R2), (F4, F5)   \
	SCALE(4, 6, 7)             \
	SCALE(5, 8, 9)             \
	EXP                        \
	NUMBERS(4, 8, V8, V6)      \
	NUMBERS(5, 9, V9, V7)      \
	FSTPQ.P (F6, F7), 32(R1)   \
	TALLY(6, 8, 9, l0, l1)     \
	TALLY(7, 10, 11, l2, l3)

// func weightsBlocks(lane *[Lanes]float64, dst, x *float32, n int, largest float32, factor float64)
//
// Sets dst to the exponentials of float32((x-largest)*factor), the product in float64, 0 for
// NaN, and adds them to the lanes.
//
//	R0 lane   R1 dst   R2 x   R3 values left   R4 largest   R5 factor   R8 constants
//	V0…V3, V14, V15, V30, V31 lanes   V4…V13 as EXP has them   V16…V29 constants
TEXT ·weightsBlocks(SB), NOSPLIT, $0-48
	MOVD  lane+0(FP), R0
	MOVD  dst+8(FP), R1
	MOVD  x+16(FP), R2
	MOVD  n+24(FP), R3
	MOVD  $largest+32(FP), R4
	MOVD  $factor+40(FP), R5
	CONSTANTS
	FLDPQ (R0), (F0, F1)
	FLDPQ 32(R0), (F2, F3)
	FLDPQ 64(R0), (F14, F15)
	FLDPQ 96(R0), (F30, F31)

loop:
	WEIGHTS(0, 1, 2, 3)
	WEIGHTS(14, 15, 30, 31)
	SUBS $16, R3
	BNE  loop

	FSTPQ (F0, F1), (R0)
	FSTPQ (F2, F3), 32(R0)
	FSTPQ (F14, F15), 64(R0)
	FSTPQ (F30, F31), 96(R0)
	RET
