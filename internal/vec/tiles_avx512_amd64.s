//go:build amd64 && !purego

#include "textflag.h"

// Inner products of queries with tiles of 16 keys, bit for bit those of Dot. A register
// holds what 16 keys have in one column, so that lanes of a sum are registers and fold
// without shuffles: lane j multiplies columns j, j+16, … and adds them in order, a product
// rounded before it is added (VMULPS, VADDPS); then lanes fold by halves, each as soon as
// both are there. A lane begins with its first product instead of with zero, which differs
// only where a sum is -0: adding zero at the end makes that +0, as Dot gives it.
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

// MULADD adds x times the value at q to sum.
#define MULADD(q, x, product, sum) \
	VMULPS.BCST q, x, product \
	VADDPS product, sum, sum

// LANE4 sets s0…s3 to lane j of 4 queries; W is the size of a value.
#define LANE4(j, LOAD, W, loop, out, s0, s1, s2, s3) \
	XORL R9, R9 \
	MOVQ R13, CX \
	PREFETCHT0 (SI)(R14*1) \
	LOAD((SI), Z20) \
	ADDQ $(16*W), SI \
	VMULPS.BCST (4*j)(DX), Z20, s0 \
	VMULPS.BCST (4*j)(R10), Z20, s1 \
	VMULPS.BCST (4*j)(R11), Z20, s2 \
	VMULPS.BCST (4*j)(R12), Z20, s3 \
	DECQ CX \
	JZ   out \
loop: \
	ADDQ $64, R9 \
	PREFETCHT0 (SI)(R14*1) \
	LOAD((SI), Z20) \
	ADDQ $(16*W), SI \
	MULADD((4*j)(DX)(R9*1), Z20, Z21, s0) \
	MULADD((4*j)(R10)(R9*1), Z20, Z22, s1) \
	MULADD((4*j)(R11)(R9*1), Z20, Z23, s2) \
	MULADD((4*j)(R12)(R9*1), Z20, Z24, s3) \
	DECQ CX \
	JNZ  loop \
out:

// ADD4 adds four registers to four.
#define ADD4(x0, x1, x2, x3, s0, s1, s2, s3) \
	VADDPS x0, s0, s0 \
	VADDPS x1, s1, s1 \
	VADDPS x2, s2, s2 \
	VADDPS x3, s3, s3

// DOTTILES4 is the body of the kernels of 4 queries.
//
//	DI dst   AX stride, bytes   SI tile   R14 ahead   BX tiles left
//	DX, R10, R11, R12 queries   R13 columns of a lane   CX those left
//	R9 offset in the queries
//	Z0…Z19 lanes and their sums, by the depth at which they wait   Z20 keys
//	Z21…Z24 products   Z25 zero
#define DOTTILES4(LOAD, W) \
	SHLQ $2, AX \
	LEAQ (DX)(R13*4), R10 \
	LEAQ (R10)(R13*4), R11 \
	LEAQ (R11)(R13*4), R12 \
	SHRQ $4, R13 \
	VXORPS X25, X25, X25 \
