package quant

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// simpleQuantize quantizes one group of activations as the package's documentation says.
func simpleQuantize(x []float32, limit float32) (xq []int, sx float32) {
	xq = make([]int, len(x))
	var largest float32
	for _, v := range x {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return xq, float32(math.NaN())
		}
		if v < 0 {
			v = -v
		}
		if v > largest {
			largest = v
		}
	}
	sx = float32(largest / limit)
	if sx < 0x1p-126 {
		return xq, 0
	}
	for i, v := range x {
		xq[i] = int(math.RoundToEven(float64(float32(v / sx))))
	}
	return xq, sx
}

// simpleProduct is one output of an int8 linear layer: q and scales of a row, x of a token.
func simpleProduct(q []int, scales, x []float32, group int, mode Activations) float32 {
	limit := float32(32512)
	if mode == Int8 {
		limit = 127
	}
	var acc float32
	for g := range len(x) / group {
		xq, sx := simpleQuantize(x[g*group:(g+1)*group], limit)
		dot := 0
		for i, v := range xq {
			dot += q[g*group+i] * v
		}
		scale := float32(scales[g] * sx)
		term := float32(float32(int32(dot)) * scale)
		acc = float32(acc + term)
	}
	return acc
}

// simpleDot is the float linear sum.
func simpleDot(w, x []float32) float32 {
	var lane [16]float32
	for i := range w {
		product := float32(w[i] * x[i])
		lane[i%16] = float32(lane[i%16] + product)
	}
	for _, half := range []int{8, 4, 2, 1} {
		for i := range half {
			lane[i] = float32(lane[i] + lane[i+half])
		}
	}
	return lane[0]
}

// testMatrix is a random matrix with its parts in the open.
type testMatrix struct {
	*Matrix
	q      []int
	scales []float32
}

func randomMatrix(t testing.TB, r *rand.Rand, rows, cols, group int, element Element) testMatrix {
	m := testMatrix{q: make([]int, rows*cols), scales: make([]float32, rows*cols/group)}
	data := make([]byte, rows*cols)
	for i := range data {
		m.q[i] = r.IntN(256) - 128
		data[i] = byte(m.q[i] + 128)
	}
	stored := Floats{element, make([]byte, len(m.scales)*element.Size())}
	for i := range m.scales {
		putFloat(stored.Data[i*element.Size():], element, roundTo(float32(r.Float64()*0.01), element))
	}
	stored.Widen(m.scales, 0)
	var err error
	if m.Matrix, err = NewMatrix(rows, cols, group, data, stored); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m testMatrix) want(dst, x []float32, n int, mode Activations) {
	for t := range n {
		for r := range m.rows {
			q, s := m.q[r*m.cols:][:m.cols], m.scales[r*m.cols/m.group:][:m.cols/m.group]
			xt := x[t*m.cols:][:m.cols]
			if mode != Float {
				dst[t*m.rows+r] = simpleProduct(q, s, xt, m.group, mode)
				continue
			}
			w := make([]float32, m.cols)
			for i := range w {
				w[i] = float32(float32(q[i]) * s[i/m.group])
			}
			dst[t*m.rows+r] = simpleDot(w, xt)
		}
	}
}

func randomFloats(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func floatsOf(values []float32, element Element) Floats {
	f := Floats{element, make([]byte, len(values)*element.Size())}
	for i, v := range values {
		putFloat(f.Data[i*element.Size():], element, roundTo(v, element))
	}
	return f
}

func requireSame(t *testing.T, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) && !(got[i] != got[i] && want[i] != want[i]) {
			t.Fatalf("value %d: %v (%08x), want %v (%08x)", i, got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
		}
	}
}

func TestMatrixMulIsTheReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, threads := range []int{1, 2, 3, 5} {
		p := NewPool(threads)
		defer p.Close()
		for _, group := range []int{1, 4, 7, 32, 64, 128} {
			for _, mode := range []Activations{Int16, Int8, Float} {
				t.Run(fmt.Sprintf("threads %d group %d %v", threads, group, mode), func(t *testing.T) {
					in := NewInput(mode)
					for n := 1; n <= 17; n++ {
						rows, cols := 1+r.IntN(40), group*(1+r.IntN(5))
						m := randomMatrix(t, r, rows, cols, group, Element(r.IntN(3)))
						x := randomFloats(r, n*cols)
						got, want := make([]float32, n*rows), make([]float32, n*rows)
						in.Set(x, n, cols)
						m.Mul(p, got, in)
						m.want(want, x, n, mode)
						requireSame(t, got, want)
					}
				})
			}
		}
	}
}

func benchmarkMul(b *testing.B, l Linear, mode Activations, n, threads int) {
	rows, cols := l.Size()
	p := NewPool(threads)
	defer p.Close()
	in := NewInput(mode)
	x := randomFloats(rand.New(rand.NewPCG(1, 2)), n*cols)
	dst := make([]float32, n*rows)
	for b.Loop() {
		in.Set(x, n, cols)
		l.Mul(p, dst, in)
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(l.Bytes())/seconds/1e9, "GB/s")
	b.ReportMetric(float64(rows)*float64(cols)*float64(n)/seconds/1e9, "GMAC/s")
}

func BenchmarkMatVec(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 3))
	m := randomMatrix(b, r, 2048, 2048, 64, BF16)
	for _, mode := range []Activations{Int16, Int8, Float} {
		b.Run(mode.String(), func(b *testing.B) { benchmarkMul(b, m, mode, 1, 1) })
	}
	for _, e := range []Element{F32, BF16, F16} {
		d, _ := NewDense(2048, 2048, floatsOf(randomFloats(r, 2048*2048), e))
		b.Run(e.String(), func(b *testing.B) { benchmarkMul(b, d, Float, 1, 1) })
	}
}

func BenchmarkMatMul(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 3))
	m := randomMatrix(b, r, 2048, 2048, 64, BF16)
	for _, mode := range []Activations{Int16, Int8, Float} {
		b.Run(mode.String(), func(b *testing.B) { benchmarkMul(b, m, mode, 64, 1) })
	}
	for _, e := range []Element{F32, BF16, F16} {
		d, _ := NewDense(2048, 2048, floatsOf(randomFloats(r, 2048*2048), e))
		b.Run(e.String(), func(b *testing.B) { benchmarkMul(b, d, Float, 64, 1) })
	}
}

var _ = binary.LittleEndian
