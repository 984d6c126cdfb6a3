// Vector instructions that Go's assembler lacks, as words of A64. Arguments are register
// numbers in Go's order, the destination last: FSUB4S(2, 1, 0) sets V0 to V1 - V2. 4S is four
// float32 to a register. What each should be, TestWordsAreTheInstructions has in the words of
// another assembler.
//
// The fields: Rd (bits 0 to 4) is the destination, Rn (5 to 9) the first operand and Rm (16
// to 20) the second; the other bits are the operation:
//
//	three registers   0 Q U 01110 o 0 1 Rm opcode(5) 1 Rn Rd       Q 1: all 128 bits, o part of the opcode
//	two registers     0 Q U 01110 o 0 10000 opcode(5) 10 Rn Rd     across lanes: 11000 in place of 10000
//	by an element     0 1 0 01111 10 L M Rm opcode(4) H 0 Rn Rd    element H:L of V(M:Rm), here 0
//	prefetch          11 111 0 00 10 1 Rm 011 0 10 Rn type(5)      Rm, Rn addresses; type 0: load, first level

#define FADD4S(m, n, d) WORD $(0x4E20D400 | m<<16 | n<<5 | d)
#define FSUB4S(m, n, d) WORD $(0x4EA0D400 | m<<16 | n<<5 | d)
#define FMUL4S(m, n, d) WORD $(0x6E20DC00 | m<<16 | n<<5 | d)
#define FDIV4S(m, n, d) WORD $(0x6E20FC00 | m<<16 | n<<5 | d)
#define FMAX4S(m, n, d) WORD $(0x4E20F400 | m<<16 | n<<5 | d)

// FADDP4S adds neighbours: those of n, then those of m.
#define FADDP4S(m, n, d) WORD $(0x6E20D400 | m<<16 | n<<5 | d)

// FCMGT4S sets all bits where n > m, else none.
#define FCMGT4S(m, n, d) WORD $(0x6EA0E400 | m<<16 | n<<5 | d)

// FMULBY4S multiplies by the first element of m.
#define FMULBY4S(m, n, d) WORD $(0x4F809000 | m<<16 | n<<5 | d)

#define FNEG4S(n, d) WORD $(0x6EA0F800 | n<<5 | d)

// FRINTN4S rounds to integers, half to even; FCVTZS4S makes int32 of them.
#define FRINTN4S(n, d) WORD $(0x4E218800 | n<<5 | d)
#define FCVTZS4S(n, d) WORD $(0x4EA1B800 | n<<5 | d)

// FMAXV4S is the largest of the four elements of n.
#define FMAXV4S(n, d) WORD $(0x6E30F800 | n<<5 | d)

// FCVTL4S widens the four halves in the lower part of n, FCVTL24S those in the upper.
#define FCVTL4S(n, d) WORD $(0x0E217800 | n<<5 | d)
#define FCVTL24S(n, d) WORD $(0x4E217800 | n<<5 | d)

// PREFETCH fetches what is m bytes behind address n; m and n are general registers.
#define PREFETCH(m, n) WORD $(0xF8A06800 | m<<16 | n<<5)
