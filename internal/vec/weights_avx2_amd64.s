//go:build amd64 && !purego

#include "textflag.h"

// What samplers do with weights, bit for bit the plain Go. n is a multiple of 16, at least 16.

DATA least<>+0(SB)/4, $0xff800000
GLOBL least<>(SB), RODATA|NOPTR, $4

// func largestAVX2(x *float32, n int) float32
//
// The maximum of a NaN and another number is the second operand: the maxima so far.
//
//	SI x   CX values left
//	Y0, Y1 maxima   Y2, Y3 x
TEXT ·largestAVX2(SB), NOSPLIT, $0-20
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	VBROADCASTSS least<>(SB), Y0
	VMOVAPS Y0, Y1

loop:
	VMOVUPS (SI), Y2
	VMOVUPS 32(SI), Y3
	VMAXPS  Y0, Y2, Y0
	VMAXPS  Y1, Y3, Y1
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
	VMOVSS       X0, ret+16(FP)
	VZEROUPPER
	RET

// func sumFromAVX2(lane *[Lanes]float64, x *float32, n int, least float32)
//
// What is below least is added as 0, which changes no lane.
//
//	DI lane   SI x   CX values left
//	Y0…Y3 lanes   Y4 least   Y5, Y6 x   Y7…Y10 x as float64
TEXT ·sumFromAVX2(SB), NOSPLIT, $0-28
	MOVQ lane+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS least+24(FP), Y4
	VMOVUPD (DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 64(DI), Y2
	VMOVUPD 96(DI), Y3

loop:
	VMOVUPS (SI), Y5
	VMOVUPS 32(SI), Y6
	VCMPPS  $13, Y4, Y5, Y7
	VCMPPS  $13, Y4, Y6, Y8
	VANDPS  Y7, Y5, Y5
	VANDPS  Y8, Y6, Y6
	VEXTRACTF128 $1, Y5, X8
	VEXTRACTF128 $1, Y6, X10
	VCVTPS2PD X5, Y7
	VCVTPS2PD X8, Y8
	VCVTPS2PD X6, Y9
	VCVTPS2PD X10, Y10
	VADDPD  Y7, Y0, Y0
	VADDPD  Y8, Y1, Y1
	VADDPD  Y9, Y2, Y2
	VADDPD  Y10, Y3, Y3
	ADDQ    $64, SI
	SUBQ    $16, CX
	JNZ     loop

	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VZEROUPPER
	RET

// func betweenAVX2(dst, x *float32, n int, low, high float32) int
//
// Eight elements at a time are permuted by the table's order for the set that is kept, stored
// whole, and the next store begins behind the last one kept. It never passes what was read.
//
//	DI dst, next   SI x   CX values left   BX table   R8 dst, first
//	AX set, then its size   Y0 low   Y1 high   Y2 x   Y3, Y4 masks, order
TEXT ·betweenAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS low+24(FP), Y0
	VBROADCASTSS high+28(FP), Y1
	LEAQ ·packTable(SB), BX
	MOVQ DI, R8

loop:
	VMOVUPS   (SI), Y2
	VCMPPS    $13, Y0, Y2, Y3
	VCMPPS    $17, Y1, Y2, Y4
	VANDPS    Y4, Y3, Y3
	VMOVMSKPS Y3, AX
	VPMOVZXBD (BX)(AX*8), Y4
	VPERMPS   Y2, Y4, Y2
	POPCNTL   AX, AX
	VMOVUPS   Y2, (DI)
	LEAQ      (DI)(AX*4), DI
	ADDQ      $32, SI
	SUBQ      $8, CX
	JNZ       loop

	SUBQ R8, DI
	SHRQ $2, DI
	MOVQ DI, ret+32(FP)
	VZEROUPPER
	RET
