//go:build amd64 && !purego

#include "textflag.h"

// What samplers do with weights, bit for bit the plain Go. n is a multiple of 16, at least 16.

// func sumFromAVX512(lane *[Lanes]float64, x *float32, n int, least float32)
//
// What is below least is added as 0, which changes no lane.
//
//	DI lane   SI x   CX values left
//	Z0, Z1 lanes   Z2 least   Z3 x   Z4, Z5 x as float64   K1 kept
TEXT ·sumFromAVX512(SB), NOSPLIT, $0-28
	MOVQ lane+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS least+24(FP), Z2
	VMOVUPD (DI), Z0
	VMOVUPD 64(DI), Z1

loop:
	VMOVUPS       (SI), Z3
	VCMPPS        $13, Z2, Z3, K1
	VMOVAPS.Z     Z3, K1, Z3
	VEXTRACTF64X4 $1, Z3, Y5
	VCVTPS2PD     Y3, Z4
	VCVTPS2PD     Y5, Z5
	VADDPD        Z4, Z0, Z0
	VADDPD        Z5, Z1, Z1
	ADDQ          $64, SI
	SUBQ          $16, CX
	JNZ           loop

	VMOVUPD Z0, (DI)
	VMOVUPD Z1, 64(DI)
	VZEROUPPER
	RET

// func betweenAVX512(dst, x *float32, n int, low, high float32) int
//
// Sixteen elements at a time are packed in a register (packing into memory is slow), stored
// whole, and the next store begins behind the last one kept. It never passes what was read.
//
//	DI dst, next   SI x   CX values left   R8 dst, first   AX set, then its size
//	Z0 low   Z1 high   Z2 x, packed   K1 at least low   K2 and below high
TEXT ·betweenAVX512(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VBROADCASTSS low+24(FP), Z0
	VBROADCASTSS high+28(FP), Z1
	MOVQ DI, R8

loop:
	VMOVUPS       (SI), Z2
	VCMPPS        $13, Z0, Z2, K1
	VCMPPS        $17, Z1, Z2, K1, K2
	VCOMPRESSPS.Z Z2, K2, Z2
	KMOVW         K2, AX
	POPCNTL       AX, AX
	VMOVUPS       Z2, (DI)
	LEAQ          (DI)(AX*4), DI
	ADDQ          $64, SI
	SUBQ          $16, CX
	JNZ           loop

	SUBQ R8, DI
	SHRQ $2, DI
	MOVQ DI, ret+32(FP)
	VZEROUPPER
	RET
