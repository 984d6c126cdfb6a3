//go:build amd64 && !purego

#include "textflag.h"

// Kernels for AVX-512 with F, BW, VL and VNNI.

// lanes4 repeats each of four values four times.
DATA lanes4<>+0(SB)/8, $0x0000000000000000
DATA lanes4<>+8(SB)/8, $0x0000000000000000
DATA lanes4<>+16(SB)/8, $0x0000000100000001
DATA lanes4<>+24(SB)/8, $0x0000000100000001
DATA lanes4<>+32(SB)/8, $0x0000000200000002
DATA lanes4<>+40(SB)/8, $0x0000000200000002
DATA lanes4<>+48(SB)/8, $0x0000000300000003
DATA lanes4<>+56(SB)/8, $0x0000000300000003
GLOBL lanes4<>(SB), RODATA|NOPTR, $64

// AHEAD is how many bytes after the weights at hand others are fetched: four rows, so that
// all columns of the next four come while these are multiplied, and no less than memory
// needs time for.
#define AHEAD 8192

// ROW multiplies 32 columns of a row in four groups.
#define ROW(row, t0, t1, t2, t3, a0, a1, a2, a3) \
	VPMOVZXBW (row), t0;         \
	VPMOVZXBW (row)(R12*1), t1;  \
	VPMOVZXBW (row)(R12*2), t2;  \
	VPMOVZXBW (row)(R13*1), t3;  \
	VPDPWSSD  Z16, t0, a0;       \
	VPDPWSSD  Z17, t1, a1;       \
	VPDPWSSD  Z18, t2, a2;       \
	VPDPWSSD  Z19, t3, a3;       \
	ADDQ      $32, row

// FOLD_ROWS adds neighbouring lanes of the sums of four rows, until each quarter of a0 has
// a sum of every row.
#define FOLD_ROWS(a0, a1, a2, a3) \
	VPUNPCKLDQ  a1, a0, Z20;   \
	VPUNPCKHDQ  a1, a0, Z21;   \
	VPUNPCKLDQ  a3, a2, Z22;   \
	VPUNPCKHDQ  a3, a2, Z23;   \
	VPADDD      Z21, Z20, Z20; \
	VPADDD      Z23, Z22, Z22; \
	VPUNPCKLQDQ Z22, Z20, Z21; \
	VPUNPCKHQDQ Z22, Z20, Z23; \
	VPADDD      Z23, Z21, a0

// func rowsVNNI(dst *float32, w *byte, stride, group, groups int, x *int16, sums *int32, sx, sw *float32, quads int)
//
// Four groups of four rows at a time: 16 sums of 16 lanes, 32 columns a step. Then rows fold
// within the quarters of a register, and the groups' quarters are brought together, so that
// one register has [4 groups][4 rows]; its quarters are scaled at once and added in order.
// Remaining groups go one by one.
//
//	R8 … R11   rows of weights       R12, R13  group, 3·group
//	SI  x      BX  sums    CX  sx    DX  sw        R15  dst
//	DI  weights to fetch             AX  groups left       R14  columns left
//	Z0 … Z15   sums, [4 groups][4 rows]
//	Z16 … Z19  x                     Z20 … Z27  weights, then what is folded
//	X30  results                     Z31  lanes4
TEXT ·rowsVNNI(SB), NOSPLIT, $0-80
	MOVQ dst+0(FP), R15
	MOVQ w+8(FP), R8
	MOVQ stride+16(FP), AX
	LEAQ (R8)(AX*1), R9
	LEAQ (R9)(AX*1), R10
	LEAQ (R10)(AX*1), R11
	MOVQ group+24(FP), R12
	LEAQ (R12)(R12*2), R13
	MOVQ sw+64(FP), DX
	LEAQ (AX)(AX*2), DI
	ADDQ AX, DI
	CMPQ DI, $AHEAD
	JGE  ahead
	MOVQ $AHEAD, DI

ahead:
	ADDQ      R8, DI
	VMOVDQU32 lanes4<>(SB), Z31

quad:
	MOVQ   groups+32(FP), AX
	MOVQ   x+40(FP), SI
	MOVQ   sums+48(FP), BX
	MOVQ   sx+56(FP), CX
	VPXORD X30, X30, X30
	SUBQ   $4, AX
	JLT    rest

four:
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15
	MOVQ   R12, R14

