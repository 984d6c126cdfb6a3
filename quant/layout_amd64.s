//go:build amd64 && !purego

#include "textflag.h"

// Rearranging with AVX2: small next to the products that it serves, so that wider
// instruction sets use it, too.

// func transposeAVX2(dst unsafe.Pointer, dstStride int, src unsafe.Pointer, srcStride, quads, n int)
//
// Four columns at a time, of all quads of rows: two rounds of unpacking, words of 32 bits
// and then of 64.
//
//	SI  columns of src      R8, R9    srcStride, 3·srcStride    BX  those of a quad
//	DI  rows of dst         R10, R11  dstStride, 3·dstStride    DX  a quad's part of them
//	CX  columns left        R12       quads                     AX  quads left
TEXT ·transposeAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), R10
	LEAQ (R10)(R10*2), R11
	MOVQ src+16(FP), SI
	MOVQ srcStride+24(FP), R8
	LEAQ (R8)(R8*2), R9
	MOVQ quads+32(FP), R12
	MOVQ n+40(FP), CX
	SUBQ $4, CX
	JLT  transposeRest

transposeFour:
	MOVQ SI, BX
	MOVQ DI, DX
	MOVQ R12, AX

transposeQuad:
	VMOVUPS   (BX), X0
	VMOVUPS   (BX)(R8*1), X1
	VMOVUPS   (BX)(R8*2), X2
	VMOVUPS   (BX)(R9*1), X3
	LEAQ      (BX)(R8*4), BX
	VUNPCKLPS X1, X0, X4
	VUNPCKHPS X1, X0, X5
	VUNPCKLPS X3, X2, X6
	VUNPCKHPS X3, X2, X7
	VUNPCKLPD X6, X4, X0
	VUNPCKHPD X6, X4, X1
	VUNPCKLPD X7, X5, X2
	VUNPCKHPD X7, X5, X3
	VMOVUPS   X0, (DX)
	VMOVUPS   X1, (DX)(R10*1)
	VMOVUPS   X2, (DX)(R10*2)
	VMOVUPS   X3, (DX)(R11*1)
	ADDQ      $16, DX
	DECQ      AX
	JNZ       transposeQuad
	ADDQ      $16, SI
	LEAQ      (DI)(R10*4), DI
	SUBQ      $4, CX
	JGE       transposeFour

transposeRest:
	ADDQ $4, CX
	JZ   transposeDone

transposeOne:
	MOVQ SI, BX
	MOVQ DI, DX
	MOVQ R12, AX

transposeOneQuad:
	MOVL (BX), R13
	MOVL R13, (DX)
	MOVL (BX)(R8*1), R13
	MOVL R13, 4(DX)
	MOVL (BX)(R8*2), R13
	MOVL R13, 8(DX)
	MOVL (BX)(R9*1), R13
	MOVL R13, 12(DX)
	LEAQ (BX)(R8*4), BX
	ADDQ $16, DX
	DECQ AX
	JNZ  transposeOneQuad
	ADDQ $4, SI
	ADDQ R10, DI
	DECQ CX
	JNZ  transposeOne

transposeDone:
	VZEROUPPER
	RET

// FOUR_HALVES transposes 4 rows of 4 halves: X6 has columns 0 and 1, X7 2 and 3.
#define FOUR_HALVES \
	PREFETCHT0 (R12);      \
	ADDQ       $32, R12;   \
	VMOVQ      (SI), X0;   \
	VMOVQ      (R8), X1;   \
	VMOVQ      (R9), X2;   \
	VMOVQ      (R10), X3;  \
	VPUNPCKLWD X1, X0, X4; \
	VPUNPCKLWD X3, X2, X5; \
	VPUNPCKLDQ X5, X4, X6; \
	VPUNPCKHDQ X5, X4, X7; \
	ADDQ       $8, SI;     \
	ADDQ       $8, R8;     \
	ADDQ       $8, R9;     \
	ADDQ       $8, R10

#define NEXT_HALF \
	ADDQ $8, R12; \
	ADDQ $2, SI;  \
	ADDQ $2, R8;  \
	ADDQ $2, R9;  \
	ADDQ $2, R10; \
	ADDQ $16, DI

// func scalesBF16AVX2(dst *float32, src unsafe.Pointer, quads, groups int)
//
//	SI, R8, R9, R10  rows of src    DI  dst    R11  groups    CX  groups left    DX  quads left
//	R12  scales after these, which are likely to be next
TEXT ·scalesBF16AVX2(SB), NOSPLIT, $0-32
	MOVQ  dst+0(FP), DI
	MOVQ  src+8(FP), SI
	MOVQ  quads+16(FP), DX
	MOVQ  groups+24(FP), R11
	MOVQ  DX, R12
	IMULQ R11, R12
	LEAQ  (SI)(R12*8), R12

bf16Quad:
	LEAQ (SI)(R11*2), R8
	LEAQ (R8)(R11*2), R9
	LEAQ (R9)(R11*2), R10
	MOVQ R11, CX
	SUBQ $4, CX
	JLT  bf16Rest

