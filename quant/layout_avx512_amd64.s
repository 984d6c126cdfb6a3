//go:build amd64 && !purego

#include "textflag.h"

// Rearranging with AVX-512.

// SIXTEEN_ROWS loads four columns of rows i, i+4, i+8 and i+12, for i times the stride in at.
#define SIXTEEN_ROWS(at, x, z) \
	VMOVUPS      (SI)(at), x;        \
	VINSERTF32X4 $1, (AX)(at), z, z; \
	VINSERTF32X4 $2, (BX)(at), z, z; \
	VINSERTF32X4 $3, (DX)(at), z, z

// func transposeAVX512(dst unsafe.Pointer, dstStride int, src unsafe.Pointer, srcStride, sixteens, n int)
//
// Four columns of 16 rows at a time. A register has four rows that are four apart, so that
// transposing within its quarters brings rows in order, and whole lines are written.
//
//	SI, AX, BX, DX  rows 0, 4, 8 and 12 of src    R8, R9    srcStride, 3·srcStride
//	DI  rows of dst                               R10, R11  dstStride, 3·dstStride
//	R12, R13  src and dst of the rows at hand     CX        columns left
//	R15  rows left, in sixteens                   R14       0
TEXT ·transposeAVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), R13
	MOVQ dstStride+8(FP), R10
	LEAQ (R10)(R10*2), R11
	MOVQ src+16(FP), R12
	MOVQ srcStride+24(FP), R8
	LEAQ (R8)(R8*2), R9
	MOVQ sixteens+32(FP), R15
	XORL R14, R14

rows:
	MOVQ R12, SI
	LEAQ (SI)(R8*4), AX
	LEAQ (AX)(R8*4), BX
	LEAQ (BX)(R8*4), DX
	MOVQ R13, DI
	MOVQ n+40(FP), CX

columns:
	SIXTEEN_ROWS(R14*1, X0, Z0)
	SIXTEEN_ROWS(R8*1, X1, Z1)
	SIXTEEN_ROWS(R8*2, X2, Z2)
	SIXTEEN_ROWS(R9*1, X3, Z3)
	VUNPCKLPS Z1, Z0, Z4
	VUNPCKHPS Z1, Z0, Z5
	VUNPCKLPS Z3, Z2, Z6
	VUNPCKHPS Z3, Z2, Z7
	VUNPCKLPD Z6, Z4, Z0
	VUNPCKHPD Z6, Z4, Z1
	VUNPCKLPD Z7, Z5, Z2
	VUNPCKHPD Z7, Z5, Z3
	VMOVUPS   Z0, (DI)
	VMOVUPS   Z1, (DI)(R10*1)
	VMOVUPS   Z2, (DI)(R10*2)
	VMOVUPS   Z3, (DI)(R11*1)
	ADDQ      $16, SI
	ADDQ      $16, AX
	ADDQ      $16, BX
	ADDQ      $16, DX
	LEAQ      (DI)(R10*4), DI
	SUBQ      $4, CX
	JNZ       columns

	LEAQ (R8*8), SI
	LEAQ (R12)(SI*2), R12
	ADDQ $64, R13
	DECQ R15
	JNZ  rows
	VZEROUPPER
	RET
