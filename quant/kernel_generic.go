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
	name:  "generic",
	rows:  4,
	words: genericWords,
	pack:  genericPack,
	mul:   genericMul,
}

// genericTokens is how many tokens meet a group of weights while they are widened: their
// sums and activations stay in the cache.
const genericTokens = 32

// genericWords is four words for every eight columns; the remaining columns (fewer than
// 8) follow one in a word.
func genericWords(group int) int { return group/8*4 + group%8 }

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

// genericMul implements kernel.mul.
func genericMul(m *Matrix, x *tokens, dst []float32, lo, hi int, s *scratch) {
	for r := lo; r < hi; r += 4 {
		count := min(4, hi-r)
		m.scales.Widen(s.scales[:count*x.groups], r*x.groups)
		for t := 0; t < x.n; t += genericTokens {
			genericBlock(m, x, dst, r, count, t, min(t+genericTokens, x.n), s)
		}
	}
}

// genericBlock multiplies count ≤ 4 rows from r with tokens from ≤ t < to.
func genericBlock(m *Matrix, x *tokens, dst []float32, r, count, from, to int, s *scratch) {
	var acc [genericTokens][4]float32
	for g := range x.groups {
		for i := range 4 {
			row := r + min(i, count-1) // a missing row repeats the last
			genericWiden(s.weights[i][:x.words], m.data[row*m.cols+g*m.group:][:m.group])
		}
		var sw [4]float32
		for i := range count {
			sw[i] = s.scales[i*x.groups+g]
		}
		for t := from; t < to; t++ {
			at := t*x.groups + g
			dots := genericDots(&s.weights, x.packed[at*x.words:][:x.words])
			a := &acc[t-from]
			for i, d := range dots {
				dot := genericDot(d) - 128*x.sums[at]
				a[i] += float32(float32(dot) * float32(sw[i]*x.scales[at]))
			}
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

// genericDots multiplies a group of four rows with one of activations.
func genericDots(w *[4][MaxGroup / 2]uint64, x []uint64) [4]uint64 {
	w0, w1, w2, w3 := w[0][:len(x)], w[1][:len(x)], w[2][:len(x)], w[3][:len(x)]
	var s0, s1, s2, s3 uint64
	for i, v := range x {
		s0 += w0[i] * v
		s1 += w1[i] * v
		s2 += w2[i] * v
		s3 += w3[i] * v
	}
	return [4]uint64{s0, s1, s2, s3}
}

// genericDot takes the dot product out of a sum of pairs: the upper half, less what the
// sign of the lower half has borrowed from it.
func genericDot(s uint64) int32 {
	return int32(s>>32) + int32(uint32(s)>>31)
}
