// Package quant holds the weights of linear layers, float or int8, and multiplies with them.
//
// # Layout
//
// All matrices are row-major, [rows, cols] = [outputs, inputs]; batches of activations are
// [tokens, cols] and results [tokens, rows]. A [Dense] keeps floats in the type in which
// they are stored (F32, BF16, F16, little-endian, at any alignment). A [Matrix] keeps one
// byte q+128 a weight and one scale for each group of consecutive inputs of a row: the
// weight is q·scale. Both keep the caller's bytes, which may be a read-only mapping.
// Both are a [Linear]: callers need not know which they have.
//
// # Numbers
//
// A product is the same bits on every machine and kernel, for any number of threads, and
// for a batch in one piece, in pieces or token by token.
//
// Float linear ([Dense], and [Matrix] with [Float] activations): weights are widened to
// float32 exactly (a Matrix's are float32(q)*scale, rounded once), then each output is
// vec.Dot of two rows: 16 lanes, multiply, round, add, folded by halves.
//
// Int8 weights with [Int16] (the default) or [Int8] activations: each token's inputs are
// quantized in the same groups as the weights. With L = 32512 (Int16) or 127 (Int8),
// all in float32, each operation rounded:
//
//	sx = max|x| / L
//	xq = round_half_even(x / sx)         |xq| ≤ L
//
// A group whose sx is below 2⁻¹²⁶ (all zero, or next to nothing) has sx = 0 and xq = 0. A
// group that holds a NaN or an infinity has sx = NaN and xq = 0, so that the results that
// it reaches are NaN. Then, groups from left to right, starting at +0:
//
//	dot = Σ q·xq                         exact in int32 for groups up to 128, also for q = -128
//	acc = acc + float32(dot) * (sw * sx) each operation rounded, never fused
//
// An Int16 xq is 255·hi + lo with hi = round(xq/255) and |hi|, |lo| ≤ 127, so that instructions
// for bytes can do it, too: dot = 255·Σ q·hi + Σ q·lo. A product sw*sx that overflows makes the
// result infinite or NaN. The bits of a NaN are not part of this contract.
//
// [Quantize] and [QuantizeRows] choose, for each group, in float32:
//
//	scale = max|w| / 127                 rounded to the stored type, half to even
//	q     = round_half_even(w / scale)   clamped to [-127, 127]
//
// Where a nonzero scale would round to zero it is the smallest positive number of the
// type. A zero group has scale 1 and q = 0. NaN or an infinity is an error.
//
// # Kernels
//
// The int8 product is done by a kernel, one for each instruction set:
//
//	generic  plain Go: always there, and the oracle for the others
//	avx2     amd64 with AVX2 and F16C
//	vnni     amd64 with AVX-512 F, BW, VL and VNNI
//	amx      Linux on amd64 with AMX-INT8 beside these; only by name
//	neon     arm64
//	sdot     arm64 with SDOT (ASIMDDP, of ARMv8.2 or later)
//
// The best that the machine has is in use, unless the environment variable OCTET_CPU or
// [SetBackend] chooses one by name. Groups that are not a multiple of 32, and matrices of
// fewer than 16 rows (on arm64 4), are left to the generic kernel. The build tag purego leaves
// out all others.
//
// The kernel amx was tested in an emulator, not yet on a processor: it is never chosen by
// itself. A batch of at most 8 tokens goes to vnni. So does all where the operating system
// refuses AMX.
//
// # Concurrency
//
// Matrices are immutable and shared. An [Input] belongs to one goroutine and holds all the
// scratch of a product. A [Pool] may be shared: its users take turns. After the first
// products have grown the Input, no call allocates.
package quant
