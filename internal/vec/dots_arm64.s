//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Inner products of rows, bit for bit those of dotGeneric: four registers are the 16 lanes
// of a sum; a product is rounded before it is added (FMUL, FADD), and lanes fold by halves.
// cols is a multiple of 16, at least 16.

// MULADD adds x*y to sum.
#define MULADD(x, y, product, sum) \
	FMUL_S(x, y, product) \
	FADD_S(product, sum, sum)

// ZERO16 clears V0…V15.
#define ZERO16 \
	VEOR V0.B16, V0.B16, V0.B16    \
	VEOR V1.B16, V1.B16, V1.B16    \
	VEOR V2.B16, V2.B16, V2.B16    \
	VEOR V3.B16, V3.B16, V3.B16    \
	VEOR V4.B16, V4.B16, V4.B16    \
	VEOR V5.B16, V5.B16, V5.B16    \
	VEOR V6.B16, V6.B16, V6.B16    \
	VEOR V7.B16, V7.B16, V7.B16    \
	VEOR V8.B16, V8.B16, V8.B16    \
	VEOR V9.B16, V9.B16, V9.B16    \
	VEOR V10.B16, V10.B16, V10.B16 \
	VEOR V11.B16, V11.B16, V11.B16 \
	VEOR V12.B16, V12.B16, V12.B16 \
	VEOR V13.B16, V13.B16, V13.B16 \
	VEOR V14.B16, V14.B16, V14.B16 \
	VEOR V15.B16, V15.B16, V15.B16

// FOLD4 folds a sum of four registers to the first of them.
#define FOLD4(s0, s1, s2, s3) \
	FADD_S(s2, s0, s0) \
	FADD_S(s3, s1, s1) \
	FADD_S(s1, s0, s0)

// FOLDQUAD folds the sums V0…V3, V4…V7, V8…V11 and V12…V15 to the elements of V16.
#define FOLDQUAD \
	FOLD4(0, 1, 2, 3)           \
	FOLD4(4, 5, 6, 7)           \
	FOLD4(8, 9, 10, 11)         \
	FOLD4(12, 13, 14, 15)       \
	VZIP1 V4.D2, V0.D2, V16.D2  \
	VZIP2 V4.D2, V0.D2, V17.D2  \
	VZIP1 V12.D2, V8.D2, V18.D2 \
	VZIP2 V12.D2, V8.D2, V19.D2 \
	FADD_S(17, 16, 16)          \
	FADD_S(19, 18, 18)          \
	FADDP_S(18, 16, 16)

// func dotBlocks(a, b *float32, cols int) float32
//
// R0 a, R1 b, R2 values left; V0…V3 the sum, V16…V19 a and products, V20…V23 b.
TEXT ·dotBlocks(SB), NOSPLIT, $0-28
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	MOVD cols+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

loop:
	VLD1.P 64(R0), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P 64(R1), [V20.S4, V21.S4, V22.S4, V23.S4]
	MULADD(20, 16, 16, 0)
	MULADD(21, 17, 17, 1)
	MULADD(22, 18, 18, 2)
	MULADD(23, 19, 19, 3)
	SUBS   $16, R2
	BNE    loop

	FOLD4(0, 1, 2, 3)
	VZIP2 V0.D2, V0.D2, V1.D2
	FADD_S(1, 0, 0)
	FADDP_S(0, 0, 0)
	FMOVS F0, ret+24(FP)
	RET

// HALF adds 8 columns of 2 rows of a and 2 of b to their sums: row 0 of a with row 0 of b
// to p0 and p1, row 1 of a to q, row 0 of a with row 1 of b to r, row 1 to s.
#define HALF(p0, p1, q0, q1, r0, r1, s0, s1) \
	FLDPQ.P 32(R3), (F16, F17) \
	FLDPQ.P 32(R1), (F20, F21) \
	FLDPQ.P 32(R2), (F22, F23) \
	FLDPQ.P 32(R4), (F18, F19) \
	MULADD(16, 20, 24, p0)     \
	MULADD(17, 21, 25, p1)     \
	MULADD(16, 22, 26, q0)     \
	MULADD(17, 23, 27, q1)     \
	MULADD(18, 20, 28, r0)     \
	MULADD(19, 21, 29, r1)     \
	MULADD(18, 22, 30, s0)     \
	MULADD(19, 23, 31, s1)

