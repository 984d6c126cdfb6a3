//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// What samplers do with weights, bit for bit the plain Go. (Their exponentials are in
// exp_arm64.s.) n is a multiple of 16, at least 16.

// LARGER sets d to x where that is larger: never to NaN. t is scratch.
#define LARGER(x, X, t, T, d, D) \
	FCMGT_S(d, x, t) \
	VBIT T.B16, X.B16, D.B16

// func largestBlocks(x *float32, n int) float32
//
// R0 x, R1 values left; V0…V3 maxima, V4…V7 x, V16…V19 where x is larger.
TEXT ·largestBlocks(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	MOVW $0xFF800000, R2 // -Inf
	VDUP R2, V0.S4
	VDUP R2, V1.S4
	VDUP R2, V2.S4
	VDUP R2, V3.S4

loop:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	LARGER(4, V4, 16, V16, 0, V0)
	LARGER(5, V5, 17, V17, 1, V1)
	LARGER(6, V6, 18, V18, 2, V2)
	LARGER(7, V7, 19, V19, 3, V3)
	SUBS   $16, R1
	BNE    loop

	FMAX_S(2, 0, 0)
	FMAX_S(3, 1, 1)
	FMAX_S(1, 0, 0)
	FMAXV(0, 0)
	FMOVS F0, ret+16(FP)
	RET

// FROM sets X, register x, to 0 where it is not at least V28. T, register t, is scratch.
#define FROM(x, X, t, T) \
	FCMGE_S(28, x, t) \
	VAND T.B16, X.B16, X.B16

// func sumFromBlocks(lane *[Lanes]float64, x *float32, n int, least float32)
//
// What is below least is added as 0, which changes no lane.
//
//	R0 lane   R1 x   R2 values left   R3 the other lanes
//	V0…V7 lanes   V16…V19 x   V20…V27 masks, then x as float64   V28 least
TEXT ·sumFromBlocks(SB), NOSPLIT, $0-28
	MOVD  lane+0(FP), R0
	MOVD  x+8(FP), R1
	MOVD  n+16(FP), R2
	FMOVS least+24(FP), F28
	VDUP  V28.S[0], V28.S4
	ADD   $64, R0, R3
	VLD1  (R0), [V0.D2, V1.D2, V2.D2, V3.D2]
	VLD1  (R3), [V4.D2, V5.D2, V6.D2, V7.D2]

loop:
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	FROM(16, V16, 20, V20)
	FROM(17, V17, 21, V21)
	FROM(18, V18, 22, V22)
	FROM(19, V19, 23, V23)
	TALLY(16, 20, 21, 0, 1)
	TALLY(17, 22, 23, 2, 3)
	TALLY(18, 24, 25, 4, 5)
	TALLY(19, 26, 27, 6, 7)
	SUBS   $16, R2
	BNE    loop

	VST1 [V0.D2, V1.D2, V2.D2, V3.D2], (R0)
	VST1 [V4.D2, V5.D2, V6.D2, V7.D2], (R3)
	RET

// bits4<> names the elements of a set: 1, 2, 4 and 8.
DATA bits4<>+0(SB)/8, $0x0000000200000001
DATA bits4<>+8(SB)/8, $0x0000000800000004
GLOBL bits4<>(SB), RODATA|NOPTR, $16

// INSIDE sets T, register t, to the mask of the elements of register x that are at least
// V28 and below V29. U, register u, is scratch.
#define INSIDE(x, t, T, u, U) \
	FCMGE_S(28, x, t) \
	FCMGT_S(x, 29, u) \
	VAND U.B16, T.B16, T.B16

// PACK stores the elements of X that the mask T selects, and moves dst behind them: R5 is
// the set, R6 its size.
#define PACK(X, T) \
	VAND  V30.B16, T.B16, T.B16     \
	VADDV T.S4, V24                 \
	VMOV  V24.S[0], R5              \
	VCNT  V24.B8, V24.B8            \
	VMOV  V24.S[0], R6              \
	ADD   R5<<4, R3, R7             \
	VLD1  (R7), [V25.B16]           \
	VTBL  V25.B16, [X.B16], V25.B16 \
	VST1  [V25.B16], (R0)           \
	ADD   R6<<2, R0

// func betweenBlocks(dst, x *float32, n int, low, high float32) int
//
// Four elements at a time are permuted by the table's order for the set that is kept, stored
// whole, and the next store begins behind the last one kept. It never passes what was read.
// Blocks of which nothing is kept are left out.
//
//	R0 dst, next   R1 x   R2 values left   R3 table   R4 dst, first   R5…R7 as PACK has them
//	V16…V19 x   V20…V23 masks   V24…V27 scratch   V28 low   V29 high   V30 1, 2, 4, 8
TEXT ·betweenBlocks(SB), NOSPLIT, $0-40
	MOVD  dst+0(FP), R0
	MOVD  x+8(FP), R1
	MOVD  n+16(FP), R2
	FMOVS low+24(FP), F28
	FMOVS high+28(FP), F29
	VDUP  V28.S[0], V28.S4
	VDUP  V29.S[0], V29.S4
	MOVD  $bits4<>(SB), R5
	VLD1  (R5), [V30.S4]
	MOVD  $·packTable(SB), R3
	MOVD  R0, R4

loop:
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	INSIDE(16, 20, V20, 24, V24)
	INSIDE(17, 21, V21, 25, V25)
	INSIDE(18, 22, V22, 26, V26)
	INSIDE(19, 23, V23, 27, V27)
	VORR   V20.B16, V21.B16, V24.B16
	VORR   V22.B16, V23.B16, V25.B16
	VORR   V24.B16, V25.B16, V24.B16
	VMOV   V24.D[0], R5
	VMOV   V24.D[1], R6
	ORR    R5, R6
	CBZ    R6, next
	PACK(V16, V20)
	PACK(V17, V21)
	PACK(V18, V22)
	PACK(V19, V23)

next:
	SUBS $16, R2
	BNE  loop

	SUB  R4, R0
	LSR  $2, R0
	MOVD R0, ret+32(FP)
	RET
