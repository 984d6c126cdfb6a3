package quant

import "encoding/binary"

// genericKernel is the kernel in plain Go, and the oracle of all others.
//
// One 64-bit multiplication makes two exact products: for weights u = q+128 and
// activations x of columns i and j,
//
//	(uᵢ + uⱼ·2³²)·(xⱼ + xᵢ·2³²) = uᵢxⱼ + (uᵢxᵢ + uⱼxⱼ)·2³²   modulo 2⁶⁴
//
// The upper half sums the dot product, the lower half the cross products, which fit in
// an int32 too (64·255·32512) and whose sign is taken off at the end. Columns i and
// i+4 of eight are a pair, because a mask takes both from eight bytes of weights.
var genericKernel = kernel{
	name:         "generic",
	rows:         4,
	tile:         1,
	takes:        func(*Matrix) bool { return true },
	quantize:     quantizeGroup,
	maxBits:      maxBits,
	roundWeights: roundWeights,
	room:         genericRoom,
	pack:         genericPackToken,
	mul:          genericMul,
}

// genericTokens is how many tokens meet the rows together: their activations stay in the
// second-level cache, and weights are widened once for all of them.
const genericTokens = 32

// genericWords is four words for every eight columns; the remaining columns (fewer than
// 8) follow one in a word.
func genericWords(group int) int { return group/8*4 + group%8 }

// genericMaxWords is the most that genericWords returns (group 127).
const genericMaxWords = 67

// genericRoom makes room for [n, groups, genericWords(group)].
func genericRoom(t *tokens) { t.packed = grow(t.packed, t.n*t.groups*genericWords(t.group)) }

// genericPackToken packs a group of a token.
func genericPackToken(t *tokens, token, g int) {
	words := genericWords(t.group)
	at := token*t.groups + g
	genericPack(t.packed[at*words:][:words], t.xq[at*t.group:][:t.group])
}

// genericPack writes the pairs of a group.
func genericPack(dst []uint64, xq []int16) {
	for len(xq) >= 8 && len(dst) >= 4 {
		x, d := (*[8]int16)(xq), (*[4]uint64)(dst)
		for i := range d {
			d[i] = uint64(int64(x[i])<<32 + int64(x[i+4]))
		}
		xq, dst = xq[8:], dst[4:]
	}
	for i, x := range xq {
		dst[i] = uint64(int64(x) << 32)
	}
}

// genericMul implements kernel.mul. A single token meets the bytes of the weights as they
// are: making pairs would take longer than the multiplications that they save.
func genericMul(m *Matrix, x *tokens, dst []float32, lo, hi int, s *scratch) {
	s.scales = grow(s.scales, 4*x.groups)
	for t := 0; t < x.n; t += genericTokens {
		for r := lo; r < hi; r += 4 {
			count := min(4, hi-r)
			m.scales.Widen(s.scales[:count*x.groups], r*x.groups)
			if x.n == 1 {
				genericRow(m, x, dst[r:], r, count, s)
			} else {
				genericBlock(m, x, dst, r, count, t, min(t+genericTokens, x.n), s)
			}
		}
	}
}

// genericBlock multiplies count ≤ 4 rows from r with tokens from ≤ t < to.
func genericBlock(m *Matrix, x *tokens, dst []float32, r, count, from, to int, s *scratch) {
	var acc [genericTokens][4]float32
	words := genericWords(x.group)
	for g := range x.groups {
		for i := range 4 {
			row := r + min(i, count-1) // a missing row repeats the last
			genericWiden(s.weights[i][:words], m.data[row*m.cols+g*m.group:][:m.group])
		}
		var sw [4]float32
		for i := range count {
			sw[i] = s.scales[i*x.groups+g]
		}
		for t := from; t < to; t++ {
			at := t*x.groups + g
			d0, d1, d2, d3 := genericPairs(&s.weights, x.packed[at*words:][:words])
			a, bias, sx := &acc[t-from], 128*x.sums[at], x.scales[at]
			a[0] += genericTerm(upper(d0)-bias, sw[0], sx)
			a[1] += genericTerm(upper(d1)-bias, sw[1], sx)
			a[2] += genericTerm(upper(d2)-bias, sw[2], sx)
			a[3] += genericTerm(upper(d3)-bias, sw[3], sx)
		}
	}
	for t := from; t < to; t++ {
		copy(dst[t*m.rows+r:][:count], acc[t-from][:])
	}
}

// pairMask keeps bytes 0 and 4 of a word.
const pairMask = 0x000000ff_000000ff

// genericWiden writes the pairs of a group of weights u.
func genericWiden(dst []uint64, u []byte) {
	for len(u) >= 8 && len(dst) >= 4 {
		v := binary.LittleEndian.Uint64(u)
		d := (*[4]uint64)(dst)
		d[0] = v & pairMask
		d[1] = v >> 8 & pairMask
		d[2] = v >> 16 & pairMask
		d[3] = v >> 24 & pairMask
		u, dst = u[8:], dst[4:]
	}
	for i, v := range u {
		dst[i] = uint64(v)
	}
}

// genericPairs multiplies a group of four rows with one of activations, both in pairs.
func genericPairs(w *[4][genericMaxWords]uint64, x []uint64) (s0, s1, s2, s3 uint64) {
	w0, w1, w2, w3 := w[0][:len(x)], w[1][:len(x)], w[2][:len(x)], w[3][:len(x)]
	for i, v := range x {
		s0 += w0[i] * v
		s1 += w1[i] * v
		s2 += w2[i] * v
		s3 += w3[i] * v
	}
	return s0, s1, s2, s3
}

// upper takes the dot product out of a sum of pairs: the upper half, and back what the
// sign of the lower half has borrowed from it.
func upper(s uint64) int32 { return int32(s>>32) + int32(uint32(s)>>31) }

// genericTerm is what a group adds to an output.
func genericTerm(dot int32, sw, sx float32) float32 {
	return float32(float32(dot) * float32(sw*sx))
}

// genericRow multiplies count ≤ 4 rows from r with a single token.
func genericRow(m *Matrix, x *tokens, dst []float32, r, count int, s *scratch) {
	var u [4][]byte
	for i := range u {
		u[i] = m.data[(r+min(i, count-1))*m.cols:][:m.cols]
	}
	var a [4]float32
	for g := range x.groups {
		from, to := g*m.group, (g+1)*m.group
		d0, d1, d2, d3 := genericBytes(x.xq[from:to], u[0][from:to], u[1][from:to], u[2][from:to], u[3][from:to])
		sw, bias, sx := s.scales[g:], 128*x.sums[g], x.scales[g]
		a[0] += genericTerm(d0-bias, sw[0], sx)
		a[1] += genericTerm(d1-bias, sw[x.groups], sx)
		a[2] += genericTerm(d2-bias, sw[2*x.groups], sx)
		a[3] += genericTerm(d3-bias, sw[3*x.groups], sx)
	}
	copy(dst[:count], a[:])
}

// genericBytes multiplies a group of four rows with one of activations. Inlined, its loop
// would run out of registers.
//
//go:noinline
func genericBytes(x []int16, u0, u1, u2, u3 []byte) (s0, s1, s2, s3 int32) {
	u0, u1, u2, u3 = u0[:len(x)], u1[:len(x)], u2[:len(x)], u3[:len(x)]
	for i, v := range x {
		w := int32(v)
		s0 += int32(u0[i]) * w
		s1 += int32(u1[i]) * w
		s2 += int32(u2[i]) * w
		s3 += int32(u3[i]) * w
	}
	return s0, s1, s2, s3
}
