//go:build amd64 && !purego

#include "textflag.h"

// Inner products of a query with tiles of 16 keys, bit for bit those of Dot: as in
// tiles_avx512_amd64.s, but that two registers hold what 16 keys have in one column.
//
// cols is a multiple of 16, at least 16. Columns lie in the order in which they are read, so
// that a tile is one stream. What lies ahead bytes behind is prefetched.

#define LOADF32(from, to) \
	VMOVUPS from, to

#define LOADF16(from, to) \
	VCVTPH2PS from, to

#define LOADI8(from, to) \
	VPMOVSXBD from, to \
	VCVTDQ2PS to, to

// LANE sets s and t to lane j for the keys 0 to 7 and 8 to 15; W is the size of a value.
#define LANE(j, LOAD, W, loop, out, s, t) \
	XORL R9, R9 \
	MOVQ R13, CX \
	PREFETCHT0 (SI)(R14*1) \
	VBROADCASTSS (4*j)(DX), Y12 \
	LOAD((SI), s) \
	LOAD((8*W)(SI), t) \
	ADDQ $(16*W), SI \
	VMULPS Y12, s, s \
	VMULPS Y12, t, t \
	DECQ CX \
	JZ   out \
loop: \
	ADDQ $64, R9 \
	PREFETCHT0 (SI)(R14*1) \
	VBROADCASTSS (4*j)(DX)(R9*1), Y12 \
	LOAD((SI), Y10) \
	LOAD((8*W)(SI), Y11) \
	ADDQ $(16*W), SI \
	VMULPS Y12, Y10, Y10 \
	VMULPS Y12, Y11, Y11 \
	VADDPS Y10, s, s \
	VADDPS Y11, t, t \
	DECQ CX \
	JNZ  loop \
out:

// ADD2 adds two registers to two.
#define ADD2(x, y, s, t) \
	VADDPS x, s, s \
	VADDPS y, t, t

// DOTTILES is the body of the kernels.
//
//	DI dst   SI tile   R14 ahead   BX tiles left   DX query
//	R13 columns of a lane   CX those left   R9 offset in the query
//	Y0…Y9 lanes and their sums, by the depth at which they wait   Y10, Y11 keys, products
//	Y12 the query's value   Y13 zero
#define DOTTILES(LOAD, W) \
	SHRQ $4, R13 \
	VXORPS X13, X13, X13 \
tile: \
	LANE(0, LOAD, W, loop0, out0, Y0, Y1) \
	LANE(8, LOAD, W, loop8, out8, Y2, Y3) \
	ADD2(Y2, Y3, Y0, Y1) \
	LANE(4, LOAD, W, loop4, out4, Y2, Y3) \
	LANE(12, LOAD, W, loop12, out12, Y4, Y5) \
	ADD2(Y4, Y5, Y2, Y3) \
	ADD2(Y2, Y3, Y0, Y1) \
	LANE(2, LOAD, W, loop2, out2, Y2, Y3) \
	LANE(10, LOAD, W, loop10, out10, Y4, Y5) \
	ADD2(Y4, Y5, Y2, Y3) \
	LANE(6, LOAD, W, loop6, out6, Y4, Y5) \
	LANE(14, LOAD, W, loop14, out14, Y6, Y7) \
	ADD2(Y6, Y7, Y4, Y5) \
	ADD2(Y4, Y5, Y2, Y3) \
	ADD2(Y2, Y3, Y0, Y1) \
	LANE(1, LOAD, W, loop1, out1, Y2, Y3) \
	LANE(9, LOAD, W, loop9, out9, Y4, Y5) \
	ADD2(Y4, Y5, Y2, Y3) \
	LANE(5, LOAD, W, loop5, out5, Y4, Y5) \
	LANE(13, LOAD, W, loop13, out13, Y6, Y7) \
	ADD2(Y6, Y7, Y4, Y5) \
	ADD2(Y4, Y5, Y2, Y3) \
	LANE(3, LOAD, W, loop3, out3, Y4, Y5) \
	LANE(11, LOAD, W, loop11, out11, Y6, Y7) \
	ADD2(Y6, Y7, Y4, Y5) \
	LANE(7, LOAD, W, loop7, out7, Y6, Y7) \
	LANE(15, LOAD, W, loop15, out15, Y8, Y9) \
	ADD2(Y8, Y9, Y6, Y7) \
	ADD2(Y6, Y7, Y4, Y5) \
	ADD2(Y4, Y5, Y2, Y3) \
	ADD2(Y2, Y3, Y0, Y1) \
	ADD2(Y13, Y13, Y0, Y1) \
	VMOVUPS Y0, (DI) \
	VMOVUPS Y1, 32(DI) \
	ADDQ $64, DI \
	DECQ BX \
	JNZ  tile \
	VZEROUPPER \
	RET

// func dotTilesF32AVX2(dst, keys, q *float32, cols, tiles, ahead int)
TEXT ·dotTilesF32AVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ keys+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ cols+24(FP), R13
	MOVQ tiles+32(FP), BX
	MOVQ ahead+40(FP), R14
	DOTTILES(LOADF32, 4)

// func dotTilesF16AVX2(dst *float32, keys *uint16, q *float32, cols, tiles, ahead int)
TEXT ·dotTilesF16AVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ keys+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ cols+24(FP), R13
	MOVQ tiles+32(FP), BX
	MOVQ ahead+40(FP), R14
	DOTTILES(LOADF16, 2)

// func dotTilesI8AVX2(dst *float32, keys *int8, q *float32, cols, tiles, ahead int)
TEXT ·dotTilesI8AVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ keys+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ cols+24(FP), R13
	MOVQ tiles+32(FP), BX
	MOVQ ahead+40(FP), R14
	DOTTILES(LOADI8, 1)
