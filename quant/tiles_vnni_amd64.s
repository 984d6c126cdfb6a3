//go:build amd64 && !purego

#include "textflag.h"

// Products of tiles for AVX-512 with F, BW, VL and VNNI. VPDPWSSD takes two words of a row
// and a token in a step, VPDPBUSD four bytes; all else is the same.

// LOAD reads the arguments of a product of tiles.
#define LOAD \
	MOVQ acc+0(FP), DI;       \
	MOVQ x+8(FP), SI;         \
	MOVQ w+16(FP), DX;        \
	MOVQ sw+24(FP), R8;       \
	MOVQ sx+32(FP), R9;       \
	MOVQ bias+40(FP), R10;    \
	MOVQ steps+48(FP), R11;   \
	LEAQ (R11)(R11*2), R15;   \
	MOVQ wStride+64(FP), R12; \
	MOVQ swStride+72(FP), R13

// DOT4 multiplies a row's weights with four tiles.
#define DOT4(DOT, w, a0, a1, a2, a3) \
	DOT Z16, w, a0; \
	DOT Z17, w, a1; \
	DOT Z18, w, a2; \
	DOT Z19, w, a3

// SCALE4 adds the dots of a row with four tiles, scaled, to its results.
#define SCALE4(row, a0, a1, a2, a3) \
	VBROADCASTSS (4*row)(R8), Z20;         \
	VMULPS       Z16, Z20, Z21;            \
	VMULPS       Z17, Z20, Z22;            \
	VMULPS       Z18, Z20, Z23;            \
	VMULPS       Z19, Z20, Z24;            \
	VCVTDQ2PS    a0, a0;                   \
	VCVTDQ2PS    a1, a1;                   \
	VCVTDQ2PS    a2, a2;                   \
	VCVTDQ2PS    a3, a3;                   \
	VMULPS       Z21, a0, a0;              \
	VMULPS       Z22, a1, a1;              \
	VMULPS       Z23, a2, a2;              \
	VMULPS       Z24, a3, a3;              \
	VADDPS       (256*row)(DI), a0, a0;    \
	VADDPS       (256*row+64)(DI), a1, a1; \
	VADDPS       (256*row+128)(DI), a2, a2; \
	VADDPS       (256*row+192)(DI), a3, a3; \
	VMOVUPS      a0, (256*row)(DI);        \
	VMOVUPS      a1, (256*row+64)(DI);     \
	VMOVUPS      a2, (256*row+128)(DI);    \
	VMOVUPS      a3, (256*row+192)(DI)

// FOUR_TILES is a product with four tiles, by DOT: 16 sums, each a row's with a tile. They
// start at the biases.
//
//	DI  acc       SI  x          DX  w           R8  sw       R9  sx     R10  bias
//	R11 steps     R15 3·steps    R12 wStride     R13 swStride
//	AX  quads left               R14 x of a step              BX  w of a step
//	CX  steps left
//	Z0 … Z15   sums, [4 rows][4 tiles]
//	Z16 … Z19  x, then sx        Z20 … Z24  weights, then scales
#define FOUR_TILES(DOT) \
	LOAD;                               \
	MOVQ         quads+56(FP), AX;      \
quad:                                   \
	VMOVDQU32    (R10), Z0;             \
	VMOVDQU32    64(R10), Z1;           \
	VMOVDQU32    128(R10), Z2;          \
	VMOVDQU32    192(R10), Z3;          \
	VMOVDQA32    Z0, Z4;                \
	VMOVDQA32    Z1, Z5;                \
	VMOVDQA32    Z2, Z6;                \
	VMOVDQA32    Z3, Z7;                \
	VMOVDQA32    Z0, Z8;                \
	VMOVDQA32    Z1, Z9;                \
	VMOVDQA32    Z2, Z10;               \
	VMOVDQA32    Z3, Z11;               \
	VMOVDQA32    Z0, Z12;               \
	VMOVDQA32    Z1, Z13;               \
	VMOVDQA32    Z2, Z14;               \
	VMOVDQA32    Z3, Z15;               \
	MOVQ         SI, R14;               \
	MOVQ         DX, BX;                \
	MOVQ         R11, CX;               \
step:                                   \
	VMOVDQU32    (R14), Z16;            \
	VMOVDQU32    64(R14), Z17;          \
	VMOVDQU32    128(R14), Z18;         \
	VMOVDQU32    192(R14), Z19;         \
	VPBROADCASTD (BX), Z20;             \
	VPBROADCASTD (BX)(R11*4), Z21;      \
	VPBROADCASTD (BX)(R11*8), Z22;      \
	VPBROADCASTD (BX)(R15*4), Z23;      \
	DOT4(DOT, Z20, Z0, Z1, Z2, Z3);     \
	DOT4(DOT, Z21, Z4, Z5, Z6, Z7);     \
	DOT4(DOT, Z22, Z8, Z9, Z10, Z11);   \
	DOT4(DOT, Z23, Z12, Z13, Z14, Z15); \
	ADDQ         $256, R14;             \
	ADDQ         $4, BX;                \
	DECQ         CX;                    \
	JNZ          step;                  \
	VMOVUPS      (R9), Z16;             \
	VMOVUPS      64(R9), Z17;           \
	VMOVUPS      128(R9), Z18;          \
	VMOVUPS      192(R9), Z19;          \
	SCALE4(0, Z0, Z1, Z2, Z3);          \
	SCALE4(1, Z4, Z5, Z6, Z7);          \
	SCALE4(2, Z8, Z9, Z10, Z11);        \
	SCALE4(3, Z12, Z13, Z14, Z15);      \
	ADDQ         $1024, DI;             \
	ADDQ         R12, DX;               \
	ADDQ         R13, R8;               \
	DECQ         AX;                    \
	JNZ          quad;                  \
	VZEROUPPER;                         \
	RET

