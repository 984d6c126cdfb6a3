package quant

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchmarkMul reports what a product of [2048, 2048] reads and computes on one thread.
func benchmarkMul(b *testing.B, n int) {
	const rows, cols = 2048, 2048
	r := rand.New(rand.NewPCG(1, 3))
	m := randomMatrix(b, r, rows, cols, 64, BF16)
	for _, mode := range modes {
		b.Run("int8 weights "+mode.String(), func(b *testing.B) { benchmarkLinear(b, m, mode, n) })
	}
	for _, e := range []Element{F32, BF16, F16} {
		d, _ := randomDense(b, r, rows, cols, e)
		b.Run(fmt.Sprintf("%v weights", e), func(b *testing.B) { benchmarkLinear(b, d, Float, n) })
	}
}

func benchmarkLinear(b *testing.B, l Linear, mode Activations, n int) {
	rows, cols := l.Size()
	p, in := newPool(b, 1), NewInput(mode)
	x, dst := randomFloats(rand.New(rand.NewPCG(1, 2)), n*cols), make([]float32, n*rows)
	for b.Loop() {
		in.Set(x, n, cols)
		l.Mul(p, dst, in)
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(l.Bytes())/seconds/1e9, "GB/s")
	b.ReportMetric(float64(rows)*float64(cols)*float64(n)/seconds/1e9, "GMAC/s")
}

func BenchmarkMatVec(b *testing.B) { benchmarkMul(b, 1) }

func BenchmarkMatMul(b *testing.B) { benchmarkMul(b, 64) }

func BenchmarkQuantizeRows(b *testing.B) {
	const n = 1 << 18
	for _, e := range []Element{F32, BF16, F16} {
		b.Run(e.String(), func(b *testing.B) {
			_, values := randomDense(b, rand.New(rand.NewPCG(1, 4)), 1, n, e)
			w := stored(values, e)
			q, scales := make([]byte, n), make([]byte, n/64*e.Size())
			b.SetBytes(int64(len(w.Data)))
			for b.Loop() {
				if _, err := QuantizeRows(q, scales, w, n, 64); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkQuantizeInput(b *testing.B) {
	const cols = 2048
	p, in := newPool(b, 1), NewInput(Int16)
	x := randomFloats(rand.New(rand.NewPCG(1, 5)), cols)
	b.SetBytes(4 * cols)
	for b.Loop() {
		in.Set(x, 1, cols)
		in.quantized(p, current.Load(), 64)
	}
}

// BenchmarkRun is what a product costs beside the work itself.
func BenchmarkRun(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads %d", threads), func(b *testing.B) {
			p, task := newPool(b, threads), new(nothing)
			for b.Loop() {
				p.Run(8, 1, task)
			}
		})
	}
}

type nothing struct{}

func (*nothing) Do(_, _, _ int) {}
