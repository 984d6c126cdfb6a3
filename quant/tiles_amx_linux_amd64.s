//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Products of tiles for AMX-INT8, with AVX-512 for the scales.

// Go's assembler knows no AMX: its instructions are written as bytes. All have a VEX prefix
// of three bytes,
//
//	c4 | ~R ~X ~B 00010 | 0 ~vvvv 0 pp | opcode | mod reg r/m
//
// where pp is none (0), 66 (1), F3 (2) or F2 (3), and R, X, B are the fourth bits of reg, of
// the index and of the base. Tiles have three bits. Registers of 64 bits are given by number:
// AX 0, CX 1, DX 2, BX 3, SI 6, DI 7, R8 to R15 8 to 15.
// A tile in memory is mod 00 (10 with a displacement of 32 bits), r/m 100 and a byte
// 00 index base: row i is at base + i·index. BP and R13 cannot be the base.
#define TILE_MEMORY(pp, mod, tile, base, index) \
	BYTE $0xc4;                                  \
	BYTE $(0xe2-0x40*(index/8)-0x20*(base/8));   \
	BYTE $(0x78+pp);                             \
	BYTE $0x4b;                                  \
	BYTE $(0x40*mod+8*tile+4);                   \
	BYTE $(8*(index%8)+base%8)

// TILELOADD reads a tile, TILESTORED writes one, at a displacement if that is named.
#define TILELOADD(tile, base, index) TILE_MEMORY(3, 0, tile, base, index)
#define TILESTORED(tile, base, index) TILE_MEMORY(2, 0, tile, base, index)
#define TILESTORED_AT(displacement, tile, base, index) \
	TILE_MEMORY(2, 2, tile, base, index); \
	LONG $displacement

// TDPBUSD adds to c [rows, 16] the product of unsigned bytes a [rows, k, 4] with signed
// b [k, 16, 4]: vvvv is b.
#define TDPBUSD(c, a, b) BYTE $0xc4; BYTE $0xe2; BYTE $(0x79-8*b); BYTE $0x5e; BYTE $(0xc0+8*c+a)
#define TILEZERO(tile) BYTE $0xc4; BYTE $0xe2; BYTE $0x7b; BYTE $0x49; BYTE $(0xc0+8*tile)

// LDTILECFG_AX configures the tiles as 64 bytes at AX say.
#define LDTILECFG_AX BYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0x00
#define TILERELEASE BYTE $0xc4; BYTE $0xe2; BYTE $0x78; BYTE $0x49; BYTE $0xc0

// Tiles: 0 has the sums and 1, of words, those of the low bytes; 2 has weights, 3 and 4 activations.

// MULTIPLY_BYTES multiplies a group. The sums start at the biases, the same for all rows.
#define MULTIPLY_BYTES \
	TILELOADD(0, 9, 7);           \
	MOVQ amxBlock_steps(BX), DI;  \
step:                                 \
	TILELOADD(2, 2, 12);          \
	TILELOADD(3, 6, 0);           \
	TDPBUSD(0, 2, 3);             \
	ADDQ amxBlock_inputs(BX), DX; \
	ADDQ amxBlock_tile(BX), SI;   \
	DECQ DI;                      \
	JNZ  step

// MULTIPLY_WORDS does it for the high bytes of activations and the low ones.
#define MULTIPLY_WORDS \
	TILEZERO(0);                  \
	TILELOADD(1, 9, 7);           \
	MOVQ amxBlock_steps(BX), DI;  \
step:                                 \
	TILELOADD(2, 2, 12);          \
	TILELOADD(3, 6, 0);           \
	TDPBUSD(0, 2, 3);             \
	ADDQ amxBlock_tile(BX), SI;   \
	TILELOADD(4, 6, 0);           \
	TDPBUSD(1, 2, 4);             \
	ADDQ amxBlock_inputs(BX), DX; \
	ADDQ amxBlock_tile(BX), SI;   \
	DECQ DI;                      \
	JNZ  step

// STORE_BYTES and STORE_WORDS write the sums of a group.
#define STORE_BYTES TILESTORED(0, 14, 0)
#define STORE_WORDS \
	TILESTORED(0, 14, 0); \
	TILESTORED_AT(1024, 1, 14, 0)

// SUMS_BYTES and SUMS_WORDS take a row's sums: Z18, or 255·high + low.
#define SUMS_BYTES(row) VMOVDQU32 (64*row)(R15), Z18
#define SUMS_WORDS(row) \
	VMOVDQU32 (64*row)(R15), Z17; \
	VPSLLD    $8, Z17, Z18;       \
	VPSUBD    Z17, Z18, Z18;      \
	VPADDD    (64*row+1024)(R15), Z18, Z18

// FOLD_ROW adds a row's sums, scaled, to its results.
#define FOLD_ROW(SUMS, row, sw, a) \
	SUMS(row);                 \
	VMULPS.BCST sw, Z16, Z17;  \
	VCVTDQ2PS   Z18, Z18;      \
	VMULPS      Z17, Z18, Z18; \
	VADDPS      Z18, a, a