fourColumns:
	VMOVDQU32  (SI), Z16
	VMOVDQU32  (SI)(R12*2), Z17
	VMOVDQU32  (SI)(R12*4), Z18
	VMOVDQU32  (SI)(R13*2), Z19
	PREFETCHT0 (DI)
	PREFETCHT0 64(DI)
	ROW(R8, Z20, Z21, Z22, Z23, Z0, Z4, Z8, Z12)
	PREFETCHT0 128(DI)
	PREFETCHT0 192(DI)
	ROW(R9, Z24, Z25, Z26, Z27, Z1, Z5, Z9, Z13)
	PREFETCHT0 256(DI)
	PREFETCHT0 320(DI)
	ROW(R10, Z20, Z21, Z22, Z23, Z2, Z6, Z10, Z14)
	PREFETCHT0 384(DI)
	PREFETCHT0 448(DI)
	ROW(R11, Z24, Z25, Z26, Z27, Z3, Z7, Z11, Z15)
	ADDQ $64, SI
	ADDQ $512, DI
	SUBQ $32, R14
	JNZ  fourColumns

	LEAQ (SI)(R13*2), SI
	ADDQ R13, R8
	ADDQ R13, R9
	ADDQ R13, R10
	ADDQ R13, R11

	FOLD_ROWS(Z0, Z1, Z2, Z3)
	FOLD_ROWS(Z4, Z5, Z6, Z7)
	FOLD_ROWS(Z8, Z9, Z10, Z11)
	FOLD_ROWS(Z12, Z13, Z14, Z15)
	VSHUFI32X4 $0x44, Z4, Z0, Z20
	VSHUFI32X4 $0xee, Z4, Z0, Z21
	VSHUFI32X4 $0x44, Z12, Z8, Z22
	VSHUFI32X4 $0xee, Z12, Z8, Z23
	VPADDD     Z21, Z20, Z20
	VPADDD     Z23, Z22, Z22
	VSHUFI32X4 $0x88, Z22, Z20, Z21
	VSHUFI32X4 $0xdd, Z22, Z20, Z23
	VPADDD     Z23, Z21, Z0

	VMOVDQU32     (BX), X20
	VMOVDQU32     (CX), X21
	VPERMD        Z20, Z31, Z20
	VPERMPS       Z21, Z31, Z21
	VPSLLD        $7, Z20, Z20
	VPSUBD        Z20, Z0, Z0
	VCVTDQ2PS     Z0, Z0
	VMULPS        (DX), Z21, Z21
	VMULPS        Z21, Z0, Z0
	VADDPS        X0, X30, X30
	VEXTRACTF32X4 $1, Z0, X1
	VADDPS        X1, X30, X30
	VEXTRACTF32X4 $2, Z0, X1
	VADDPS        X1, X30, X30
	VEXTRACTF32X4 $3, Z0, X1
	VADDPS        X1, X30, X30
	ADDQ          $16, BX
	ADDQ          $16, CX
	ADDQ          $64, DX
	SUBQ          $4, AX
	JGE           four

rest:
	ADDQ $4, AX
	JZ   done

one:
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	MOVQ   R12, R14

oneColumns:
	VMOVDQU32  (SI), Z16
	VPMOVZXBW  (R8), Z20
	VPMOVZXBW  (R9), Z21
	VPMOVZXBW  (R10), Z22
	VPMOVZXBW  (R11), Z23
	VPDPWSSD   Z16, Z20, Z0
	VPDPWSSD   Z16, Z21, Z1
	VPDPWSSD   Z16, Z22, Z2
	VPDPWSSD   Z16, Z23, Z3
	PREFETCHT0 (DI)
	PREFETCHT0 64(DI)
	ADDQ       $32, R8
	ADDQ       $32, R9
	ADDQ       $32, R10
	ADDQ       $32, R11
	ADDQ       $64, SI
	ADDQ       $128, DI
	SUBQ       $32, R14
	JNZ        oneColumns

	FOLD_ROWS(Z0, Z1, Z2, Z3)
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD        Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPBROADCASTD  (BX), X20
	VBROADCASTSS  (CX), X21
	VPSLLD        $7, X20, X20
	VPSUBD        X20, X0, X0
	VCVTDQ2PS     X0, X0
	VMULPS        (DX), X21, X21
	VMULPS        X21, X0, X0
	VADDPS        X0, X30, X30
	ADDQ          $4, BX
	ADDQ          $4, CX
	ADDQ          $16, DX
	DECQ          AX
	JNZ           one

done:
	VMOVUPS    X30, (R15)
	ADDQ       $16, R15
	MOVQ       stride+16(FP), AX
	LEAQ       (AX)(AX*2), AX
	ADDQ       AX, R8
	ADDQ       AX, R9
	ADDQ       AX, R10
	ADDQ       AX, R11
	DECQ       quads+72(FP)
	JNZ        quad
	VZEROUPPER
	RET
