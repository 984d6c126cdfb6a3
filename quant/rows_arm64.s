//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// Products of one token, with NEON and SDOT. Four rows of weights go together, 32 columns a
// step: a byte q+128 with its upper bit turned is q. Each row has two sums of four lanes.
// After a group neighbouring lanes are added, until one register has the rows' sums, which
// is scaled and added to the results.

// AHEAD is how many bytes after the weights at hand others are fetched, at least.
#define AHEAD 8192

// ROWS begins a product of rows.
//
//	R0  dst    R1 … R4  rows of weights    R5  x         R6  sx       R7  sw
//	R8  groups left                        R9  columns left           R10 weights to fetch
//	R11 3·stride                           R12 group                  R13 quads left
//	V0 … V3    first sums                  V4 … V7    second sums
//	V16 … V23  weights                     V24 … V27  x
//	V28  128 in bytes                      V29  255                   V30  results
#define ROWS \
	MOVD     dst+0(FP), R0;     \
	MOVD     w+8(FP), R1;       \
	MOVD     stride+16(FP), R11; \
	ADD      R11, R1, R2;       \
	ADD      R11, R2, R3;       \
	ADD      R11, R3, R4;       \
	LSL      $2, R11, R10;      \
	ADD      R11<<1, R11, R11;  \
	MOVD     $AHEAD, R9;        \
	CMP      R9, R10;           \
	CSEL     LT, R9, R10, R10;  \
	ADD      R1, R10, R10;      \
	MOVD     sw+56(FP), R7;     \
	MOVD     group+24(FP), R12; \
	MOVD     quads+64(FP), R13; \
	VMOVI    $128, V28.B16;     \
	MOVI_255(29)

// QUAD begins four rows.
#define QUAD \
	MOVD  groups+32(FP), R8; \
	MOVD  x+40(FP), R5;      \
	MOVD  sx+48(FP), R6;     \
	VMOVI $0, V30.B16

// ZERO begins a group.
#define ZERO \
	VMOVI $0, V0.B16; \
	VMOVI $0, V1.B16; \
	VMOVI $0, V2.B16; \
	VMOVI $0, V3.B16; \
	VMOVI $0, V4.B16; \
	VMOVI $0, V5.B16; \
	VMOVI $0, V6.B16; \
	VMOVI $0, V7.B16; \
	MOVD  R12, R9

// WEIGHTS reads 32 columns of four rows.
#define WEIGHTS \
	FLDPQ.P 32(R1), (F16, F17);      \
	FLDPQ.P 32(R2), (F18, F19);      \
	FLDPQ.P 32(R3), (F20, F21);      \
	FLDPQ.P 32(R4), (F22, F23);      \
	PRFM    (R10), PLDL1KEEP;        \
	PRFM    64(R10), PLDL1KEEP;      \
	ADD     $128, R10;               \
	VEOR    V28.B16, V16.B16, V16.B16; \
	VEOR    V28.B16, V17.B16, V17.B16; \
	VEOR    V28.B16, V18.B16, V18.B16; \
	VEOR    V28.B16, V19.B16, V19.B16; \
	VEOR    V28.B16, V20.B16, V20.B16; \
	VEOR    V28.B16, V21.B16, V21.B16; \
	VEOR    V28.B16, V22.B16, V22.B16; \
	VEOR    V28.B16, V23.B16, V23.B16

// FOLD_QUADS brings four rows' sums into one register of each kind: V0 and V4.
#define FOLD_QUADS \
	VADDP V1.S4, V0.S4, V0.S4; \
	VADDP V3.S4, V2.S4, V2.S4; \
	VADDP V5.S4, V4.S4, V4.S4; \
	VADDP V7.S4, V6.S4, V6.S4; \
	VADDP V2.S4, V0.S4, V0.S4; \
	VADDP V6.S4, V4.S4, V4.S4

// SCALE_QUAD adds the dots V4 of four rows, scaled, to their results.
#define SCALE_QUAD \
	SCVTF(4, 4);                \
	VLD1R.P 4(R6), [V16.S4];    \
	FMOVQ.P 16(R7), F17;        \
	FMUL_S(16, 17, 17);         \
	FMUL_S(17, 4, 4);           \
	FADD_S(4, 30, 30)

// NEXT_QUAD stores the results and goes on to the next four rows.
#define NEXT_QUAD \
	FMOVQ.P F30, 16(R0); \
	ADD     R11, R1;     \
	ADD     R11, R2;     \
	ADD     R11, R3;     \
	ADD     R11, R4;     \
	SUBS    $1, R13

// SPLIT_ROW multiplies 32 columns of a row with upper and lower bytes.
#define SPLIT_ROW(w0, w1, upper, lower) \
	SDOT(24, w0, upper); \
	SDOT(25, w0, lower); \
	SDOT(26, w1, upper); \
	SDOT(27, w1, lower)

// func rowsInt16(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)
//
// The first sums are of upper bytes, the second of lower ones.
TEXT ·rowsInt16(SB), NOSPLIT, $0-72
	ROWS

quad:
	QUAD

group:
	ZERO

columns:
	WEIGHTS
	FLDPQ.P 32(R5), (F24, F25)
	FLDPQ.P 32(R5), (F26, F27)
	SPLIT_ROW(16, 17, 0, 4)
	SPLIT_ROW(18, 19, 1, 5)
	SPLIT_ROW(20, 21, 2, 6)
	SPLIT_ROW(22, 23, 3, 7)
	SUBS $32, R9
	BNE  columns

	FOLD_QUADS
	MLA(29, 0, 4)
	SCALE_QUAD
	SUBS $1, R8
	BNE  group

	NEXT_QUAD
	BNE quad
	RET

// func rowsInt8(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)
//
// The first sums are of the even 16 columns, the second of the odd ones.
TEXT ·rowsInt8(SB), NOSPLIT, $0-72
	ROWS

quad:
	QUAD

group:
	ZERO

columns:
	WEIGHTS
	FLDPQ.P 32(R5), (F24, F25)
	SDOT(24, 16, 0)
	SDOT(24, 18, 1)
	SDOT(24, 20, 2)
	SDOT(24, 22, 3)
	SDOT(25, 17, 4)
	SDOT(25, 19, 5)
	SDOT(25, 21, 6)
	SDOT(25, 23, 7)
	SUBS $32, R9
	BNE  columns

	FOLD_QUADS
	VADD V0.S4, V4.S4, V4.S4
	SCALE_QUAD
	SUBS $1, R8
	BNE  group

	NEXT_QUAD
	BNE quad
	RET
