//go:build amd64 && !purego

#include "textflag.h"

// Products of weights with one token for AVX-512 with F, BW, VL and VNNI.

// AHEAD is how many bytes after the weights at hand others are fetched, into the second-level
// cache: more can be on the way to it than to the first.
#define AHEAD 12288

// EIGHT multiplies 32 columns of eight groups of weights with those of x.
#define EIGHT(w, x, a0, a1, a2, a3, a4, a5, a6, a7) \
	VPMOVZXBW  (w), Z16;             \
	VPMOVZXBW  (w)(R12*1), Z17;      \
	VPMOVZXBW  (w)(R12*2), Z18;      \
	VPMOVZXBW  (w)(R13*1), Z19;      \
	VPMOVZXBW  (w)(R12*4), Z20;      \
	VPMOVZXBW  (w)(R10*1), Z21;      \
	VPMOVZXBW  (w)(R13*2), Z22;      \
	VPMOVZXBW  (w)(R11*1), Z23;      \
	VPDPWSSD   (x), Z16, a0;         \
	VPDPWSSD   (x)(R12*2), Z17, a1;  \
	VPDPWSSD   (x)(R12*4), Z18, a2;  \
	VPDPWSSD   (x)(R13*2), Z19, a3;  \
	VPDPWSSD   (x)(R12*8), Z20, a4;  \
	VPDPWSSD   (x)(R10*2), Z21, a5;  \
	VPDPWSSD   (x)(R13*4), Z22, a6;  \
	VPDPWSSD   (x)(R11*2), Z23, a7;  \
	ADDQ       $32, w;               \
	ADDQ       $64, x

// FOLD_FOUR adds neighbouring lanes of four sums, until each quarter of a0 has a part of
// every sum.
#define FOLD_FOUR(a0, a1, a2, a3) \
	VPUNPCKLDQ  a1, a0, Z16;   \
	VPUNPCKHDQ  a1, a0, Z17;   \
	VPUNPCKLDQ  a3, a2, Z18;   \
	VPUNPCKHDQ  a3, a2, Z19;   \
	VPADDD      Z17, Z16, Z16; \
	VPADDD      Z19, Z18, Z18; \
	VPUNPCKLQDQ Z18, Z16, Z17; \
	VPUNPCKHQDQ Z18, Z16, Z19; \
	VPADDD      Z19, Z17, a0

// func termsVNNI(dst *float32, w *byte, n, group int, x *int16, bias *int32, sx, sw *float32, groups, step int)
//
// Sixteen groups at a time, one sum of 16 lanes each, 32 columns a step. The sums are folded
// together until one register has the groups' dots.
//
//	R8, R9  w of eight groups each    R12, R13, R10, R11  group, 3·group, 5·group, 7·group
//	AX, BX  x of eight groups each    R14  the first group's number in x
//	CX  weights to fetch    DX, SI  columns and groups left    DI  dst    R15  sw
//	Z0 … Z15   sums         Z16 … Z23  weights, then what is folded
TEXT ·termsVNNI(SB), NOSPLIT, $0-80
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), R8
	MOVQ n+16(FP), SI
	MOVQ group+24(FP), R12
	LEAQ (R12)(R12*2), R13
	LEAQ (R12)(R12*4), R10
	LEAQ (R13)(R12*4), R11
	MOVQ sw+56(FP), R15
	LEAQ AHEAD(R8), CX
	XORL R14, R14

sixteen:
	MOVQ  R14, AX
	IMULQ R12, AX
	ADDQ  AX, AX
	ADDQ  x+32(FP), AX
	MOVQ  R12, DX
	SHLQ  $4, DX
	LEAQ  (AX)(DX*1), BX
	LEAQ  (R8)(R12*8), R9
	MOVQ  R12, DX
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15

columns:
	PREFETCHT1 (CX)
	PREFETCHT1 64(CX)
	PREFETCHT1 128(CX)
	PREFETCHT1 192(CX)
	EIGHT(R8, AX, Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	PREFETCHT1 256(CX)
	PREFETCHT1 320(CX)
	PREFETCHT1 384(CX)
	PREFETCHT1 448(CX)
	EIGHT(R9, BX, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
	ADDQ $512, CX
	SUBQ $32, DX
	JNZ  columns

	LEAQ (R9)(R11*1), R8
	FOLD_FOUR(Z0, Z1, Z2, Z3)
	FOLD_FOUR(Z4, Z5, Z6, Z7)
	FOLD_FOUR(Z8, Z9, Z10, Z11)
	FOLD_FOUR(Z12, Z13, Z14, Z15)
	VSHUFI32X4 $0x44, Z4, Z0, Z16
	VSHUFI32X4 $0xee, Z4, Z0, Z17
	VSHUFI32X4 $0x44, Z12, Z8, Z18
	VSHUFI32X4 $0xee, Z12, Z8, Z19
	VPADDD     Z17, Z16, Z16
	VPADDD     Z19, Z18, Z18
	VSHUFI32X4 $0x88, Z18, Z16, Z17
	VSHUFI32X4 $0xdd, Z18, Z16, Z19
	VPADDD     Z19, Z17, Z0

	MOVQ      bias+40(FP), AX
	MOVQ      sx+48(FP), BX
	VPADDD    (AX)(R14*4), Z0, Z0
	VMOVUPS   (BX)(R14*4), Z1
	VMULPS    (R15), Z1, Z1
	VCVTDQ2PS Z0, Z0
	VMULPS    Z1, Z0, Z0
	VMOVUPS   Z0, (DI)
	ADDQ      $64, DI
	ADDQ      $64, R15
	ADDQ      step+72(FP), R14
	CMPQ      R14, groups+64(FP)
	JLT       next
	SUBQ      groups+64(FP), R14

next:
	SUBQ $16, SI
	JZ   done
	CMPQ SI, $16
	JGE  sixteen

	// Fewer than sixteen are left: go back to have as many.
	MOVQ  $16, AX
	SUBQ  SI, AX
	SUBQ  AX, R14
	MOVQ  AX, BX
	IMULQ R12, BX
	SUBQ  BX, R8
	SHLQ  $2, AX
	SUBQ  AX, DI
	SUBQ  AX, R15
	MOVQ  $16, SI

wrap:
	TESTQ R14, R14
	JGE   sixteen
	ADDQ  groups+64(FP), R14
	JMP   wrap

done:
	VZEROUPPER
	RET
