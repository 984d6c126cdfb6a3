// Package vec holds float32 vector primitives whose results are the same bits on every
// machine and instruction set.
//
// Two rules make them so:
//
//   - Every product is rounded before it is added: the conversion in float32(x*y) + z
//     keeps compilers from fusing the two (arm64, and amd64 from GOAMD64=v3 on).
//   - Sums run in 16 lanes. Lane j starts at +0 and adds elements j, j+16, j+32, … in
//     order, also those of an incomplete last block; then lanes fold by halves:
//     lane i += lane i+8 for i < 8, then i+4 for i < 4, i+2 for i < 2, and lane 1 to lane 0.
//     Vector units do the same with one, two or four registers.
//
// Divisions and square roots are those of IEEE 754 (correctly rounded). Exp is one
// polynomial. The bits of a NaN are not part of the contract.
//
// Plain Go (dotGeneric and its like) is always compiled and is what the vector code is
// compared with, by ==. On amd64 the package uses AVX2 or AVX-512 where the machine has
// them, on arm64 NEON, if the environment variable OCTET_CPU allows it (see package cpu);
// with -tags purego, and on other machines, there is only plain Go.
//
// All functions are safe for concurrent use on separate destinations. They allocate nothing,
// but for DotTiles with keys of more than 256 columns.
// Vectors that belong together have one length; anything else is the caller's bug.
package vec
