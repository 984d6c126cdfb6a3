//go:build amd64 && !purego

#include "textflag.h"

// Quantizing with AVX2.

// func maxBits32(x *float32, n int) uint32
//
//	SI  x    CX  values left    Y0 … Y3  maxima    Y7  mask of all but the sign
TEXT ·maxBits32(SB), NOSPLIT, $0-20
	MOVQ     x+0(FP), SI
	MOVQ     n+8(FP), CX
	VPCMPEQD Y7, Y7, Y7
	VPSRLD   $1, Y7, Y7
	VPXOR    Y0, Y0, Y0
	VPXOR    Y1, Y1, Y1
	VPXOR    Y2, Y2, Y2
	VPXOR    Y3, Y3, Y3

maxBits:
	VPAND   (SI), Y7, Y4
	VPAND   32(SI), Y7, Y5
	VPMAXUD Y4, Y0, Y0
	VPMAXUD Y5, Y1, Y1
	VPAND   64(SI), Y7, Y4
	VPAND   96(SI), Y7, Y5
	VPMAXUD Y4, Y2, Y2
	VPMAXUD Y5, Y3, Y3
	ADDQ    $128, SI
	SUBQ    $32, CX
	JNZ     maxBits

	VPMAXUD      Y1, Y0, Y0
	VPMAXUD      Y3, Y2, Y2
	VPMAXUD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD      X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPMAXUD      X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPMAXUD      X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+16(FP)
	VZEROUPPER
	RET

// func round32(xq *int16, x *float32, n int, scale float32) int32
//
// The conversion to integers rounds half to even, which is the mode that Go leaves set.
//
//	SI  x    DI  xq    CX  values left    Y7  scale    Y0, Y1  sums
TEXT ·round32(SB), NOSPLIT, $0-36
	MOVQ         xq+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y7
	VPXOR        Y0, Y0, Y0
	VPXOR        Y1, Y1, Y1

round:
	VMOVUPS   (SI), Y2
	VMOVUPS   32(SI), Y3
	VDIVPS    Y7, Y2, Y2
	VDIVPS    Y7, Y3, Y3
	VCVTPS2DQ Y2, Y2
	VCVTPS2DQ Y3, Y3
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y1, Y1
	VPACKSSDW Y3, Y2, Y2
	VPERMQ    $0xd8, Y2, Y2
	VMOVDQU   Y2, (DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JNZ       round

	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+32(FP)
	VZEROUPPER
	RET

// HALF_LOST adds what the four weights X8 lost, that became X9, to the sums.
#define HALF_LOST \
	VCVTPS2PD X8, Y10;      \
	VCVTPS2PD X9, Y11;      \
	VSUBPD    Y11, Y10, Y11; \
	VANDPD    Y7, Y11, Y11; \
	VMAXPD    Y11, Y2, Y2;  \
	VMULPD    Y10, Y10, Y10; \
	VMULPD    Y11, Y11, Y11; \
	VADDPD    Y10, Y0, Y0;  \
	VADDPD    Y11, Y1, Y1

// EIGHT rounds eight weights to steps, in integers.
#define EIGHT(at, steps) \
	VMOVUPS      at(SI), Y8;     \
	VDIVPS       Y15, Y8, Y9;    \
	VROUNDPS     $0, Y9, Y9;     \
	VMINPS       Y12, Y9, Y9;    \
	VMAXPS       Y13, Y9, Y9;    \
	VCVTPS2DQ    Y9, steps;      \
	VMULPS       Y15, Y9, Y9;    \
	HALF_LOST;                   \
	VEXTRACTF128 $1, Y8, X8;     \
	VEXTRACTF128 $1, Y9, X9;     \
	HALF_LOST

// order undoes what packing by halves of registers does to words of 32 bits.
DATA order<>+0(SB)/8, $0x0000000400000000
DATA order<>+8(SB)/8, $0x0000000500000001
DATA order<>+16(SB)/8, $0x0000000600000002
DATA order<>+24(SB)/8, $0x0000000700000003
GLOBL order<>(SB), RODATA|NOPTR, $32

// ADD_LANES adds four lanes by halves.
#define ADD_LANES(y, x) \
	VEXTRACTF128 $1, y, X8; \
	VADDPD       X8, x, x;  \
	VPERMILPD    $1, x, X8; \
	VADDSD       X8, x, x

// func roundWeights32(q *byte, values *float32, n int, scale float32) (squares, squaredError, largest float64)
//
//	SI  values    DI  q         CX  values left
//	Y0  squares   Y1  squared errors    Y2  largest errors, four lanes each
//	Y3 … Y6  steps    Y7  mask of all but the sign    Y8 … Y11  at work
//	Y12, Y13  ±127    Y14  128 in bytes    Y15  scale
TEXT ·roundWeights32(SB), NOSPLIT, $0-56
	MOVQ         q+0(FP), DI
	MOVQ         values+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y15
	VXORPD       Y0, Y0, Y0
	VXORPD       Y1, Y1, Y1
	VXORPD       Y2, Y2, Y2
	VPCMPEQD     Y7, Y7, Y7
	VPSRLQ       $1, Y7, Y7
	MOVL         $0x42fe0000, AX
	VMOVD        AX, X12
	VPBROADCASTD X12, Y12
	MOVL         $0xc2fe0000, AX
	VMOVD        AX, X13
	VPBROADCASTD X13, Y13
	MOVL         $0x80808080, AX
	VMOVD        AX, X14
	VPBROADCASTD X14, Y14

weights:
	EIGHT(0, Y3)
	EIGHT(32, Y4)
	EIGHT(64, Y5)
	EIGHT(96, Y6)
	VPACKSSDW Y4, Y3, Y3
	VPACKSSDW Y6, Y5, Y5
	VPACKSSWB Y5, Y3, Y3
	VMOVDQU   order<>(SB), Y4
	VPERMD    Y3, Y4, Y3
	VPXOR     Y14, Y3, Y3
	VMOVDQU   Y3, (DI)
	ADDQ      $128, SI
	ADDQ      $32, DI
	SUBQ      $32, CX
	JNZ       weights

	ADD_LANES(Y0, X0)
	ADD_LANES(Y1, X1)
	VEXTRACTF128 $1, Y2, X8
	VMAXPD       X8, X2, X2
	VPERMILPD    $1, X2, X8
	VMAXSD       X8, X2, X2
	VMOVSD       X0, squares+32(FP)
	VMOVSD       X1, squaredError+40(FP)
	VMOVSD       X2, largest+48(FP)
	VZEROUPPER
	RET