// DOT_QUAD multiplies the weights of four rows with the tile.
#define DOT_QUAD(DOT, w, a0, a1, a2, a3) \
	VPBROADCASTD (w), Z17;         \
	VPBROADCASTD (w)(R11*4), Z18;  \
	VPBROADCASTD (w)(R11*8), Z19;  \
	VPBROADCASTD (w)(R15*4), Z20;  \
	DOT          Z16, Z17, a0;     \
	DOT          Z16, Z18, a1;     \
	DOT          Z16, Z19, a2;     \
	DOT          Z16, Z20, a3;     \
	ADDQ         $4, w

// SCALE_ROW adds a row's dot with the tile, scaled, to its results.
#define SCALE_ROW(row, a) \
	VBROADCASTSS (4*row)(R8), Z17; \
	VMULPS       Z16, Z17, Z17;    \
	VCVTDQ2PS    a, a;             \
	VMULPS       Z17, a, a;        \
	VADDPS       (64*row)(DI), a, a; \
	VMOVUPS      a, (64*row)(DI)

// SCALE_QUAD does it for four rows and goes on to the next four.
#define SCALE_QUAD(a0, a1, a2, a3) \
	SCALE_ROW(0, a0); \
	SCALE_ROW(1, a1); \
	SCALE_ROW(2, a2); \
	SCALE_ROW(3, a3); \
	ADDQ R13, R8;     \
	ADDQ $256, DI

// SIXTEEN_ROWS is a product of quads of rows, four at a time, with one tile, by DOT: 16 sums,
// each a row's. They start at the biases.
//
//	DI  acc       SI  x          R8  sw          R9  sx       R10  bias, then steps left
//	R11 steps     R15 3·steps    R12 wStride     R13 swStride
//	AX, BX, CX, DX  weights of each quad
//	Z0 … Z15  sums, [16 rows]    Z16  x, then sx              Z17 … Z20  weights, then scales
#define SIXTEEN_ROWS(DOT) \
	LOAD;                                  \
sixteen:                                       \
	MOVQ      x+8(FP), SI;                 \
	MOVQ      w+16(FP), DX;                \
	MOVQ      bias+40(FP), R10;            \
	LEAQ      (DX)(R12*1), AX;             \
	LEAQ      (AX)(R12*1), BX;             \
	LEAQ      (BX)(R12*1), CX;             \
	VMOVDQU32 (R10), Z0;                   \
	MOVQ      R11, R10;                    \
	VMOVDQA32 Z0, Z1;                      \
	VMOVDQA32 Z0, Z2;                      \
	VMOVDQA32 Z0, Z3;                      \
	VMOVDQA32 Z0, Z4;                      \
	VMOVDQA32 Z0, Z5;                      \
	VMOVDQA32 Z0, Z6;                      \
	VMOVDQA32 Z0, Z7;                      \
	VMOVDQA32 Z0, Z8;                      \
	VMOVDQA32 Z0, Z9;                      \
	VMOVDQA32 Z0, Z10;                     \
	VMOVDQA32 Z0, Z11;                     \
	VMOVDQA32 Z0, Z12;                     \
	VMOVDQA32 Z0, Z13;                     \
	VMOVDQA32 Z0, Z14;                     \
	VMOVDQA32 Z0, Z15;                     \
step:                                          \
	VMOVDQU32 (SI), Z16;                   \
	DOT_QUAD(DOT, DX, Z0, Z1, Z2, Z3);     \
	DOT_QUAD(DOT, AX, Z4, Z5, Z6, Z7);     \
	DOT_QUAD(DOT, BX, Z8, Z9, Z10, Z11);   \
	DOT_QUAD(DOT, CX, Z12, Z13, Z14, Z15); \
	ADDQ      $64, SI;                     \
	DECQ      R10;                         \
	JNZ       step;                        \
	VMOVUPS   (R9), Z16;                   \
	SCALE_QUAD(Z0, Z1, Z2, Z3);            \
	SCALE_QUAD(Z4, Z5, Z6, Z7);            \
	SCALE_QUAD(Z8, Z9, Z10, Z11);          \
	SCALE_QUAD(Z12, Z13, Z14, Z15);        \
	LEAQ      (R12*4), AX;                 \
	ADDQ      AX, w+16(FP);                \
	SUBQ      $4, quads+56(FP);            \
	JGT       sixteen;                     \
	VZEROUPPER;                            \
	RET

// func tiles4Words(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)
TEXT ·tiles4Words(SB), NOSPLIT, $0-80
	FOUR_TILES(VPDPWSSD)

// func tiles4Bytes(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)
TEXT ·tiles4Bytes(SB), NOSPLIT, $0-80
	FOUR_TILES(VPDPBUSD)

// func tile1Words(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)
TEXT ·tile1Words(SB), NOSPLIT, $0-80
	SIXTEEN_ROWS(VPDPWSSD)

// func tile1Bytes(acc *float32, x, w unsafe.Pointer, sw, sx *float32, bias *int32, steps, quads, wStride, swStride int)
TEXT ·tile1Bytes(SB), NOSPLIT, $0-80
	SIXTEEN_ROWS(VPDPBUSD)