// RESULTS points at 16 rows of results, LOAD_ROWS and STORE_ROWS move four of them.
#define RESULTS \
	MOVQ amxBlock_accAt(BX), SI;     \
	MOVQ amxBlock_accStride(BX), CX; \
	LEAQ (CX)(CX*2), DX

#define LOAD_ROWS(a0, a1, a2, a3) \
	VMOVUPS (SI), a0;       \
	VMOVUPS (SI)(CX*1), a1; \
	VMOVUPS (SI)(CX*2), a2; \
	VMOVUPS (SI)(DX*1), a3; \
	LEAQ    (SI)(CX*4), SI

#define STORE_ROWS(a0, a1, a2, a3) \
	VMOVUPS a0, (SI);       \
	VMOVUPS a1, (SI)(CX*1); \
	VMOVUPS a2, (SI)(CX*2); \
	VMOVUPS a3, (SI)(DX*1); \
	LEAQ    (SI)(CX*4), SI

// PRODUCT adds products of groups to results: every tile of tokens meets all tiles of rows, and
// a pair goes through all groups with its results in registers. In turn i the sums of group i-1
// are written, group i is multiplied and the sums of group i-2 are folded: they were written a
// turn ago, so that the fold need not wait for the tiles, nor these for the fold. The sums go
// to two buffers in turns.
//
//	BX  the block      CX  turn                   AX  64, the stride of sums and activations
//	SI  x              DX  w       R12 wStride    DI  0, the stride of biases, and steps left
//	R8  sw             R13, R11    swStride, 3·swStride
//	R9  bias           R10 sx                     R14, R15  buffers to write and to fold
//	Z0 … Z15  results, [16 rows][16 tokens]       Z16 sx     Z17, Z18  what is folded
#define PRODUCT(MULTIPLY, STORE, SUMS) \
	MOVQ        b+0(FP), BX;                    \
	LEAQ        amxBlock_config(BX), AX;        \
	LDTILECFG_AX;                               \
	MOVQ        $64, AX;                        \
	MOVQ        amxBlock_wStride(BX), R12;      \
	MOVQ        amxBlock_swStride(BX), R13;     \
	LEAQ        (R13)(R13*2), R11;              \
	MOVQ        amxBlock_sums(BX), R14;         \
	LEAQ        2048(R14), R15;                 \
	MOVQ        amxBlock_tokenTiles(BX), DX;    \
	MOVQ        DX, amxBlock_tokensLeft(BX);    \
	MOVQ        amxBlock_acc(BX), DX;           \
	MOVQ        DX, amxBlock_accTokens(BX);     \
	MOVQ        amxBlock_x(BX), DX;             \
	MOVQ        DX, amxBlock_xAt(BX);           \
	MOVQ        amxBlock_sx(BX), DX;            \
	MOVQ        DX, amxBlock_sxAt(BX);          \
	MOVQ        amxBlock_bias(BX), DX;          \
	MOVQ        DX, amxBlock_biasAt(BX);        \
tokens:                                             \
	MOVQ        amxBlock_accTokens(BX), DX;     \
	MOVQ        DX, amxBlock_accAt(BX);         \
	MOVQ        amxBlock_w(BX), DX;             \
	MOVQ        DX, amxBlock_wAt(BX);           \
	MOVQ        amxBlock_sw(BX), DX;            \
	MOVQ        DX, amxBlock_swAt(BX);          \
	MOVQ        amxBlock_rowTiles(BX), DX;      \
	MOVQ        DX, amxBlock_rowsLeft(BX);      \
rows:                                               \
	RESULTS;                                    \
	LOAD_ROWS(Z0, Z1, Z2, Z3);                  \
	LOAD_ROWS(Z4, Z5, Z6, Z7);                  \
	LOAD_ROWS(Z8, Z9, Z10, Z11);                \
	LOAD_ROWS(Z12, Z13, Z14, Z15);              \
	MOVQ        amxBlock_xAt(BX), SI;           \
	MOVQ        amxBlock_wAt(BX), DX;           \
	MOVQ        amxBlock_swAt(BX), R8;          \
	MOVQ        amxBlock_biasAt(BX), R9;        \
	MOVQ        amxBlock_sxAt(BX), R10;         \
	XORL        DI, DI;                         \
	XORL        CX, CX;                         \
turn:                                               \
	CMPQ        CX, amxBlock_groups(BX);        \
	JGT         fold;                           \
	TESTQ       CX, CX;                         \
	JEQ         multiply;                       \
	STORE;                                      \
	CMPQ        CX, amxBlock_groups(BX);        \
	JEQ         fold;                           \
multiply:                                           \
	MULTIPLY;                                   \
	ADDQ        $64, R9;                        \