tile: \
	LANE4(0, LOAD, W, loop0, out0, Z0, Z1, Z2, Z3) \
	LANE4(8, LOAD, W, loop8, out8, Z4, Z5, Z6, Z7) \
	ADD4(Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3) \
	LANE4(4, LOAD, W, loop4, out4, Z4, Z5, Z6, Z7) \
	LANE4(12, LOAD, W, loop12, out12, Z8, Z9, Z10, Z11) \
	ADD4(Z8, Z9, Z10, Z11, Z4, Z5, Z6, Z7) \
	ADD4(Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3) \
	LANE4(2, LOAD, W, loop2, out2, Z4, Z5, Z6, Z7) \
	LANE4(10, LOAD, W, loop10, out10, Z8, Z9, Z10, Z11) \
	ADD4(Z8, Z9, Z10, Z11, Z4, Z5, Z6, Z7) \
	LANE4(6, LOAD, W, loop6, out6, Z8, Z9, Z10, Z11) \
	LANE4(14, LOAD, W, loop14, out14, Z12, Z13, Z14, Z15) \
	ADD4(Z12, Z13, Z14, Z15, Z8, Z9, Z10, Z11) \
	ADD4(Z8, Z9, Z10, Z11, Z4, Z5, Z6, Z7) \
	ADD4(Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3) \
	LANE4(1, LOAD, W, loop1, out1, Z4, Z5, Z6, Z7) \
	LANE4(9, LOAD, W, loop9, out9, Z8, Z9, Z10, Z11) \
	ADD4(Z8, Z9, Z10, Z11, Z4, Z5, Z6, Z7) \
	LANE4(5, LOAD, W, loop5, out5, Z8, Z9, Z10, Z11) \
	LANE4(13, LOAD, W, loop13, out13, Z12, Z13, Z14, Z15) \
	ADD4(Z12, Z13, Z14, Z15, Z8, Z9, Z10, Z11) \
	ADD4(Z8, Z9, Z10, Z11, Z4, Z5, Z6, Z7) \
	LANE4(3, LOAD, W, loop3, out3, Z8, Z9, Z10, Z11) \
	LANE4(11, LOAD, W, loop11, out11, Z12, Z13, Z14, Z15) \
	ADD4(Z12, Z13, Z14, Z15, Z8, Z9, Z10, Z11) \
	LANE4(7, LOAD, W, loop7, out7, Z12, Z13, Z14, Z15) \
	LANE4(15, LOAD, W, loop15, out15, Z16, Z17, Z18, Z19) \
	ADD4(Z16, Z17, Z18, Z19, Z12, Z13, Z14, Z15) \
	ADD4(Z12, Z13, Z14, Z15, Z8, Z9, Z10, Z11) \
	ADD4(Z8, Z9, Z10, Z11, Z4, Z5, Z6, Z7) \
	ADD4(Z4, Z5, Z6, Z7, Z0, Z1, Z2, Z3) \
	ADD4(Z25, Z25, Z25, Z25, Z0, Z1, Z2, Z3) \
	LEAQ (AX)(AX*2), R8 \
	VMOVUPS Z0, (DI) \
	VMOVUPS Z1, (DI)(AX*1) \
	VMOVUPS Z2, (DI)(AX*2) \
	VMOVUPS Z3, (DI)(R8*1) \
	ADDQ $64, DI \
	DECQ BX \
	JNZ  tile \
	VZEROUPPER \
	RET

// func dotTiles4F32AVX512(dst *float32, stride int, keys, q *float32, cols, tiles, ahead int)
TEXT ·dotTiles4F32AVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), AX
	MOVQ keys+16(FP), SI
	MOVQ q+24(FP), DX
	MOVQ cols+32(FP), R13
	MOVQ tiles+40(FP), BX
	MOVQ ahead+48(FP), R14
	DOTTILES4(LOADF32, 4)

// func dotTiles4F16AVX512(dst *float32, stride int, keys *uint16, q *float32, cols, tiles, ahead int)
TEXT ·dotTiles4F16AVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), AX
	MOVQ keys+16(FP), SI
	MOVQ q+24(FP), DX
	MOVQ cols+32(FP), R13
	MOVQ tiles+40(FP), BX
	MOVQ ahead+48(FP), R14
	DOTTILES4(LOADF16, 2)

// func dotTiles4I8AVX512(dst *float32, stride int, keys *int8, q *float32, cols, tiles, ahead int)
TEXT ·dotTiles4I8AVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), AX
	MOVQ keys+16(FP), SI
	MOVQ q+24(FP), DX
	MOVQ cols+32(FP), R13
	MOVQ tiles+40(FP), BX
	MOVQ ahead+48(FP), R14
	DOTTILES4(LOADI8, 1)

// LANE3 sets s0…s2 to lane j of 3 queries.
#define LANE3(j, LOAD, W, loop, out, s0, s1, s2) \
	XORL R9, R9 \
	MOVQ R13, CX \
	PREFETCHT0 (SI)(R14*1) \
	LOAD((SI), Z20) \
	ADDQ $(16*W), SI \
	VMULPS.BCST (4*j)(DX), Z20, s0 \
	VMULPS.BCST (4*j)(R10), Z20, s1 \
	VMULPS.BCST (4*j)(R11), Z20, s2 \
	DECQ CX \
	JZ   out \
loop: \
	ADDQ $64, R9 \
	PREFETCHT0 (SI)(R14*1) \
	LOAD((SI), Z20) \
	ADDQ $(16*W), SI \
	MULADD((4*j)(DX)(R9*1), Z20, Z21, s0) \
	MULADD((4*j)(R10)(R9*1), Z20, Z22, s1) \
	MULADD((4*j)(R11)(R9*1), Z20, Z23, s2) \
	DECQ CX \
	JNZ  loop \
out:

// ADD3 adds three registers to three.
#define ADD3(x0, x1, x2, s0, s1, s2) \
	VADDPS x0, s0, s0 \
	VADDPS x1, s1, s1 \
	VADDPS x2, s2, s2

