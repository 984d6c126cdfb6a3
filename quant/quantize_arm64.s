//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

// Quantizing with NEON.

// func maxBits32(x *float32, n int) uint32
//
//	R0  x    R1  values left    V0 … V3  maxima    V4 … V7  values    V8  mask of all but the sign
TEXT ·maxBits32(SB), NOSPLIT, $0-20
	MOVD  x+0(FP), R0
	MOVD  n+8(FP), R1
	MOVW  $0x7fffffff, R2
	VDUP  R2, V8.S4
	VMOVI $0, V0.B16
	VMOVI $0, V1.B16
	VMOVI $0, V2.B16
	VMOVI $0, V3.B16

values:
	FLDPQ.P 32(R0), (F4, F5)
	FLDPQ.P 32(R0), (F6, F7)
	VAND    V8.B16, V4.B16, V4.B16
	VAND    V8.B16, V5.B16, V5.B16
	VAND    V8.B16, V6.B16, V6.B16
	VAND    V8.B16, V7.B16, V7.B16
	VUMAX   V4.S4, V0.S4, V0.S4
	VUMAX   V5.S4, V1.S4, V1.S4
	VUMAX   V6.S4, V2.S4, V2.S4
	VUMAX   V7.S4, V3.S4, V3.S4
	SUBS    $16, R1
	BNE     values

	VUMAX V1.S4, V0.S4, V0.S4
	VUMAX V3.S4, V2.S4, V2.S4
	VUMAX V2.S4, V0.S4, V0.S4
	UMAXV(0, 0)
	VMOV  V0.S[0], R2
	MOVW  R2, ret+16(FP)
	RET

// func round32(xq *int16, x *float32, n int, scale float32) int32
//
//	R0  xq    R1  x    R2  values left    V0, V1  sums    V2 … V5  values    V7  scale
TEXT ·round32(SB), NOSPLIT, $0-36
	MOVD  xq+0(FP), R0
	MOVD  x+8(FP), R1
	MOVD  n+16(FP), R2
	MOVW  scale+24(FP), R3
	VDUP  R3, V7.S4
	VMOVI $0, V0.B16
	VMOVI $0, V1.B16

values:
	FLDPQ.P 32(R1), (F2, F3)
	FLDPQ.P 32(R1), (F4, F5)
	FDIV_S(7, 2, 2)
	FDIV_S(7, 3, 3)
	FDIV_S(7, 4, 4)
	FDIV_S(7, 5, 5)
	FCVTNS(2, 2)
	FCVTNS(3, 3)
	FCVTNS(4, 4)
	FCVTNS(5, 5)
	VADD    V2.S4, V0.S4, V0.S4
	VADD    V3.S4, V1.S4, V1.S4
	VADD    V4.S4, V0.S4, V0.S4
	VADD    V5.S4, V1.S4, V1.S4
	XTN_H(2, 2)
	XTN2_H(3, 2)
	XTN_H(4, 3)
	XTN2_H(5, 3)
	FSTPQ.P (F2, F3), 32(R0)
	SUBS    $16, R2
	BNE     values

	VADD  V1.S4, V0.S4, V0.S4
	VADDV V0.S4, V0
	VMOV  V0.S[0], R3
	MOVW  R3, ret+32(FP)
	RET

// HALF_LOST adds what two weights lost, w as V16 and what became of them as V17, to sums.
#define HALF_LOST(squares, errors) \
	FABD_D(17, 16, 17);        \
	FMUL_D(16, 16, 16);        \
	FMAXNM_D(17, 4, 4);        \
	FMUL_D(17, 17, 17);        \
	FADD_D(16, squares, squares); \
	FADD_D(17, errors, errors)

// FOUR rounds the four weights w to steps, as integers in w.
#define FOUR(w) \
	FDIV_S(8, w, 18);      \
	FRINTN(18, 18);        \
	FMINNM_S(9, 18, 18);   \
	FMAXNM_S(10, 18, 18);  \
	FMUL_S(8, 18, 19);     \
	FCVTL_D(w, 16);        \
	FCVTL_D(19, 17);       \
	HALF_LOST(0, 2);       \
	FCVTL2_D(w, 16);       \
	FCVTL2_D(19, 17);      \
	HALF_LOST(1, 3);       \
	FCVTNS(18, w)

// func roundWeights32(q *byte, values *float32, n int, scale float32) (squares, squaredError, largest float64)
//
//	R0  q       R1  values          R2  values left
//	V0, V1  squares, four lanes     V2, V3  squared errors     V4  largest errors
//	V8  scale   V9, V10  ±127       V11  128 in bytes
//	V20 … V23  weights, then steps  V16 … V19  at work
TEXT ·roundWeights32(SB), NOSPLIT, $0-56
	MOVD  q+0(FP), R0
	MOVD  values+8(FP), R1
	MOVD  n+16(FP), R2
	MOVW  scale+24(FP), R3
	VDUP  R3, V8.S4
	MOVW  $0x42fe0000, R3
	VDUP  R3, V9.S4
	MOVW  $0xc2fe0000, R3
	VDUP  R3, V10.S4
	VMOVI $128, V11.B16
	VMOVI $0, V0.B16
	VMOVI $0, V1.B16
	VMOVI $0, V2.B16
	VMOVI $0, V3.B16
	VMOVI $0, V4.B16

weights:
	FLDPQ.P 32(R1), (F20, F21)
	FLDPQ.P 32(R1), (F22, F23)
	FOUR(20)
	FOUR(21)
	FOUR(22)
	FOUR(23)
	XTN_H(20, 20)
	XTN2_H(21, 20)
	XTN_H(22, 22)
	XTN2_H(23, 22)
	XTN_B(20, 20)
	XTN2_B(22, 20)
	VEOR    V11.B16, V20.B16, V20.B16
	FMOVQ.P F20, 16(R0)
	SUBS    $16, R2
	BNE     weights

	FADD_D(1, 0, 0)
	FADD_D(3, 2, 2)
	FADDP_D(0, 0)
	FADDP_D(2, 2)
	FMAXNMP_D(4, 4)
	FMOVD F0, squares+32(FP)
	FMOVD F2, squaredError+40(FP)
	FMOVD F4, largest+48(FP)
	RET
