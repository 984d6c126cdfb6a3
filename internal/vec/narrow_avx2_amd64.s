//go:build amd64 && !purego

#include "textflag.h"

// float32 to halves and bytes and back, 16 values at a time; n is a multiple of 16, at
// least 16.
//
//	DI dst   SI source   CX values left   Y0, Y1 values

// func largestBitsAVX2(x *float32, n int) uint32
//
// The largest of the bits of |x|.
//
//	Y2, Y3 the largest   Y4 mask
TEXT ·largestBitsAVX2(SB), NOSPLIT, $0-20
	MOVQ     x+0(FP), SI
	MOVQ     n+8(FP), CX
	VPXOR    X2, X2, X2
	VPXOR    X3, X3, X3
	VPCMPEQD Y4, Y4, Y4
	VPSRLD   $1, Y4, Y4

loop:
	VPAND   (SI), Y4, Y0
	VPAND   32(SI), Y4, Y1
	VPMAXUD Y0, Y2, Y2
	VPMAXUD Y1, Y3, Y3
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     loop

	VPMAXUD      Y3, Y2, Y2
	VEXTRACTI128 $1, Y2, X3
	VPMAXUD      X3, X2, X2
	VPSHUFD      $0x4E, X2, X3
	VPMAXUD      X3, X2, X2
	VPSHUFD      $0xB1, X2, X3
	VPMAXUD      X3, X2, X2
	VMOVD        X2, AX
	MOVL         AX, ret+16(FP)
	VZEROUPPER
	RET

// func narrowF16AVX2(dst *uint16, x *float32, n int)
//
// Rounds to nearest, half to even.
TEXT ·narrowF16AVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VMOVUPS   (SI), Y0
	VMOVUPS   32(SI), Y1
	VCVTPS2PH $0, Y0, (DI)
	VCVTPS2PH $0, Y1, 16(DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	SUBQ      $16, CX
	JNZ       loop
	VZEROUPPER
	RET

// func narrowI8AVX2(dst *int8, x *float32, n int, scale float32)
//
// Rounds x/scale, at most 127 in magnitude, to nearest, half to even.
//
//	Y2 scale
TEXT ·narrowI8AVX2(SB), NOSPLIT, $0-28
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	MOVQ         n+16(FP), CX
	VBROADCASTSS scale+24(FP), Y2

loop:
	VMOVUPS      (SI), Y0
	VMOVUPS      32(SI), Y1
	VDIVPS       Y2, Y0, Y0
	VDIVPS       Y2, Y1, Y1
	VCVTPS2DQ    Y0, Y0
	VCVTPS2DQ    Y1, Y1
	VPACKSSDW    Y1, Y0, Y0
	VPERMQ       $0xD8, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKSSWB    X1, X0, X0
	VMOVDQU      X0, (DI)
	ADDQ         $64, SI
	ADDQ         $16, DI
	SUBQ         $16, CX
	JNZ          loop
	VZEROUPPER
	RET

// func widenI8AVX2(dst *float32, x *int8, n int)
TEXT ·widenI8AVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VPMOVSXBD (SI), Y0
	VPMOVSXBD 8(SI), Y1
	VCVTDQ2PS Y0, Y0
	VCVTDQ2PS Y1, Y1
	VMOVUPS   Y0, (DI)
	VMOVUPS   Y1, 32(DI)
	ADDQ      $16, SI
	ADDQ      $64, DI
	SUBQ      $16, CX
	JNZ       loop
	VZEROUPPER
	RET