bf16Four:
	FOUR_HALVES
	VPMOVZXWD X6, Y6
	VPMOVZXWD X7, Y7
	VPSLLD    $16, Y6, Y6
	VPSLLD    $16, Y7, Y7
	VMOVDQU   Y6, (DI)
	VMOVDQU   Y7, 32(DI)
	ADDQ      $64, DI
	SUBQ      $4, CX
	JGE       bf16Four

bf16Rest:
	ADDQ $4, CX
	JZ   bf16Next

bf16One:
	MOVWLZX (SI), AX
	SHLL    $16, AX
	MOVL    AX, (DI)
	MOVWLZX (R8), AX
	SHLL    $16, AX
	MOVL    AX, 4(DI)
	MOVWLZX (R9), AX
	SHLL    $16, AX
	MOVL    AX, 8(DI)
	MOVWLZX (R10), AX
	SHLL    $16, AX
	MOVL    AX, 12(DI)
	NEXT_HALF
	DECQ CX
	JNZ  bf16One

bf16Next:
	MOVQ       R10, SI
	DECQ       DX
	JNZ        bf16Quad
	VZEROUPPER
	RET

// HALF widens the half at src.
#define HALF(src, at) \
	MOVWLZX   src, AX;   \
	VMOVD     AX, X0;    \
	VCVTPH2PS X0, X0;    \
	VMOVSS    X0, at(DI)

// func scalesF16AVX2(dst *float32, src unsafe.Pointer, quads, groups int)
//
//	SI, R8, R9, R10  rows of src    DI  dst    R11  groups    CX  groups left    DX  quads left
//	R12  scales after these, which are likely to be next
TEXT ·scalesF16AVX2(SB), NOSPLIT, $0-32
	MOVQ  dst+0(FP), DI
	MOVQ  src+8(FP), SI
	MOVQ  quads+16(FP), DX
	MOVQ  groups+24(FP), R11
	MOVQ  DX, R12
	IMULQ R11, R12
	LEAQ  (SI)(R12*8), R12

f16Quad:
	LEAQ (SI)(R11*2), R8
	LEAQ (R8)(R11*2), R9
	LEAQ (R9)(R11*2), R10
	MOVQ R11, CX
	SUBQ $4, CX
	JLT  f16Rest

f16Four:
	FOUR_HALVES
	VCVTPH2PS X6, Y6
	VCVTPH2PS X7, Y7
	VMOVUPS   Y6, (DI)
	VMOVUPS   Y7, 32(DI)
	ADDQ      $64, DI
	SUBQ      $4, CX
	JGE       f16Four

f16Rest:
	ADDQ $4, CX
	JZ   f16Next

f16One:
	HALF((SI), 0)
	HALF((R8), 4)
	HALF((R9), 8)
	HALF((R10), 12)
	NEXT_HALF
	DECQ CX
	JNZ  f16One

f16Next:
	MOVQ       R10, SI
	DECQ       DX
	JNZ        f16Quad
	VZEROUPPER
	RET

// func widenAVX2(dst unsafe.Pointer, dstStride int, src *byte, stride, group, groups int)
//
//	DI  dst      SI  group in the first row    R9  in the row at hand    R8  stride - group
//	R10 group    R11  groups left    CX  rows left    AX  columns left    R12  4·stride
//	R13 from the end of a group in dst to the next
TEXT ·widenAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), R13
	MOVQ src+16(FP), SI
	MOVQ stride+24(FP), R8
	MOVQ group+32(FP), R10
	MOVQ groups+40(FP), R11
	LEAQ (R8*4), R12
	SUBQ R10, R8
	LEAQ (R10*4), AX
	SUBQ AX, R13
	SUBQ AX, R13

widenGroup:
	MOVQ SI, R9
	MOVQ $4, CX

widenRow:
	MOVQ R10, AX

widenColumns:
	PREFETCHT0 (R9)(R12*1)
	VPMOVZXBW  (R9), Y0
	VPMOVZXBW  16(R9), Y1
	VMOVDQU    Y0, (DI)
	VMOVDQU    Y1, 32(DI)
	ADDQ       $32, R9
	ADDQ       $64, DI
	SUBQ       $32, AX
	JNZ        widenColumns
	ADDQ       R8, R9
	DECQ       CX
	JNZ        widenRow
	ADDQ       R13, DI
	ADDQ       R10, SI
	DECQ       R11
	JNZ        widenGroup
	VZEROUPPER
	RET

// func gatherAVX2(dst unsafe.Pointer, dstStride int, src *byte, stride, group, groups int)
//
// Registers as in widenAVX2.
TEXT ·gatherAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ dstStride+8(FP), R13
	MOVQ src+16(FP), SI
	MOVQ stride+24(FP), R8
	MOVQ group+32(FP), R10
	MOVQ groups+40(FP), R11
	LEAQ (R8*4), R12
	SUBQ R10, R8
	LEAQ (R10*4), AX
	SUBQ AX, R13

gatherGroup:
	MOVQ SI, R9
	MOVQ $4, CX

gatherRow:
	MOVQ R10, AX