fold:                                               \
	CMPQ        CX, $2;                         \
	JLT         next;                           \
	VMOVUPS     (R10), Z16;                     \
	FOLD_ROW(SUMS, 0, (R8), Z0);                \
	FOLD_ROW(SUMS, 1, 4(R8), Z1);               \
	FOLD_ROW(SUMS, 2, 8(R8), Z2);               \
	FOLD_ROW(SUMS, 3, 12(R8), Z3);              \
	FOLD_ROW(SUMS, 4, (R8)(R13*1), Z4);         \
	FOLD_ROW(SUMS, 5, 4(R8)(R13*1), Z5);        \
	FOLD_ROW(SUMS, 6, 8(R8)(R13*1), Z6);        \
	FOLD_ROW(SUMS, 7, 12(R8)(R13*1), Z7);       \
	FOLD_ROW(SUMS, 8, (R8)(R13*2), Z8);         \
	FOLD_ROW(SUMS, 9, 4(R8)(R13*2), Z9);        \
	FOLD_ROW(SUMS, 10, 8(R8)(R13*2), Z10);      \
	FOLD_ROW(SUMS, 11, 12(R8)(R13*2), Z11);     \
	FOLD_ROW(SUMS, 12, (R8)(R11*1), Z12);       \
	FOLD_ROW(SUMS, 13, 4(R8)(R11*1), Z13);      \
	FOLD_ROW(SUMS, 14, 8(R8)(R11*1), Z14);      \
	FOLD_ROW(SUMS, 15, 12(R8)(R11*1), Z15);     \
	ADDQ        $16, R8;                        \
	ADDQ        $64, R10;                       \
next:                                               \
	XCHGQ       R14, R15;                       \
	INCQ        CX;                             \
	LEAQ        -2(CX), DI;                     \
	CMPQ        DI, amxBlock_groups(BX);        \
	MOVQ        $0, DI;                         \
	JLT         turn;                           \
	RESULTS;                                    \
	STORE_ROWS(Z0, Z1, Z2, Z3);                 \
	STORE_ROWS(Z4, Z5, Z6, Z7);                 \
	STORE_ROWS(Z8, Z9, Z10, Z11);               \
	STORE_ROWS(Z12, Z13, Z14, Z15);             \
	MOVQ        SI, amxBlock_accAt(BX);         \
	MOVQ        R12, DX;                        \
	SHLQ        $4, DX;                         \
	ADDQ        DX, amxBlock_wAt(BX);           \
	LEAQ        (R13*4), DX;                    \
	ADDQ        DX, amxBlock_swAt(BX);          \
	DECQ        amxBlock_rowsLeft(BX);          \
	JNZ         rows;                           \
	MOVQ        amxBlock_xStride(BX), DX;       \
	ADDQ        DX, amxBlock_xAt(BX);           \
	MOVQ        amxBlock_lanesStride(BX), DX;   \
	ADDQ        DX, amxBlock_sxAt(BX);          \
	ADDQ        DX, amxBlock_biasAt(BX);        \
	ADDQ        $64, amxBlock_accTokens(BX);    \
	DECQ        amxBlock_tokensLeft(BX);        \
	JNZ         tokens;                         \
	TILERELEASE;                                \
	VZEROUPPER;                                 \
	RET

// func amxBytes(b *amxBlock)
TEXT ·amxBytes(SB), NOSPLIT, $0-8
	PRODUCT(MULTIPLY_BYTES, STORE_BYTES, SUMS_BYTES)

// func amxWords(b *amxBlock)
TEXT ·amxWords(SB), NOSPLIT, $0-8
	PRODUCT(MULTIPLY_WORDS, STORE_WORDS, SUMS_WORDS)

// half has words of 128.
DATA half<>+0(SB)/4, $0x00800080
GLOBL half<>(SB), RODATA|NOPTR, $4

// func splitAMX(hi, lo *int8, src *int16, stride, group, rows int)
//
// hi = (x + x/256 + 128)/256, rounded down, is x/255 rounded; then lo = x - 255·hi is the low
// byte of x + hi. No sum is beyond ±32767.
//
//	SI  src    DI  hi    R8  lo    R9  stride    R10  group    R11  rows left
//	BX  src of a row     CX  columns left
//	Z0  x      Z1  hi    Z31 words of 128
TEXT ·splitAMX(SB), NOSPLIT, $0-48
	MOVQ         hi+0(FP), DI
	MOVQ         lo+8(FP), R8
	MOVQ         src+16(FP), SI
	MOVQ         stride+24(FP), R9
	MOVQ         group+32(FP), R10
	MOVQ         rows+40(FP), R11
	VPBROADCASTD half<>(SB), Z31

row:
	MOVQ SI, BX
	MOVQ R10, CX

columns:
	VMOVDQU16 (BX), Z0
	VPSRAW    $8, Z0, Z1
	VPADDW    Z0, Z1, Z1
	VPADDW    Z31, Z1, Z1
	VPSRAW    $8, Z1, Z1
	VPADDW    Z1, Z0, Z0
	VPMOVWB   Z1, (DI)
	VPMOVWB   Z0, (R8)
	ADDQ      $64, BX
	ADDQ      $32, DI
	ADDQ      $32, R8
	SUBQ      $32, CX
	JNZ       columns
	ADDQ      R9, SI
	DECQ      R11
	JNZ       row
	VZEROUPPER
	RET

// func xgetbv() uint64
TEXT ·xgetbv(SB), NOSPLIT, $0-8
	XORL CX, CX
	XGETBV
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET
