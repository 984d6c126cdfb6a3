package quant

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// eachBackend runs a benchmark on every kernel of this machine.
func eachBackend(b *testing.B, f func(b *testing.B)) {
	defer SetBackend(Backend())
	for _, name := range Backends() {
		SetBackend(name)
		b.Run(name, f)
	}
}

// benchmarkMul reports what a product of [2048, 2048] reads and computes on one thread.
func benchmarkMul(b *testing.B, n int) {
	const rows, cols = 2048, 2048
	r := rand.New(rand.NewPCG(1, 3))
	for _, group := range []int{32, 64, 128} {
		m := randomMatrix(b, r, rows, cols, group, BF16)
		for _, mode := range []Activations{Int16, Int8} {
			b.Run(fmt.Sprintf("group %d %v", group, mode), func(b *testing.B) {
				eachBackend(b, func(b *testing.B) { benchmarkLinear(b, []Linear{m}, mode, n) })
			})
		}
	}
	m := randomMatrix(b, r, rows, cols, 64, BF16)
	b.Run("int8 weights float", func(b *testing.B) { benchmarkLinear(b, []Linear{m}, Float, n) })
	for _, e := range []Element{F32, BF16, F16} {
		d, _ := randomDense(b, r, rows, cols, e)
		b.Run(fmt.Sprintf("%v weights", e), func(b *testing.B) { benchmarkLinear(b, []Linear{d}, Float, n) })
	}
}

// benchmarkLinear multiplies with matrices of one shape in turn.
func benchmarkLinear(b *testing.B, all []Linear, mode Activations, n int) {
	rows, cols := all[0].Size()
	p, in := newPool(b, 1), NewInput(mode)
	x, dst := randomFloats(rand.New(rand.NewPCG(1, 2)), n*cols), make([]float32, n*rows)
	for i := 0; b.Loop(); i++ {
		in.Set(x, n, cols)
		all[i%len(all)].Mul(p, dst, in)
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(all[0].Bytes())/seconds/1e9, "GB/s")
	b.ReportMetric(float64(rows)*float64(cols)*float64(n)/seconds/1e9, "GMAC/s")
}

func BenchmarkMatVec(b *testing.B) { benchmarkMul(b, 1) }

func BenchmarkMatMul(b *testing.B) { benchmarkMul(b, 128) }

// BenchmarkTokens is what batches between the two cost.
func BenchmarkTokens(b *testing.B) {
	m := randomMatrix(b, rand.New(rand.NewPCG(1, 6)), 1536, 576, 64, BF16)
	for _, n := range []int{1, 2, 4, 6, 8, 16, 32, 48, 64, 128} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			eachBackend(b, func(b *testing.B) { benchmarkLinear(b, []Linear{m}, Int16, n) })
		})
	}
}

// BenchmarkStream multiplies one token with 256 MB of weights, which no cache holds.
func BenchmarkStream(b *testing.B) {
	for _, shape := range [][2]int{{1536, 576}, {2048, 2048}, {2048, 8192}} {
		b.Run(fmt.Sprint(shape), func(b *testing.B) {
			rows, cols := shape[0], shape[1]
			var all []Linear
			for size := 0; size < 256<<20; size += rows * cols {
				q, scales := make([]byte, rows*cols), make([]byte, rows*cols/64*BF16.Size())
				for i := range q {
					q[i] = byte(i) // memory that is not written may be one page of zeros
				}
				m, err := NewMatrix(rows, cols, 64, q, Floats{BF16, scales})
				if err != nil {
					b.Fatal(err)
				}
				all = append(all, m)
			}
			eachBackend(b, func(b *testing.B) { benchmarkLinear(b, all, Int16, 1) })
		})
	}
}

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

// BenchmarkPrefill multiplies a batch with matrices as models have them, in 64 MB, which no
// cache of one core holds.
func BenchmarkPrefill(b *testing.B) {
	for _, shape := range [][2]int{{1536, 576}, {576, 1536}, {5632, 2048}, {2048, 5632}} {
		var all []Linear
		r := rand.New(rand.NewPCG(1, 7))
		for size := 0; size < 64<<20; size += shape[0] * shape[1] {
			all = append(all, randomMatrix(b, r, shape[0], shape[1], 64, BF16))
		}
		for _, mode := range []Activations{Int16, Int8} {
			b.Run(fmt.Sprint(shape, mode), func(b *testing.B) { benchmarkLinear(b, all, mode, 128) })
		}
	}
}
