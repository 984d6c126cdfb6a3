//go:build amd64 && !purego

#include "textflag.h"

// Exp and what is made of it, bit for bit the plain Go: the same operations in the same
// order, a product rounded before it is added, and the special cases blended in at the
// end. n is a multiple of 16, at least 16.

// expTable holds each constant 8 times.
#define LOG2E  ·expTable+0(SB)
#define MAGIC  ·expTable+32(SB)
#define LN2HI  ·expTable+64(SB)
#define LN2LO  ·expTable+96(SB)
#define EXP5   ·expTable+128(SB)
#define EXP4   ·expTable+160(SB)
#define EXP3   ·expTable+192(SB)
#define EXP2   ·expTable+224(SB)
#define EXP1   ·expTable+256(SB)
#define EXP0   ·expTable+288(SB)
#define ONE    ·expTable+320(SB)
#define EXPMIN ·expTable+352(SB)
#define EXPMAX ·expTable+384(SB)
#define INF    ·expTable+416(SB)
#define SIGN   ·expTable+448(SB)

// EXP sets p to the exponential of x, which stays. n, r and t are scratch.
#define EXP(x, p, n, r, t) \
	VMULPS    LOG2E, x, n  \
	VADDPS    MAGIC, n, n  \
	VSUBPS    MAGIC, n, n  \
	VMULPS    LN2HI, n, t  \
	VSUBPS    t, x, r      \
	VMULPS    LN2LO, n, t  \
	VSUBPS    t, r, r      \
	VMULPS    EXP5, r, p   \
	VADDPS    EXP4, p, p   \
	VMULPS    r, p, p      \
	VADDPS    EXP3, p, p   \
	VMULPS    r, p, p      \
	VADDPS    EXP2, p, p   \
	VMULPS    r, p, p      \
	VADDPS    EXP1, p, p   \
	VMULPS    r, p, p      \
	VADDPS    EXP0, p, p   \
	VMULPS    r, r, t      \
	VMULPS    t, p, p      \
	VADDPS    r, p, p      \
	VADDPS    ONE, p, p    \
	VCVTPS2DQ n, n         \
	VPSLLD    $23, n, n    \
	VPADDD    n, p, p      \
	VCMPPS    $5, EXPMIN, x, t  \
	VANDPS    t, p, p           \
	VCMPPS    $14, EXPMAX, x, t \
	VBLENDVPS t, INF, p, p

// func expSumAVX2(lane *[Lanes]float32, x *float32, n int, largest float32)
//
// Replaces x by Exp(x-largest) and adds the results to the lanes.
//
//	DI lane   SI x   CX values left
//	Y0, Y1 lanes   Y2 largest   Y3, Y8 x   Y4, Y9 result   Y5…Y7, Y10…Y12 scratch
TEXT ·expSumAVX2(SB), NOSPLIT, $0-28
	MOVQ lane+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS largest+24(FP), Y2
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1

loop:
	VMOVUPS (SI), Y3
	VMOVUPS 32(SI), Y8
	VSUBPS  Y2, Y3, Y3
	VSUBPS  Y2, Y8, Y8
	EXP(Y3, Y4, Y5, Y6, Y7)
	EXP(Y8, Y9, Y10, Y11, Y12)
	VMOVUPS Y4, (SI)
	VMOVUPS Y9, 32(SI)
	VADDPS  Y4, Y0, Y0
	VADDPS  Y9, Y1, Y1
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     loop

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VZEROUPPER
	RET

// func siluMulAVX2(dst, gate, up *float32, n int)
//
//	DI dst   SI gate   DX up   CX values left
//	Y0 gate   Y1 -gate   Y2 result   Y3…Y5 scratch
TEXT ·siluMulAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ gate+8(FP), SI
	MOVQ up+16(FP), DX
	MOVQ n+24(FP), CX

loop:
	VMOVUPS (SI), Y0
	VXORPS  SIGN, Y0, Y1
	EXP(Y1, Y2, Y3, Y4, Y5)
	VADDPS  ONE, Y2, Y2
	VDIVPS  Y2, Y0, Y0
	VMULPS  (DX), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DX
	ADDQ    $32, DI
	SUBQ    $8, CX
	JNZ     loop
	VZEROUPPER
	RET

// SCALE sets y, whose low half is x, to float32((y-Y4)*Y5), the product in float64. Y15 is
// scratch, tx the low half of t.
#define SCALE(y, x, t, tx) \
	VSUBPS       Y4, y, y      \
	VEXTRACTF128 $1, y, X15    \
	VCVTPS2PD    x, t          \
	VCVTPS2PD    X15, Y15      \
	VMULPD       Y5, t, t      \
	VMULPD       Y5, Y15, Y15  \
	VCVTPD2PSY   t, x          \
	VCVTPD2PSY   Y15, X15      \
	VINSERTF128  $1, X15, y, y

// TALLY adds p, whose low half is px, to the lanes lo and hi. t and Y15 are scratch.
#define TALLY(p, px, lo, hi, t) \
	VEXTRACTF128 $1, p, X15   \
	VCVTPS2PD    px, t        \
	VCVTPS2PD    X15, Y15     \
	VADDPD       t, lo, lo    \
	VADDPD       Y15, hi, hi

// NUMBERS sets p to 0 where x is NaN. t is scratch.
#define NUMBERS(x, p, t) \
	VCMPPS $7, x, x, t \
	VANDPS t, p, p

// func weightsAVX2(lane *[Lanes]float64, dst, x *float32, n int, largest float32, factor float64)
//
// Sets dst to the exponentials of float32((x-largest)*factor), the product in float64, 0 for
// NaN, and adds them to the lanes.
//
//	DI lane   DX dst   SI x   CX values left
//	Y0…Y3 lanes   Y4 largest   Y5 factor   Y6, Y7 x, scaled   Y8, Y9 results   Y10…Y15 scratch
TEXT ·weightsAVX2(SB), NOSPLIT, $0-48
	MOVQ lane+0(FP), DI
	MOVQ dst+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	VBROADCASTSS largest+32(FP), Y4
	VBROADCASTSD factor+40(FP), Y5
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3

loop:
	VMOVUPS (SI), Y6
	VMOVUPS 32(SI), Y7
	SCALE(Y6, X6, Y10, X10)
	SCALE(Y7, X7, Y11, X11)
	EXP(Y6, Y8, Y10, Y11, Y12)
	EXP(Y7, Y9, Y13, Y14, Y15)
	NUMBERS(Y6, Y8, Y10)
	NUMBERS(Y7, Y9, Y11)
	VMOVUPS Y8, (DX)
	VMOVUPS Y9, 32(DX)
	TALLY(Y8, X8, Y0, Y1, Y10)
	TALLY(Y9, X9, Y2, Y3, Y11)
	ADDQ    $64, SI
	ADDQ    $64, DX
	SUBQ    $16, CX
	JNZ     loop

	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VZEROUPPER
	RET
