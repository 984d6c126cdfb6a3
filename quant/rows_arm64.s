//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// Products of one token, with NEON, with or without SDOT. Four rows of weights go together,
// 32 columns a step: a byte q+128 with its upper bit turned is q. Each row has a sum of four
// lanes, or one of upper bytes and one of lower ones. After a group neighbouring lanes are
// added, until one register has the rows' sums, which is scaled and added to the results.

// AHEAD is how many bytes after the weights at hand others are fetched, at least.
#define AHEAD 8192

// ROWS begins a product of rows.
//
//	R0  dst    R1 … R4  rows of weights    R5  x         R6  sx       R7  sw
//	R8  groups left                        R9  columns left           R10 weights to fetch
//	R11 3·stride                           R12 group                  R13 quads left
//	V0 … V3    sums of upper bytes         V4 … V7    sums of lower bytes, or all
//	V8 … V11   products                    V16 … V23  weights         V24 … V27  x
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

// ZERO clears four sums.
#define ZERO(a0, a1, a2, a3) \
	VMOVI $0, a0.B16; \
	VMOVI $0, a1.B16; \
	VMOVI $0, a2.B16; \
	VMOVI $0, a3.B16

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

// FOLD_QUAD brings four rows' sums into a0.
#define FOLD_QUAD(a0, a1, a2, a3) \
	VADDP a1.S4, a0.S4, a0.S4; \
	VADDP a3.S4, a2.S4, a2.S4; \
	VADDP a2.S4, a0.S4, a0.S4

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

// INT16 is a product of activations in two bytes. ROW multiplies 32 columns of a row.
#define INT16(ROW) \
	ROWS;                       \
quad:                               \
	QUAD;                       \
group:                              \
	ZERO(V0, V1, V2, V3);       \
	ZERO(V4, V5, V6, V7);       \
	MOVD    R12, R9;            \
columns:                            \
	WEIGHTS;                    \
	FLDPQ.P 32(R5), (F24, F25); \
	FLDPQ.P 32(R5), (F26, F27); \
	ROW(16, 17, 0, 4);          \
	ROW(18, 19, 1, 5);          \
	ROW(20, 21, 2, 6);          \
	ROW(22, 23, 3, 7);          \
	SUBS    $32, R9;            \
	BNE     columns;            \
	FOLD_QUAD(V0, V1, V2, V3);  \
	FOLD_QUAD(V4, V5, V6, V7);  \
	MLA(29, 0, 4);              \
	SCALE_QUAD;                 \
	SUBS    $1, R8;             \
	BNE     group;              \
	NEXT_QUAD;                  \
	BNE     quad;               \
	RET

// INT8 is a product of activations in one byte. ROW multiplies 32 columns of a row.
#define INT8(ROW) \
	ROWS;                       \
quad:                               \
	QUAD;                       \
group:                              \
	ZERO(V4, V5, V6, V7);       \
	MOVD    R12, R9;            \
columns:                            \
	WEIGHTS;                    \
	FLDPQ.P 32(R5), (F24, F25); \
	ROW(16, 17, 4);             \
	ROW(18, 19, 5);             \
	ROW(20, 21, 6);             \
	ROW(22, 23, 7);             \
	SUBS    $32, R9;            \
	BNE     columns;            \
	FOLD_QUAD(V4, V5, V6, V7);  \
	SCALE_QUAD;                 \
	SUBS    $1, R8;             \
	BNE     group;              \
	NEXT_QUAD;                  \
	BNE     quad;               \
	RET

// SDOT adds products of four bytes.
#define SDOT_INT16(w0, w1, upper, lower) \
	SDOT(24, w0, upper); \
	SDOT(25, w0, lower); \
	SDOT(26, w1, upper); \
	SDOT(27, w1, lower)

#define SDOT_INT8(w0, w1, sum) \
	SDOT(24, w0, sum); \
	SDOT(25, w1, sum)

// Without SDOT, products are taken in 16 bits, where the sum of two has room: they are up
// to 128·127.
#define NEON_INT16(w0, w1, upper, lower) \
	SMULL(24, w0, 8);   \
	SMULL(25, w0, 9);   \
	SMULL(26, w1, 10);  \
	SMULL(27, w1, 11);  \
	SMLAL2(24, w0, 8);  \
	SMLAL2(25, w0, 9);  \
	SMLAL2(26, w1, 10); \
	SMLAL2(27, w1, 11); \
	SADALP(8, upper);   \
	SADALP(9, lower);   \
	SADALP(10, upper);  \
	SADALP(11, lower)

#define NEON_INT8(w0, w1, sum) \
	SMULL(24, w0, 8);  \
	SMULL(25, w1, 9);  \
	SMLAL2(24, w0, 8); \
	SMLAL2(25, w1, 9); \
	SADALP(8, sum);    \
	SADALP(9, sum)

// func rowsInt16SDOT(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)
TEXT ·rowsInt16SDOT(SB), NOSPLIT, $0-72
	INT16(SDOT_INT16)

// func rowsInt8SDOT(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)
TEXT ·rowsInt8SDOT(SB), NOSPLIT, $0-72
	INT8(SDOT_INT8)

// func rowsInt16NEON(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)
TEXT ·rowsInt16NEON(SB), NOSPLIT, $0-72
	INT16(NEON_INT16)

// func rowsInt8NEON(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)
TEXT ·rowsInt8NEON(SB), NOSPLIT, $0-72
	INT8(NEON_INT8)