// func dots2x2(dst *float32, stride int, a, b *float32, cols, n, tiles int, sums *float32, last bool)
//
// Each tile is n values of 2 rows of a with the same 2 rows of b; rows are cols apart. Sums
// go on from sums [tiles, 4, Lanes], or start at zero if that is nil, and end there, or
// folded in dst if last. 64 products and sums take 42 instructions.
//
//	R0 dst   R5 stride, bytes   R1, R2 rows of a   R3, R4 rows of b   R6 cols, bytes
//	R7 from a tile's end to the next, bytes   R8 sums   R9 tiles left   R10 values left
//	R11 b   R12 n   R13 last
//	V0…V3 the sum of rows 0 and 0, V4…V7 1 of a and 0, V8…V11 0 and 1 of b, V12…V15 1 and 1
//	V16…V19 b   V20…V23 a   V24…V31 products
TEXT ·dots2x2(SB), NOSPLIT, $0-65
	MOVD  dst+0(FP), R0
	MOVD  stride+8(FP), R5
	LSL   $2, R5
	MOVD  a+16(FP), R1
	MOVD  b+24(FP), R11
	MOVD  cols+32(FP), R6
	LSL   $2, R6
	MOVD  n+40(FP), R12
	MOVD  tiles+48(FP), R9
	MOVD  sums+56(FP), R8
	MOVBU last+64(FP), R13
	LSL   $1, R6, R7
	SUB   R12<<2, R7

tile:
	ADD    R6, R1, R2
	MOVD   R11, R3
	ADD    R6, R11, R4
	MOVD   R12, R10
	CBZ    R8, zero
	MOVD   R8, R14
	VLD1.P 64(R14), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R14), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R14), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD1   (R14), [V12.S4, V13.S4, V14.S4, V15.S4]
	B      loop

zero:
	ZERO16

loop:
	HALF(0, 1, 4, 5, 8, 9, 12, 13)
	HALF(2, 3, 6, 7, 10, 11, 14, 15)
	SUBS $16, R10
	BNE  loop

	CBNZ   R13, fold
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R8)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R8)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(R8)
	VST1.P [V12.S4, V13.S4, V14.S4, V15.S4], 64(R8)
	B      next

fold:
	FOLDQUAD
	ADD  R5, R0, R14
	VST1 V16.D[0], (R0)
	VST1 V16.D[1], (R14)
	CBZ  R8, next
	ADD  $256, R8

next:
	ADD  $8, R0
	ADD  R7, R1
	SUBS $1, R9
	BNE  tile
	RET

// ROW adds 16 products of x, V16…V19, with four registers to a sum.
#define ROW(y0, y1, y2, y3, s0, s1, s2, s3) \
	MULADD(16, y0, y0, s0) \
	MULADD(17, y1, y1, s1) \
	MULADD(18, y2, y2, s2) \
	MULADD(19, y3, y3, s3)

// DOTS4 is the body of the kernels of 4 rows of a with one row x. LOADA(row) widens 16
// values of a row to V20…V23, LOADB(row) to V24…V27.
//
// The tile behind this one is prefetched: processors see four streams that end with each
// tile.
//
//	R0 dst   R1…R4 rows of a   R5 x   R6 its place   R7 cols   R8 a's row, bytes
//	R9 tiles left   R10 values of the row left   R11 4 rows, bytes
//	V0…V15 sums, four registers for a row   V16…V19 x   V20…V27 a and products
//	V28, V29 halves   V31 zero
#define DOTS4(LOADA, LOADB) \
	LSL    $2, R8, R11                              \
	VEOR   V31.B16, V31.B16, V31.B16                \
tile:                                                   \
	ADD    R8, R1, R2                               \
	ADD    R8, R2, R3                               \
	ADD    R8, R3, R4                               \
	MOVD   R5, R6                                   \
	MOVD   R7, R10                                  \
	ZERO16                                          \