// DOTTILES3 is the body of the kernels of 3 queries; registers as in DOTTILES4, but
// for R12.
#define DOTTILES3(LOAD, W) \
	SHLQ $2, AX \
	LEAQ (DX)(R13*4), R10 \
	LEAQ (R10)(R13*4), R11 \
	SHRQ $4, R13 \
	VXORPS X25, X25, X25 \
tile: \
	LANE3(0, LOAD, W, loop0, out0, Z0, Z1, Z2) \
	LANE3(8, LOAD, W, loop8, out8, Z4, Z5, Z6) \
	ADD3(Z4, Z5, Z6, Z0, Z1, Z2) \
	LANE3(4, LOAD, W, loop4, out4, Z4, Z5, Z6) \
	LANE3(12, LOAD, W, loop12, out12, Z8, Z9, Z10) \
	ADD3(Z8, Z9, Z10, Z4, Z5, Z6) \
	ADD3(Z4, Z5, Z6, Z0, Z1, Z2) \
	LANE3(2, LOAD, W, loop2, out2, Z4, Z5, Z6) \
	LANE3(10, LOAD, W, loop10, out10, Z8, Z9, Z10) \
	ADD3(Z8, Z9, Z10, Z4, Z5, Z6) \
	LANE3(6, LOAD, W, loop6, out6, Z8, Z9, Z10) \
	LANE3(14, LOAD, W, loop14, out14, Z12, Z13, Z14) \
	ADD3(Z12, Z13, Z14, Z8, Z9, Z10) \
	ADD3(Z8, Z9, Z10, Z4, Z5, Z6) \
	ADD3(Z4, Z5, Z6, Z0, Z1, Z2) \
	LANE3(1, LOAD, W, loop1, out1, Z4, Z5, Z6) \
	LANE3(9, LOAD, W, loop9, out9, Z8, Z9, Z10) \
	ADD3(Z8, Z9, Z10, Z4, Z5, Z6) \
	LANE3(5, LOAD, W, loop5, out5, Z8, Z9, Z10) \
	LANE3(13, LOAD, W, loop13, out13, Z12, Z13, Z14) \
	ADD3(Z12, Z13, Z14, Z8, Z9, Z10) \
	ADD3(Z8, Z9, Z10, Z4, Z5, Z6) \
	LANE3(3, LOAD, W, loop3, out3, Z8, Z9, Z10) \
	LANE3(11, LOAD, W, loop11, out11, Z12, Z13, Z14) \
	ADD3(Z12, Z13, Z14, Z8, Z9, Z10) \
	LANE3(7, LOAD, W, loop7, out7, Z12, Z13, Z14) \
	LANE3(15, LOAD, W, loop15, out15, Z16, Z17, Z18) \
	ADD3(Z16, Z17, Z18, Z12, Z13, Z14) \
	ADD3(Z12, Z13, Z14, Z8, Z9, Z10) \
	ADD3(Z8, Z9, Z10, Z4, Z5, Z6) \
	ADD3(Z4, Z5, Z6, Z0, Z1, Z2) \
	ADD3(Z25, Z25, Z25, Z0, Z1, Z2) \
	VMOVUPS Z0, (DI) \
	VMOVUPS Z1, (DI)(AX*1) \
	VMOVUPS Z2, (DI)(AX*2) \
	ADDQ $64, DI \
	DECQ BX \
	JNZ  tile \
	VZEROUPPER \
	RET

// func dotTiles3F32AVX512(dst *float32, stride int, keys, q *float32, cols, tiles, ahead int)
TEXT ·dotTiles3F32AVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), AX
	MOVQ keys+16(FP), SI
	MOVQ q+24(FP), DX
	MOVQ cols+32(FP), R13
	MOVQ tiles+40(FP), BX
	MOVQ ahead+48(FP), R14
	DOTTILES3(LOADF32, 4)

// func dotTiles3F16AVX512(dst *float32, stride int, keys *uint16, q *float32, cols, tiles, ahead int)
TEXT ·dotTiles3F16AVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), AX
	MOVQ keys+16(FP), SI
	MOVQ q+24(FP), DX
	MOVQ cols+32(FP), R13
	MOVQ tiles+40(FP), BX
	MOVQ ahead+48(FP), R14
	DOTTILES3(LOADF16, 2)

