//go:build !purego

#include "textflag.h"
#include "neon_arm64.h"

// Inner products of a query with tiles of 16 keys, bit for bit those of Dot: four registers
// hold what 16 keys have in one column, which is multiplied by the query's value there.
// Columns come by the lanes of Dot, in the order in which these meet, so that sums wait in at
// most five places: a tile is one stream, and nothing is folded across registers.
//
// A lane begins with its first product instead of adding it to +0. That is another number
// only where all products are -0, and +0 is added to the sum at the end.
//
// cols is a multiple of 16, at least 16. Keys 4 KB ahead are prefetched.

#define LOADF32 \
	VLD1.P 64(R1), [V20.S4, V21.S4, V22.S4, V23.S4]

#define LOADF16 \
	VLD1.P 32(R1), [V28.H8, V29.H8] \
	FCVTL_S(28, 20)                 \
	FCVTL2_S(28, 21)                \
	FCVTL_S(29, 22)                 \
	FCVTL2_S(29, 23)

#define LOADI8 \
	VLD1.P 16(R1), [V29.B16] \
	SXTL_H(29, 28)           \
	SXTL2_H(29, 29)          \
	SXTL_S(28, 20)           \
	SXTL2_S(28, 21)          \
	SXTL_S(29, 22)           \
	SXTL2_S(29, 23)          \
	SCVTF(20, 20)            \
	SCVTF(21, 21)            \
	SCVTF(22, 22)            \
	SCVTF(23, 23)

// ADD4 adds four registers to four.
#define ADD4(x0, x1, x2, x3, s0, s1, s2, s3) \
	FADD_S(x0, s0, s0) \
	FADD_S(x1, s1, s1) \
	FADD_S(x2, s2, s2) \
	FADD_S(x3, s3, s3)

// LANE sets s0…s3 to lane j of the 16 keys.
#define LANE(j, LOAD, loop, out, s0, s1, s2, s3) \
	ADD     $(4*j), R2, R5               \
	SUBS    $1, R3, R6                   \
	FMOVS.P 64(R5), F30                  \
	PRFM    4096(R1), PLDL1KEEP          \
	LOAD                                 \
	FMUL_S_BY(0, 30, 20, s0)             \
	FMUL_S_BY(0, 30, 21, s1)             \
	FMUL_S_BY(0, 30, 22, s2)             \
	FMUL_S_BY(0, 30, 23, s3)             \
	BEQ     out                          \
loop:                                        \
	FMOVS.P 64(R5), F30                  \
	PRFM    4096(R1), PLDL1KEEP          \
	LOAD                                 \
	FMUL_S_BY(0, 30, 20, 20)             \
	FMUL_S_BY(0, 30, 21, 21)             \
	FMUL_S_BY(0, 30, 22, 22)             \
	FMUL_S_BY(0, 30, 23, 23)             \
	ADD4(20, 21, 22, 23, s0, s1, s2, s3) \
	SUBS    $1, R6                       \
	BNE     loop                         \
out:

// DOTTILES is the body of the kernels.
//
//	R0 dst   R1 tile   R2 query   R3 columns of a lane   R4 tiles left
//	R5 place in the query   R6 columns of the lane left
//	V0…V19 lanes and their sums, by the depth at which they wait   V20…V23 keys, products
//	V28, V29 halves or bytes   V30 the query's value   V31 zero
#define DOTTILES(LOAD) \
	LSR  $4, R3                                   \
	VEOR V31.B16, V31.B16, V31.B16                \
tile:                                                 \
	LANE(0, LOAD, loop0, out0, 0, 1, 2, 3)        \
	LANE(8, LOAD, loop8, out8, 4, 5, 6, 7)        \
	ADD4(4, 5, 6, 7, 0, 1, 2, 3)                  \
	LANE(4, LOAD, loop4, out4, 4, 5, 6, 7)        \
	LANE(12, LOAD, loop12, out12, 8, 9, 10, 11)   \
	ADD4(8, 9, 10, 11, 4, 5, 6, 7)                \
	ADD4(4, 5, 6, 7, 0, 1, 2, 3)                  \
	LANE(2, LOAD, loop2, out2, 4, 5, 6, 7)        \
	LANE(10, LOAD, loop10, out10, 8, 9, 10, 11)   \
	ADD4(8, 9, 10, 11, 4, 5, 6, 7)                \
	LANE(6, LOAD, loop6, out6, 8, 9, 10, 11)      \
	LANE(14, LOAD, loop14, out14, 12, 13, 14, 15) \
	ADD4(12, 13, 14, 15, 8, 9, 10, 11)            \
	ADD4(8, 9, 10, 11, 4, 5, 6, 7)                \
	ADD4(4, 5, 6, 7, 0, 1, 2, 3)                  \
	LANE(1, LOAD, loop1, out1, 4, 5, 6, 7)        \
	LANE(9, LOAD, loop9, out9, 8, 9, 10, 11)      \
	ADD4(8, 9, 10, 11, 4, 5, 6, 7)                \
	LANE(5, LOAD, loop5, out5, 8, 9, 10, 11)      \
	LANE(13, LOAD, loop13, out13, 12, 13, 14, 15) \
	ADD4(12, 13, 14, 15, 8, 9, 10, 11)            \
	ADD4(8, 9, 10, 11, 4, 5, 6, 7)                \
	LANE(3, LOAD, loop3, out3, 8, 9, 10, 11)      \
	LANE(11, LOAD, loop11, out11, 12, 13, 14, 15) \
	ADD4(12, 13, 14, 15, 8, 9, 10, 11)            \
	LANE(7, LOAD, loop7, out7, 12, 13, 14, 15)    \
	LANE(15, LOAD, loop15, out15, 16, 17, 18, 19) \
	ADD4(16, 17, 18, 19, 12, 13, 14, 15)          \
	ADD4(12, 13, 14, 15, 8, 9, 10, 11)            \
	ADD4(8, 9, 10, 11, 4, 5, 6, 7)                \
	ADD4(4, 5, 6, 7, 0, 1, 2, 3)                  \
	ADD4(31, 31, 31, 31, 0, 1, 2, 3)              \
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)   \
	SUBS $1, R4                                   \
	BNE  tile                                     \
	RET

// func dotTilesF32(dst, keys, q *float32, cols, tiles int)
TEXT ·dotTilesF32(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD keys+8(FP), R1
	MOVD q+16(FP), R2
	MOVD cols+24(FP), R3
	MOVD tiles+32(FP), R4
	DOTTILES(LOADF32)

// func dotTilesF16(dst *float32, keys *uint16, q *float32, cols, tiles int)
TEXT ·dotTilesF16(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD keys+8(FP), R1
	MOVD q+16(FP), R2
	MOVD cols+24(FP), R3
	MOVD tiles+32(FP), R4
	DOTTILES(LOADF16)

// func dotTilesI8(dst *float32, keys *int8, q *float32, cols, tiles int)
TEXT ·dotTilesI8(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD keys+8(FP), R1
	MOVD q+16(FP), R2
	MOVD cols+24(FP), R3
	MOVD tiles+32(FP), R4
	DOTTILES(LOADI8)

// func widenI8Blocks(dst *float32, x *int8, n int)
//
// R0 dst, R1 x, R2 values left; V28, V29 bytes and halves, V20…V23 the same as float32.
TEXT ·widenI8Blocks(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD x+8(FP), R1
	MOVD n+16(FP), R2

loop:
	LOADI8
	VST1.P [V20.S4, V21.S4, V22.S4, V23.S4], 64(R0)
	SUBS   $16, R2
	BNE    loop
	RET