gatherColumns:
	PREFETCHT0 (R9)(R12*1)
	VMOVDQU    (R9), Y0
	VMOVDQU    Y0, (DI)
	ADDQ       $32, R9
	ADDQ       $32, DI
	SUBQ       $32, AX
	JNZ        gatherColumns
	ADDQ       R8, R9
	DECQ       CX
	JNZ        gatherRow
	ADDQ       R13, DI
	ADDQ       R10, SI
	DECQ       R11
	JNZ        gatherGroup
	VZEROUPPER
	RET

// func narrowAVX2(dst *int8, src *int16, stride, group, rows int)
//
//	DI  dst    SI  src    R8  stride - 2·group    R10  group    CX  rows left    AX  columns left
TEXT ·narrowAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ group+24(FP), R10
	MOVQ rows+32(FP), CX
	SUBQ R10, R8
	SUBQ R10, R8

narrowRow:
	MOVQ R10, AX

narrowColumns:
	VMOVDQU    (SI), Y0
	VPACKSSWB  32(SI), Y0, Y0
	VPERMQ     $0xd8, Y0, Y0 // packing went by halves of the registers
	VMOVDQU    Y0, (DI)
	ADDQ       $64, SI
	ADDQ       $32, DI
	SUBQ       $32, AX
	JNZ        narrowColumns
	ADDQ       R8, SI
	DECQ       CX
	JNZ        narrowRow
	VZEROUPPER
	RET

// func prefetchAMD64(p *byte, stride, rows, n int)
//
//	SI  a row    AX  stride    CX  rows left    DX  line of the row    BX  bytes left
TEXT ·prefetchAMD64(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), SI
	MOVQ stride+8(FP), AX
	MOVQ rows+16(FP), CX

prefetchRow:
	MOVQ SI, DX
	MOVQ n+24(FP), BX

prefetchLine:
	PREFETCHT1 (DX)
	ADDQ       $64, DX
	SUBQ       $64, BX
	JGT        prefetchLine
	ADDQ       AX, SI
	DECQ       CX
	JNZ        prefetchRow
	RET

// func sumTermsAVX2(dst, terms *float32, groups, rows int)
//
// Four groups of eight rows at a time, transposed: rows are lanes then.
//
//	SI, R8  terms of a row and of the fourth after it    R9, R10  4·groups, 12·groups
//	DI  dst    CX  rows left    AX  groups left    Y15  sums
//	Y0 … Y3  terms, rows 0 and 4, 1 and 5, …       Y4 … Y7  half transposed
TEXT ·sumTermsAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ terms+8(FP), SI
	MOVQ groups+16(FP), R9
	SHLQ $2, R9
	LEAQ (R9)(R9*2), R10
	MOVQ rows+24(FP), CX

sumRows:
	LEAQ   (SI)(R9*4), R8
	VXORPS X15, X15, X15
	MOVQ   groups+16(FP), AX
	SUBQ   $4, AX
	JLT    sumRest

sumFour:
	VMOVUPS     (SI), X0
	VMOVUPS     (SI)(R9*1), X1
	VMOVUPS     (SI)(R9*2), X2
	VMOVUPS     (SI)(R10*1), X3
	VINSERTF128 $1, (R8), Y0, Y0
	VINSERTF128 $1, (R8)(R9*1), Y1, Y1
	VINSERTF128 $1, (R8)(R9*2), Y2, Y2
	VINSERTF128 $1, (R8)(R10*1), Y3, Y3
	VUNPCKLPS   Y1, Y0, Y4
	VUNPCKHPS   Y1, Y0, Y5
	VUNPCKLPS   Y3, Y2, Y6
	VUNPCKHPS   Y3, Y2, Y7
	VUNPCKLPD   Y6, Y4, Y0
	VUNPCKHPD   Y6, Y4, Y1
	VUNPCKLPD   Y7, Y5, Y2
	VUNPCKHPD   Y7, Y5, Y3
	VADDPS      Y0, Y15, Y15
	VADDPS      Y1, Y15, Y15
	VADDPS      Y2, Y15, Y15
	VADDPS      Y3, Y15, Y15
	ADDQ        $16, SI
	ADDQ        $16, R8
	SUBQ        $4, AX
	JGE         sumFour

sumRest:
	ADDQ $4, AX
	JZ   sumNext

sumOne:
	VMOVSS      (SI), X0
	VINSERTPS   $0x10, (SI)(R9*1), X0, X0
	VINSERTPS   $0x20, (SI)(R9*2), X0, X0
	VINSERTPS   $0x30, (SI)(R10*1), X0, X0
	VMOVSS      (R8), X1
	VINSERTPS   $0x10, (R8)(R9*1), X1, X1
	VINSERTPS   $0x20, (R8)(R9*2), X1, X1
	VINSERTPS   $0x30, (R8)(R10*1), X1, X1
	VINSERTF128 $1, X1, Y0, Y0
	VADDPS      Y0, Y15, Y15
	ADDQ        $4, SI
	ADDQ        $4, R8
	DECQ        AX
	JNZ         sumOne

sumNext:
	VMOVUPS Y15, (DI)
	ADDQ    $32, DI
	LEAQ    (R8)(R10*1), SI
	SUBQ    $8, CX
	JGT     sumRows
	VZEROUPPER
	RET