// func dotTiles3I8AVX512(dst *float32, stride int, keys *int8, q *float32, cols, tiles, ahead int)
TEXT ·dotTiles3I8AVX512(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), AX
	MOVQ keys+16(FP), SI
	MOVQ q+24(FP), DX
	MOVQ cols+32(FP), R13
	MOVQ tiles+40(FP), BX
	MOVQ ahead+48(FP), R14
	DOTTILES3(LOADI8, 1)

// LANE1 sets s to lane j of a query.
#define LANE1(j, LOAD, W, loop, out, s) \
	XORL R9, R9 \
	MOVQ R13, CX \
	PREFETCHT0 (SI)(R14*1) \
	LOAD((SI), Z5) \
	ADDQ $(16*W), SI \
	VMULPS.BCST (4*j)(DX), Z5, s \
	DECQ CX \
	JZ   out \
loop: \
	ADDQ $64, R9 \
	PREFETCHT0 (SI)(R14*1) \
	LOAD((SI), Z5) \
	ADDQ $(16*W), SI \
	MULADD((4*j)(DX)(R9*1), Z5, Z6, s) \
	DECQ CX \
	JNZ  loop \
out:

// DOTTILES1 is the body of the kernels of one query; registers as in DOTTILES4, but for
//
//	Z0…Z4 lanes and their sums   Z5 keys   Z6 products   Z7 zero
#define DOTTILES1(LOAD, W) \
	SHRQ $4, R13 \
	VXORPS X7, X7, X7 \
tile: \
	LANE1(0, LOAD, W, loop0, out0, Z0) \
	LANE1(8, LOAD, W, loop8, out8, Z1) \
	VADDPS Z1, Z0, Z0 \
	LANE1(4, LOAD, W, loop4, out4, Z1) \
	LANE1(12, LOAD, W, loop12, out12, Z2) \
	VADDPS Z2, Z1, Z1 \
	VADDPS Z1, Z0, Z0 \
	LANE1(2, LOAD, W, loop2, out2, Z1) \
	LANE1(10, LOAD, W, loop10, out10, Z2) \
	VADDPS Z2, Z1, Z1 \
	LANE1(6, LOAD, W, loop6, out6, Z2) \
	LANE1(14, LOAD, W, loop14, out14, Z3) \
	VADDPS Z3, Z2, Z2 \
	VADDPS Z2, Z1, Z1 \
	VADDPS Z1, Z0, Z0 \
	LANE1(1, LOAD, W, loop1, out1, Z1) \
	LANE1(9, LOAD, W, loop9, out9, Z2) \
	VADDPS Z2, Z1, Z1 \
	LANE1(5, LOAD, W, loop5, out5, Z2) \
	LANE1(13, LOAD, W, loop13, out13, Z3) \
	VADDPS Z3, Z2, Z2 \
	VADDPS Z2, Z1, Z1 \
	LANE1(3, LOAD, W, loop3, out3, Z2) \
	LANE1(11, LOAD, W, loop11, out11, Z3) \
	VADDPS Z3, Z2, Z2 \
	LANE1(7, LOAD, W, loop7, out7, Z3) \
	LANE1(15, LOAD, W, loop15, out15, Z4) \
	VADDPS Z4, Z3, Z3 \
	VADDPS Z3, Z2, Z2 \
	VADDPS Z2, Z1, Z1 \
	VADDPS Z1, Z0, Z0 \
	VADDPS Z7, Z0, Z0 \
	VMOVUPS Z0, (DI) \
	ADDQ $64, DI \
	DECQ BX \
	JNZ  tile \
	VZEROUPPER \
	RET

// func dotTiles1F32AVX512(dst, keys, q *float32, cols, tiles, ahead int)
TEXT ·dotTiles1F32AVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ keys+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ cols+24(FP), R13
	MOVQ tiles+32(FP), BX
	MOVQ ahead+40(FP), R14
	DOTTILES1(LOADF32, 4)

// func dotTiles1F16AVX512(dst *float32, keys *uint16, q *float32, cols, tiles, ahead int)
TEXT ·dotTiles1F16AVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ keys+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ cols+24(FP), R13
	MOVQ tiles+32(FP), BX
	MOVQ ahead+40(FP), R14
	DOTTILES1(LOADF16, 2)

// func dotTiles1I8AVX512(dst *float32, keys *int8, q *float32, cols, tiles, ahead int)
TEXT ·dotTiles1I8AVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ keys+8(FP), SI
	MOVQ q+16(FP), DX
	MOVQ cols+24(FP), R13
	MOVQ tiles+32(FP), BX
	MOVQ ahead+40(FP), R14
	DOTTILES1(LOADI8, 1)
