// Instructions that Go's assembler does not know, as words. Operands are numbers of
// registers in the assembler's order, the destination last: m is the first source, n the
// second, so that FSUB_S(2, 1, 0) sets V0 to V1 - V2. In a word, m begins at bit 16, n at
// bit 5 and d at bit 0. An element's index i is split: its lower bit is bit 21, its upper bit
// 11. The line above each is the instruction in GNU syntax, with which TestWords compares the
// word.

// fadd v{d}.4s, v{n}.4s, v{m}.4s
#define FADD_S(m, n, d) WORD $(0x4e20d400 | m<<16 | n<<5 | d)

// fsub v{d}.4s, v{n}.4s, v{m}.4s
#define FSUB_S(m, n, d) WORD $(0x4ea0d400 | m<<16 | n<<5 | d)

// fmul v{d}.4s, v{n}.4s, v{m}.4s
#define FMUL_S(m, n, d) WORD $(0x6e20dc00 | m<<16 | n<<5 | d)

// fmul v{d}.4s, v{n}.4s, v{m}.s[{i}]
#define FMUL_S_BY(i, m, n, d) WORD $(0x4f809000 | (i&1)<<21 | m<<16 | (i>>1)<<11 | n<<5 | d)

// fdiv v{d}.4s, v{n}.4s, v{m}.4s
#define FDIV_S(m, n, d) WORD $(0x6e20fc00 | m<<16 | n<<5 | d)

// fmax v{d}.4s, v{n}.4s, v{m}.4s
#define FMAX_S(m, n, d) WORD $(0x4e20f400 | m<<16 | n<<5 | d)

// fmaxv s{d}, v{n}.4s
#define FMAXV(n, d) WORD $(0x6e30f800 | n<<5 | d)

// faddp v{d}.4s, v{n}.4s, v{m}.4s
#define FADDP_S(m, n, d) WORD $(0x6e20d400 | m<<16 | n<<5 | d)

// fcmgt v{d}.4s, v{n}.4s, v{m}.4s
#define FCMGT_S(m, n, d) WORD $(0x6ea0e400 | m<<16 | n<<5 | d)

// fcmge v{d}.4s, v{n}.4s, v{m}.4s
#define FCMGE_S(m, n, d) WORD $(0x6e20e400 | m<<16 | n<<5 | d)

// fcmeq v{d}.4s, v{n}.4s, v{m}.4s
#define FCMEQ_S(m, n, d) WORD $(0x4e20e400 | m<<16 | n<<5 | d)

// fneg v{d}.4s, v{n}.4s
#define FNEG_S(n, d) WORD $(0x6ea0f800 | n<<5 | d)

// frintn v{d}.4s, v{n}.4s
#define FRINTN(n, d) WORD $(0x4e218800 | n<<5 | d)

// fcvtzs v{d}.4s, v{n}.4s
#define FCVTZS(n, d) WORD $(0x4ea1b800 | n<<5 | d)

// fcvtl v{d}.4s, v{n}.4h
#define FCVTL_S(n, d) WORD $(0x0e217800 | n<<5 | d)

// fcvtl2 v{d}.4s, v{n}.8h
#define FCVTL2_S(n, d) WORD $(0x4e217800 | n<<5 | d)

// fcvtl v{d}.2d, v{n}.2s
#define FCVTL_D(n, d) WORD $(0x0e617800 | n<<5 | d)

// fcvtl2 v{d}.2d, v{n}.4s
#define FCVTL2_D(n, d) WORD $(0x4e617800 | n<<5 | d)

// fcvtn v{d}.2s, v{n}.2d
#define FCVTN_S(n, d) WORD $(0x0e616800 | n<<5 | d)

// fcvtn2 v{d}.4s, v{n}.2d
#define FCVTN2_S(n, d) WORD $(0x4e616800 | n<<5 | d)

// fadd v{d}.2d, v{n}.2d, v{m}.2d
#define FADD_D(m, n, d) WORD $(0x4e60d400 | m<<16 | n<<5 | d)

// fmul v{d}.2d, v{n}.2d, v{m}.2d
#define FMUL_D(m, n, d) WORD $(0x6e60dc00 | m<<16 | n<<5 | d)

// scvtf v{d}.4s, v{n}.4s
#define SCVTF(n, d) WORD $(0x4e21d800 | n<<5 | d)

// sshll v{d}.8h, v{n}.8b, #0
#define SXTL_H(n, d) WORD $(0x0f08a400 | n<<5 | d)

// sshll2 v{d}.8h, v{n}.16b, #0
#define SXTL2_H(n, d) WORD $(0x4f08a400 | n<<5 | d)

// sshll v{d}.4s, v{n}.4h, #0
#define SXTL_S(n, d) WORD $(0x0f10a400 | n<<5 | d)

// sshll2 v{d}.4s, v{n}.8h, #0
#define SXTL2_S(n, d) WORD $(0x4f10a400 | n<<5 | d)

// fcvtn v{d}.4h, v{n}.4s
#define FCVTN_H(n, d) WORD $(0x0e216800 | n<<5 | d)

// fcvtn2 v{d}.8h, v{n}.4s
#define FCVTN2_H(n, d) WORD $(0x4e216800 | n<<5 | d)

// fcvtns v{d}.4s, v{n}.4s
#define FCVTNS(n, d) WORD $(0x4e21a800 | n<<5 | d)

// xtn v{d}.4h, v{n}.4s
#define XTN_H(n, d) WORD $(0x0e612800 | n<<5 | d)

// xtn2 v{d}.8h, v{n}.4s
#define XTN2_H(n, d) WORD $(0x4e612800 | n<<5 | d)

// xtn v{d}.8b, v{n}.8h
#define XTN_B(n, d) WORD $(0x0e212800 | n<<5 | d)

// xtn2 v{d}.16b, v{n}.8h
#define XTN2_B(n, d) WORD $(0x4e212800 | n<<5 | d)

// umaxv s{d}, v{n}.4s
#define UMAXV(n, d) WORD $(0x6eb0a800 | n<<5 | d)

// prfm pldl1keep, [x{n}, x{m}]
#define PREFETCH(m, n) WORD $(0xf8a06800 | m<<16 | n<<5)

// TALLY adds the four float32 of x to four float64 lanes. t and u are scratch.
#define TALLY(x, t, u, lo, hi) \
	FCVTL_D(x, t)     \
	FCVTL2_D(x, u)    \
	FADD_D(t, lo, lo) \
	FADD_D(u, hi, hi)
