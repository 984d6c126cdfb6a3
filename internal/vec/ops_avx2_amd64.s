//go:build amd64 && !purego

#include "textflag.h"

// What is done to each element alone, bit for bit the plain Go. n is a multiple of 16, at
// least 16.

DATA negInf<>+0(SB)/4, $0xff800000
GLOBL negInf<>(SB), RODATA|NOPTR, $4

// func scaleMaxAVX2(x *float32, n int, scale float32) float32
//
// SI x, CX values left; Y0, Y1 maxima, Y2 scale, Y3, Y4 products.
TEXT ·scaleMaxAVX2(SB), NOSPLIT, $0-28
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VBROADCASTSS scale+16(FP), Y2
	VBROADCASTSS negInf<>(SB), Y0
	VMOVAPS Y0, Y1

loop:
	VMULPS  (SI), Y2, Y3
	VMULPS  32(SI), Y2, Y4
	VMAXPS  Y3, Y0, Y0
	VMAXPS  Y4, Y1, Y1
	VMOVUPS Y3, (SI)
	VMOVUPS Y4, 32(SI)
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     loop

	VMAXPS       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS       X1, X0, X0
	VPERMILPS    $0x4E, X0, X1
	VMAXPS       X1, X0, X0
	VPERMILPS    $0xB1, X0, X1
	VMAXPS       X1, X0, X0
	VMOVSS       X0, ret+24(FP)
	VZEROUPPER
	RET

// func divideAVX2(x *float32, n int, divisor float32)
//
// SI x, CX values left; Y0, Y1 quotients, Y2 divisor.
TEXT ·divideAVX2(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VBROADCASTSS divisor+16(FP), Y2

loop:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VDIVPS  Y2, Y0, Y0
	VDIVPS  Y2, Y1, Y1
	VMOVUPS Y0, (SI)
	VMOVUPS Y1, 32(SI)
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     loop
	VZEROUPPER
	RET

// func addAVX2(dst, x *float32, n int)
//
// DI dst, SI x, CX values left; Y0, Y1 sums.
TEXT ·addAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VADDPS  (SI), Y0, Y0
	VADDPS  32(SI), Y1, Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DI
	SUBQ    $16, CX
	JNZ     loop
	VZEROUPPER
	RET

// func mulScaleAVX2(dst, x, weight *float32, n int, scale float32)
//
// Sets dst to (x*scale) * weight.
//
// DI dst, SI x, DX weight, CX values left; Y0, Y1 products, Y2 scale.
TEXT ·mulScaleAVX2(SB), NOSPLIT, $0-36
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ weight+16(FP), DX
	MOVQ n+24(FP), CX
	VBROADCASTSS scale+32(FP), Y2

loop:
	VMULPS  (SI), Y2, Y0
	VMULPS  32(SI), Y2, Y1
	VMULPS  (DX), Y0, Y0
	VMULPS  32(DX), Y1, Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ    $64, SI
	ADDQ    $64, DX
	ADDQ    $64, DI
	SUBQ    $16, CX
	JNZ     loop
	VZEROUPPER
	RET

// func rotateAVX2(a, b, cos, sin *float32, n int)
//
// Sets a to a*cos - b*sin and b to b*cos + a*sin.
//
// DI a, SI b, DX cos, BX sin, CX values left; Y0 a, Y1 b, Y2 cos, Y3 sin, Y4…Y7 products.
TEXT ·rotateAVX2(SB), NOSPLIT, $0-40
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ cos+16(FP), DX
	MOVQ sin+24(FP), BX
	MOVQ n+32(FP), CX

loop:
	VMOVUPS (DI), Y0
	VMOVUPS (SI), Y1
	VMOVUPS (DX), Y2
	VMOVUPS (BX), Y3
	VMULPS  Y2, Y0, Y4
	VMULPS  Y3, Y1, Y5
	VMULPS  Y2, Y1, Y6
	VMULPS  Y3, Y0, Y7
	VSUBPS  Y5, Y4, Y4
	VADDPS  Y7, Y6, Y6
	VMOVUPS Y4, (DI)
	VMOVUPS Y6, (SI)
	ADDQ    $32, DI
	ADDQ    $32, SI
	ADDQ    $32, DX
	ADDQ    $32, BX
	SUBQ    $8, CX
	JNZ     loop
	VZEROUPPER
	RET
