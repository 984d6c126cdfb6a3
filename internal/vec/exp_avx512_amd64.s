//go:build amd64 && !purego

#include "textflag.h"

// Exp and what is made of it, bit for bit the plain Go: the same operations in the same
// order, a product rounded before it is added, and the special cases blended in at the
// end. n is a multiple of 16, at least 16.

// The constants of expTable, one a register.
#define LOG2E  Z16
#define MAGIC  Z17
#define LN2HI  Z18
#define LN2LO  Z19
#define EXP5   Z20
#define EXP4   Z21
#define EXP3   Z22
#define EXP2   Z23
#define EXP1   Z24
#define EXP0   Z25
#define ONE    Z26
#define EXPMIN Z27
#define EXPMAX Z28
#define INF    Z29
#define SIGN   Z30

// CONSTANTS loads them.
#define CONSTANTS \
	VBROADCASTSS ·expTable+0(SB), Z16 \
	VBROADCASTSS ·expTable+32(SB), Z17 \
	VBROADCASTSS ·expTable+64(SB), Z18 \
	VBROADCASTSS ·expTable+96(SB), Z19 \
	VBROADCASTSS ·expTable+128(SB), Z20 \
	VBROADCASTSS ·expTable+160(SB), Z21 \
	VBROADCASTSS ·expTable+192(SB), Z22 \
	VBROADCASTSS ·expTable+224(SB), Z23 \
	VBROADCASTSS ·expTable+256(SB), Z24 \
	VBROADCASTSS ·expTable+288(SB), Z25 \
	VBROADCASTSS ·expTable+320(SB), Z26 \
	VBROADCASTSS ·expTable+352(SB), Z27 \
	VBROADCASTSS ·expTable+384(SB), Z28 \
	VBROADCASTSS ·expTable+416(SB), Z29 \
	VBROADCASTSS ·expTable+448(SB), Z30

// EXP sets p to the exponential of x, which stays. n, r and t are scratch, K1 and K2 too.
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
	VCMPPS    $5, EXPMIN, x, K1  \
	VCMPPS    $14, EXPMAX, x, K2 \
	VPADDD.Z  n, p, K1, p        \
	VMOVAPS   INF, K2, p

// func expSumAVX512(lane *[Lanes]float32, x *float32, n int, largest float32)
//
// Replaces x by Exp(x-largest) and adds the results to the lanes.
//
//	DI lane   SI x   CX values left
//	Z0 lanes   Z1 largest   Z2 x   Z3 result   Z4…Z6 scratch   Z16…Z30 constants
TEXT ·expSumAVX512(SB), NOSPLIT, $0-28
	MOVQ lane+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS largest+24(FP), Z1
	VMOVUPS (DI), Z0
	CONSTANTS

loop:
	VMOVUPS (SI), Z2
	VSUBPS  Z1, Z2, Z2
	EXP(Z2, Z3, Z4, Z5, Z6)
	VMOVUPS Z3, (SI)
	VADDPS  Z3, Z0, Z0
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     loop

	VMOVUPS Z0, (DI)
	VZEROUPPER
	RET

// func siluMulAVX512(dst, gate, up *float32, n int)
//
//	DI dst   SI gate   DX up   CX values left
//	Z0 gate   Z1 -gate   Z2 result   Z3…Z5 scratch   Z16…Z30 constants
TEXT ·siluMulAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ gate+8(FP), SI
	MOVQ up+16(FP), DX
	MOVQ n+24(FP), CX
	CONSTANTS

loop:
	VMOVUPS (SI), Z0
	VXORPS  SIGN, Z0, Z1
	EXP(Z1, Z2, Z3, Z4, Z5)
	VADDPS  ONE, Z2, Z2
	VDIVPS  Z2, Z0, Z0
	VMULPS  (DX), Z0, Z0
	VMOVUPS Z0, (DI)
	ADDQ    $64, SI
	ADDQ    $64, DX
	ADDQ    $64, DI
	SUBQ    $16, CX
	JNZ     loop
	VZEROUPPER
	RET

// func weightsAVX512(lane *[Lanes]float64, dst, x *float32, n int, largest float32, factor float64)
//
// Sets dst to the exponentials of float32((x-largest)*factor), the product in float64, 0 for
// NaN, and adds them to the lanes.
//
//	DI lane   DX dst   SI x   CX values left
//	Z0, Z1 lanes   Z2 largest   Z7 factor   Z8 x, scaled   Z9 its other half   Z3 result
//	Z4…Z6 scratch   Z16…Z30 constants   K3 numbers
TEXT ·weightsAVX512(SB), NOSPLIT, $0-48
	MOVQ lane+0(FP), DI
	MOVQ dst+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	VBROADCASTSS largest+32(FP), Z2
	VBROADCASTSD factor+40(FP), Z7
	VMOVUPD (DI), Z0
	VMOVUPD 64(DI), Z1
	CONSTANTS

loop:
	VMOVUPS       (SI), Z8
	VSUBPS        Z2, Z8, Z8
	VEXTRACTF64X4 $1, Z8, Y9
	VCVTPS2PD     Y8, Z8
	VCVTPS2PD     Y9, Z9
	VMULPD        Z7, Z8, Z8
	VMULPD        Z7, Z9, Z9
	VCVTPD2PS     Z8, Y8
	VCVTPD2PS     Z9, Y9
	VINSERTF64X4  $1, Y9, Z8, Z8
	EXP(Z8, Z3, Z4, Z5, Z6)
	VCMPPS        $7, Z8, Z8, K3
	VMOVAPS.Z     Z3, K3, Z3
	VMOVUPS       Z3, (DX)
	VEXTRACTF64X4 $1, Z3, Y9
	VCVTPS2PD     Y3, Z8
	VCVTPS2PD     Y9, Z9
	VADDPD        Z8, Z0, Z0
	VADDPD        Z9, Z1, Z1
	ADDQ          $64, SI
	ADDQ          $64, DX
	SUBQ          $16, CX
	JNZ           loop

	VMOVUPD Z0, (DI)
	VMOVUPD Z1, 64(DI)
	VZEROUPPER
	RET
