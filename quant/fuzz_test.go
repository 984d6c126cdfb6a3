package quant

import (
	"encoding/binary"
	"math"
	"testing"
)

// bytesReader deals out fuzz input, zeros when it is used up.
type bytesReader []byte

func (b *bytesReader) byte() byte {
	if len(*b) == 0 {
		return 0
	}
	v := (*b)[0]
	*b = (*b)[1:]
	return v
}

// float has any bits.
func (b *bytesReader) float() float32 {
	return math.Float32frombits(uint32(b.byte()) | uint32(b.byte())<<8 | uint32(b.byte())<<16 | uint32(b.byte())<<24)
}

// FuzzMatrixMul compares every kernel with the reference on any bits of inputs, weights
// and scales.
func FuzzMatrixMul(f *testing.F) {
	f.Add(uint8(31), uint8(1), uint8(4), uint8(0), uint8(0), []byte("\x00\x00\x80\x3f\x7f\xff"))
	f.Add(uint8(63), uint8(0), uint8(1), uint8(3), uint8(1), []byte("weights and activations"))
	f.Add(uint8(127), uint8(2), uint8(2), uint8(40), uint8(2), []byte{0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0xff})
	f.Add(uint8(129), uint8(8), uint8(17), uint8(68), uint8(0), []byte("four tiles and one, in groups of 64"))
	f.Add(uint8(131), uint8(6), uint8(5), uint8(16), uint8(1), []byte("\x80\x7f\x80\x3f\x80\x80"))
	f.Add(uint8(6), uint8(2), uint8(5), uint8(2), uint8(0), []byte{})
	p := newPool(f, 2)
	f.Fuzz(func(t *testing.T, group, groups, rows, n, mode uint8, bits []byte) {
		g, r, tokens := 1+int(group)%MaxGroup, 1+int(rows)%40, 1+int(n)%80
		if group >= 128 { // what kernels take
			g = 32 * (1 + g%4)
		}
		cols := g * (1 + int(groups)%9)
		b := bytesReader(bits)
		q, scales, x := make([]int, r*cols), make([]float32, r*cols/g), make([]float32, tokens*cols)
		for i := range scales {
			scales[i] = b.float()
		}
		for i := range min(len(x), 200) {
			x[i*7919%len(x)] = b.float()
		}
		for i := range q {
			q[i] = int(int8(b.byte()))
		}
		m := newTestMatrix(t, r, cols, g, q, scales, F32)
		a := Activations(mode % 3)
		want := m.want(x, tokens, a)
		eachKernel(t, func(t *testing.T) { requireSame(t, mul(p, m, x, tokens, a), want) })
	})
}

// FuzzQuantizeRows wants the reference's values, or an error exactly where a weight is
// not finite.
func FuzzQuantizeRows(f *testing.F) {
	f.Add(uint8(0), uint8(4), []byte("\x00\x00\x80\x3f\x01\x00\x00\x00\x00\x00\x00\x80\x00\x00\x7f\x7f"))
	f.Add(uint8(1), uint8(2), []byte("\x80\x7f\x01\x00"))
	f.Add(uint8(2), uint8(1), []byte("\x01\x00\xff\x7b\x00\x7c"))
	f.Fuzz(func(t *testing.T, kind, size uint8, data []byte) {
		element, group := Element(kind%3), 1+int(size)%MaxGroup
		cols := group
		n := len(data) / element.Size() / cols * cols
		w := Floats{element, data[:n*element.Size()]}
		values := make([]float32, n)
		w.Widen(values, 0)
		finite := true
		for _, v := range values {
			finite = finite && v-v == 0
		}
		q, scales, _, err := quantizeRows(w, cols, group)
		if finite != (err == nil) {
			t.Fatalf("finite %v, error %v", finite, err)
		}
		if finite {
			checkQuantized(t, values, group, element, q, scales)
		}
	})
}

// FuzzWiden reads the same values at any address and in any part.
func FuzzWiden(f *testing.F) {
	f.Add(uint8(2), uint8(1), []byte("\x00\x3c\x00\x7c\x01\x00\x00\x80\x00\x3c"))
	f.Fuzz(func(t *testing.T, kind, from uint8, data []byte) {
		all := Floats{Element(kind % 3), data}
		n := all.Len()
		whole := make([]float32, n)
		all.Widen(whole, 0)
		at := int(from) % (n + 1)
		part := make([]float32, n-at)
		all.Widen(part, at)
		for i, v := range part {
			if math.Float32bits(v) != math.Float32bits(whole[at+i]) {
				t.Fatalf("value %d: %v and %v", at+i, v, whole[at+i])
			}
		}
		if all.Element == F32 {
			for i, v := range whole {
				if math.Float32bits(v) != binary.LittleEndian.Uint32(data[4*i:]) {
					t.Fatalf("value %d: %v", i, v)
				}
			}
		}
	})
}
