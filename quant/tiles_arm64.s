//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// Products of tiles, with NEON and SDOT by element: it multiplies four columns of four
// tokens, the 16 lanes of a register, with four columns of one row, an element of another.
// A tile is four rows and eight tokens, and its results stay in registers for all groups.

// LOAD reads the arguments of a product of tiles.
//
//	R0  dst, then of a token    R1  dstStride    R2  w          R3  x
//	R4  sw                      R5  sx           R6  groups left
//	R7  columns left            R8  group        R9  quads left R10 dst of the quad
//	V0 … V3    sums of upper bytes of tokens 0 … 3, for each row    V4 … V7    of tokens 4 … 7
//	V8 … V11   sums of lower bytes, or all, of tokens 0 … 3         V12 … V15  of tokens 4 … 7
//	V16 … V23  results, in the order of sums
//	V24 … V27  weights of each row, then scales                 V28 … V31  x
#define LOAD \
	MOVD dst+0(FP), R10;      \
	MOVD dstStride+8(FP), R1; \
	MOVD w+16(FP), R2;        \
	MOVD sw+32(FP), R4;       \
	MOVD group+48(FP), R8;    \
	MOVD quads+64(FP), R9

// TILE begins four rows.
#define TILE \
	MOVD  R10, R0;           \
	MOVD  x+24(FP), R3;      \
	MOVD  sx+40(FP), R5;     \
	MOVD  groups+56(FP), R6; \
	VMOVI $0, V16.B16;       \
	VMOVI $0, V17.B16;       \
	VMOVI $0, V18.B16;       \
	VMOVI $0, V19.B16;       \
	VMOVI $0, V20.B16;       \
	VMOVI $0, V21.B16;       \
	VMOVI $0, V22.B16;       \
	VMOVI $0, V23.B16

// ZERO clears eight sums.
#define ZERO(a0, a1, a2, a3, a4, a5, a6, a7) \
	VMOVI $0, a0.B16; \
	VMOVI $0, a1.B16; \
	VMOVI $0, a2.B16; \
	VMOVI $0, a3.B16; \
	VMOVI $0, a4.B16; \
	VMOVI $0, a5.B16; \
	VMOVI $0, a6.B16; \
	VMOVI $0, a7.B16

// WEIGHTS reads 16 columns of four rows.
#define WEIGHTS \
	FLDPQ.P 32(R2), (F24, F25); \
	FLDPQ.P 32(R2), (F26, F27)

// FOUR multiplies columns 4·i … 4·i+3 of four tokens with four rows.
#define FOUR(i, x, a0, a1, a2, a3) \
	SDOT_BY(i, 24, x, a0); \
	SDOT_BY(i, 25, x, a1); \
	SDOT_BY(i, 26, x, a2); \
	SDOT_BY(i, 27, x, a3)

// ADD_SCALED adds a row's sums, scaled by element row of the rows' scales V25 and the
// tokens' scales sx, to its results.
#define ADD_SCALED(row, sx, sum, result) \
	FMUL_S_BY(row, 25, sx, 28); \
	SCVTF(sum, sum);            \
	FMUL_S(28, sum, sum);       \
	FADD_S(sum, result, result)

// SCALE adds all dots V8 … V15, scaled, to the results.
#define SCALE \
	FMOVQ.P 16(R4), F25;        \
	FLDPQ.P 32(R5), (F26, F27); \
	ADD_SCALED(0, 26, 8, 16);   \
	ADD_SCALED(1, 26, 9, 17);   \
	ADD_SCALED(2, 26, 10, 18);  \
	ADD_SCALED(3, 26, 11, 19);  \
	ADD_SCALED(0, 27, 12, 20);  \
	ADD_SCALED(1, 27, 13, 21);  \
	ADD_SCALED(2, 27, 14, 22);  \
	ADD_SCALED(3, 27, 15, 23)

// STORE stores the results, a token after the other, and goes on to the next four rows.
#define STORE \
	ST4_LOW(0);     \
	ST4_LOW(1);     \
	ST4_LOW(2);     \
	ST4_LOW(3);     \
	ST4_HIGH(0);    \
	ST4_HIGH(1);    \
	ST4_HIGH(2);    \
	ST4_HIGH(3);    \
	ADD  $16, R10;  \
	SUBS $1, R9

// BYTES multiplies 16 columns of four tokens, of one byte each, with four rows.
#define BYTES(at, a0, a1, a2, a3) \
	FLDPQ at(R3), (F28, F29);    \
	FLDPQ (at+32)(R3), (F30, F31); \
	FOUR(0, 28, a0, a1, a2, a3); \
	FOUR(1, 29, a0, a1, a2, a3); \
	FOUR(2, 30, a0, a1, a2, a3); \
	FOUR(3, 31, a0, a1, a2, a3)

// func tileInt16(dst *float32, dstStride int, w, x *int8, sw, sx *float32, group, groups, quads int)
TEXT ·tileInt16(SB), NOSPLIT, $0-72
	LOAD

tile:
	TILE

group:
	ZERO(V0, V1, V2, V3, V4, V5, V6, V7)
	ZERO(V8, V9, V10, V11, V12, V13, V14, V15)
	MOVD R8, R7

columns:
	WEIGHTS
	BYTES(0, 0, 1, 2, 3)
	BYTES(64, 4, 5, 6, 7)
	BYTES(128, 8, 9, 10, 11)
	BYTES(192, 12, 13, 14, 15)
	ADD  $256, R3
	SUBS $16, R7
	BNE  columns

	MOVI_255(24)
	MLA(24, 0, 8)
	MLA(24, 1, 9)
	MLA(24, 2, 10)
	MLA(24, 3, 11)
	MLA(24, 4, 12)
	MLA(24, 5, 13)
	MLA(24, 6, 14)
	MLA(24, 7, 15)
	SCALE
	SUBS $1, R6
	BNE  group

	STORE
	BNE tile
	RET

// func tileInt8(dst *float32, dstStride int, w, x *int8, sw, sx *float32, group, groups, quads int)
TEXT ·tileInt8(SB), NOSPLIT, $0-72
	LOAD

tile:
	TILE

group:
	ZERO(V8, V9, V10, V11, V12, V13, V14, V15)
	MOVD R8, R7

columns:
	WEIGHTS
	BYTES(0, 8, 9, 10, 11)
	BYTES(64, 12, 13, 14, 15)
	ADD  $128, R3
	SUBS $16, R7
	BNE  columns

	SCALE
	SUBS $1, R6
	BNE  group

	STORE
	BNE tile
	RET