loop:                                                   \
	VLD1.P 64(R6), [V16.S4, V17.S4, V18.S4, V19.S4] \
	PREFETCH(11, 1)                                 \
	PREFETCH(11, 2)                                 \
	PREFETCH(11, 3)                                 \
	PREFETCH(11, 4)                                 \
	LOADA(R1)                                       \
	LOADB(R2)                                       \
	ROW(20, 21, 22, 23, 0, 1, 2, 3)                 \
	ROW(24, 25, 26, 27, 4, 5, 6, 7)                 \
	LOADA(R3)                                       \
	LOADB(R4)                                       \
	ROW(20, 21, 22, 23, 8, 9, 10, 11)               \
	ROW(24, 25, 26, 27, 12, 13, 14, 15)             \
	SUBS   $16, R10                                 \
	BNE    loop                                     \
	FOLDQUAD                                        \
	VST1.P [V16.S4], 16(R0)                         \
	MOVD   R4, R1                                   \
	SUBS   $1, R9                                   \
	BNE    tile                                     \
	RET

#define LOADF32A(row) VLD1.P 64(row), [V20.S4, V21.S4, V22.S4, V23.S4]
#define LOADF32B(row) VLD1.P 64(row), [V24.S4, V25.S4, V26.S4, V27.S4]

// A bfloat16 is the upper half of a float32: zeros go in between.
#define WIDENBF16(y0, y1, y2, y3) \
	VZIP1 V28.H8, V31.H8, y0.H8 \
	VZIP2 V28.H8, V31.H8, y1.H8 \
	VZIP1 V29.H8, V31.H8, y2.H8 \
	VZIP2 V29.H8, V31.H8, y3.H8

#define LOADBF16A(row) \
	VLD1.P 32(row), [V28.H8, V29.H8] \
	WIDENBF16(V20, V21, V22, V23)

#define LOADBF16B(row) \
	VLD1.P 32(row), [V28.H8, V29.H8] \
	WIDENBF16(V24, V25, V26, V27)

#define WIDENF16(y0, y1, y2, y3) \
	FCVTL_S(28, y0)  \
	FCVTL2_S(28, y1) \
	FCVTL_S(29, y2)  \
	FCVTL2_S(29, y3)

#define LOADF16A(row) \
	VLD1.P 32(row), [V28.H8, V29.H8] \
	WIDENF16(20, 21, 22, 23)

#define LOADF16B(row) \
	VLD1.P 32(row), [V28.H8, V29.H8] \
	WIDENF16(24, 25, 26, 27)

// func dotsF32Tiles(dst, a, x *float32, cols, tiles int)
TEXT ·dotsF32Tiles(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD a+8(FP), R1
	MOVD x+16(FP), R5
	MOVD cols+24(FP), R7
	MOVD tiles+32(FP), R9
	LSL  $2, R7, R8
	DOTS4(LOADF32A, LOADF32B)

// func dotsBF16Tiles(dst *float32, a *byte, x *float32, cols, tiles int)
TEXT ·dotsBF16Tiles(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD a+8(FP), R1
	MOVD x+16(FP), R5
	MOVD cols+24(FP), R7
	MOVD tiles+32(FP), R9
	LSL  $1, R7, R8
	DOTS4(LOADBF16A, LOADBF16B)

// func dotsF16Tiles(dst *float32, a *byte, x *float32, cols, tiles int)
TEXT ·dotsF16Tiles(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD a+8(FP), R1
	MOVD x+16(FP), R5
	MOVD cols+24(FP), R7
	MOVD tiles+32(FP), R9
	LSL  $1, R7, R8
	DOTS4(LOADF16A, LOADF16B)

// func widenBF16Blocks(dst *float32, data *byte, n int)
//
// R0 dst, R1 data, R2 values left; V28, V29 halves, V20…V23 the same as float32, V31 zero.
TEXT ·widenBF16Blocks(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD data+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V31.B16, V31.B16, V31.B16

loop:
	LOADBF16A(R1)
	VST1.P [V20.S4, V21.S4, V22.S4, V23.S4], 64(R0)
	SUBS   $16, R2
	BNE    loop
	RET

// func widenF16Blocks(dst *float32, data *byte, n int)
//
// R0 dst, R1 data, R2 values left; V28, V29 halves, V20…V23 the same as float32.
TEXT ·widenF16Blocks(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD data+8(FP), R1
	MOVD n+16(FP), R2

loop:
	LOADF16A(R1)
	VST1.P [V20.S4, V21.S4, V22.S4, V23.S4], 64(R0)
	SUBS   $16, R2
	BNE    loop
	RET
