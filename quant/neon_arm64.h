// Instructions that Go's assembler does not know, as words. Operands are numbers of vector
// registers in the assembler's order, the destination last: m is its first source, n its
// second. In a word, m begins at bit 16, n at bit 5 and d at bit 0. An element's index i is
// split: its lower bit is bit 21, its upper bit 11. The line above each is the instruction
// in GNU syntax, with which TestWords compares the word.

// sdot v{d}.4s, v{n}.16b, v{m}.16b
#define SDOT(m, n, d) WORD $(0x4e809400 | m<<16 | n<<5 | d)

// sdot v{d}.4s, v{n}.16b, v{m}.4b[{i}]
#define SDOT_BY(i, m, n, d) WORD $(0x4f80e000 | (i&1)<<21 | m<<16 | (i>>1)<<11 | n<<5 | d)

// smull v{d}.8h, v{n}.8b, v{m}.8b
#define SMULL(m, n, d) WORD $(0x0e20c000 | m<<16 | n<<5 | d)

// smlal2 v{d}.8h, v{n}.16b, v{m}.16b
#define SMLAL2(m, n, d) WORD $(0x4e208000 | m<<16 | n<<5 | d)

// sadalp v{d}.4s, v{n}.8h
#define SADALP(n, d) WORD $(0x4e606800 | n<<5 | d)

// mla v{d}.4s, v{n}.4s, v{m}.4s
#define MLA(m, n, d) WORD $(0x4ea09400 | m<<16 | n<<5 | d)

// movi v{d}.4s, #255
#define MOVI_255(d) WORD $(0x4f0707e0 | d)

// umaxv s{d}, v{n}.4s
#define UMAXV(n, d) WORD $(0x6eb0a800 | n<<5 | d)

// sshr v{d}.8h, v{n}.8h, #8
#define SSHR_8(n, d) WORD $(0x4f180400 | n<<5 | d)

// rshrn v{d}.8b, v{n}.8h, #8
#define RSHRN_8(n, d) WORD $(0x0f088c00 | n<<5 | d)

// rshrn2 v{d}.16b, v{n}.8h, #8
#define RSHRN2_8(n, d) WORD $(0x4f088c00 | n<<5 | d)

// xtn v{d}.8b, v{n}.8h
#define XTN_B(n, d) WORD $(0x0e212800 | n<<5 | d)

// xtn2 v{d}.16b, v{n}.8h
#define XTN2_B(n, d) WORD $(0x4e212800 | n<<5 | d)

// xtn v{d}.4h, v{n}.4s
#define XTN_H(n, d) WORD $(0x0e612800 | n<<5 | d)

// xtn2 v{d}.8h, v{n}.4s
#define XTN2_H(n, d) WORD $(0x4e612800 | n<<5 | d)

// scvtf v{d}.4s, v{n}.4s
#define SCVTF(n, d) WORD $(0x4e21d800 | n<<5 | d)

// fcvtns v{d}.4s, v{n}.4s
#define FCVTNS(n, d) WORD $(0x4e21a800 | n<<5 | d)

// frintn v{d}.4s, v{n}.4s
#define FRINTN(n, d) WORD $(0x4e218800 | n<<5 | d)

// fcvtl v{d}.4s, v{n}.4h
#define FCVTL_S(n, d) WORD $(0x0e217800 | n<<5 | d)

// fcvtl v{d}.2d, v{n}.2s
#define FCVTL_D(n, d) WORD $(0x0e617800 | n<<5 | d)

// fcvtl2 v{d}.2d, v{n}.4s
#define FCVTL2_D(n, d) WORD $(0x4e617800 | n<<5 | d)

// fadd v{d}.4s, v{n}.4s, v{m}.4s
#define FADD_S(m, n, d) WORD $(0x4e20d400 | m<<16 | n<<5 | d)

// fmul v{d}.4s, v{n}.4s, v{m}.4s
#define FMUL_S(m, n, d) WORD $(0x6e20dc00 | m<<16 | n<<5 | d)

// fmul v{d}.4s, v{n}.4s, v{m}.s[{i}]
#define FMUL_S_BY(i, m, n, d) WORD $(0x4f809000 | (i&1)<<21 | m<<16 | (i>>1)<<11 | n<<5 | d)

// fdiv v{d}.4s, v{n}.4s, v{m}.4s
#define FDIV_S(m, n, d) WORD $(0x6e20fc00 | m<<16 | n<<5 | d)

// fminnm v{d}.4s, v{n}.4s, v{m}.4s
#define FMINNM_S(m, n, d) WORD $(0x4ea0c400 | m<<16 | n<<5 | d)

// fmaxnm v{d}.4s, v{n}.4s, v{m}.4s
#define FMAXNM_S(m, n, d) WORD $(0x4e20c400 | m<<16 | n<<5 | d)

// fadd v{d}.2d, v{n}.2d, v{m}.2d
#define FADD_D(m, n, d) WORD $(0x4e60d400 | m<<16 | n<<5 | d)

// fmul v{d}.2d, v{n}.2d, v{m}.2d
#define FMUL_D(m, n, d) WORD $(0x6e60dc00 | m<<16 | n<<5 | d)

// fabd v{d}.2d, v{n}.2d, v{m}.2d
#define FABD_D(m, n, d) WORD $(0x6ee0d400 | m<<16 | n<<5 | d)

// fmaxnm v{d}.2d, v{n}.2d, v{m}.2d
#define FMAXNM_D(m, n, d) WORD $(0x4e60c400 | m<<16 | n<<5 | d)

// faddp d{d}, v{n}.2d
#define FADDP_D(n, d) WORD $(0x7e70d800 | n<<5 | d)

// fmaxnmp d{d}, v{n}.2d
#define FMAXNMP_D(n, d) WORD $(0x7e70c800 | n<<5 | d)

// ST4_LANE stores lane i of four registers from 16, to general register 0, and adds general
// register 1 to it.

// st4 {v16.s, v17.s, v18.s, v19.s}[{i}], [x0], x1
#define ST4_LOW(i) WORD $(0x0da1a010 | (i>>1)<<30 | (i&1)<<12)

// st4 {v20.s, v21.s, v22.s, v23.s}[{i}], [x0], x1
#define ST4_HIGH(i) WORD $(0x0da1a014 | (i>>1)<<30 | (i&1)<<12)
