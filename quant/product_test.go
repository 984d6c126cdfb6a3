package quant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

var modes = []Activations{Int16, Int8, Float}

func TestMatrixMulIsTheReference(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for _, threads := range []int{1, 2, 3, 5} {
			p := newPool(t, threads)
			for _, group := range []int{1, 4, 7, 32, 64, 127, 128} {
				for _, mode := range modes {
					t.Run(fmt.Sprintf("threads %d group %d %v", threads, group, mode), func(t *testing.T) {
						for n := 1; n <= 17; n++ {
							rows, cols := 1+r.IntN(40), group*(1+r.IntN(5))
							m := randomMatrix(t, r, rows, cols, group, Element(n%3))
							x := randomFloats(r, n*cols)
							requireSame(t, mul(p, m, x, n, mode), m.want(x, n, mode))
						}
					})
				}
			}
		}
	})
}

func TestEveryGroupSize(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		r, p := rand.New(rand.NewPCG(2, 2)), newPool(t, 1)
		for group := 1; group <= MaxGroup; group++ {
			m := randomMatrix(t, r, kernelRows, 2*group, group, BF16)
			for _, n := range []int{1, 3} {
				x := randomFloats(r, n*m.cols)
				requireSame(t, mul(p, m, x, n, Int16), m.want(x, n, Int16))
			}
		}
	})
}

// A large product has several chunks for each worker, several blocks of tokens, and
// activations that are quantized in parallel.
func TestLargeMatrixMul(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 3))
		const rows, cols, n = 203, 320, 70
		m := randomMatrix(t, r, rows, cols, 64, F16)
		x := randomFloats(r, n*cols)
		for _, mode := range modes {
			want := m.want(x, n, mode)
			for _, threads := range []int{1, 2, 3, 5} {
				requireSame(t, mul(newPool(t, threads), m, x, n, mode), want)
			}
		}
	})
}

func TestDenseMulIsTheReference(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, element := range []Element{F32, BF16, F16} {
		for _, threads := range []int{1, 2, 3, 5} {
			t.Run(fmt.Sprintf("%v threads %d", element, threads), func(t *testing.T) {
				p := newPool(t, threads)
				for n := 1; n <= 17; n++ {
					rows, cols := 1+r.IntN(40), 1+r.IntN(300)
					d, w := randomDense(t, r, rows, cols, element)
					x := randomFloats(r, n*cols)
					var want []float32
					for i := range n * rows {
						want = append(want, simpleDot(w[i%rows*cols:][:cols], x[i/rows*cols:][:cols]))
					}
					requireSame(t, mul(p, d, x, n, Int16), want)
				}
			})
		}
	}
}

// randomDense also returns its values.
func randomDense(t testing.TB, r *rand.Rand, rows, cols int, element Element) (*Dense, []float32) {
	t.Helper()
	w := randomFloats(r, rows*cols)
	for i, v := range w {
		w[i] = float32(math.Copysign(float64(simpleRound(math.Abs(float64(v)), element)), float64(v)))
	}
	d, err := NewDense(rows, cols, stored(w, element))
	if err != nil {
		t.Fatal(err)
	}
	return d, w
}

// Stored float32 that are aligned are used in place.
func TestAlignedDense(t *testing.T) {
	r, p := rand.New(rand.NewPCG(5, 5)), newPool(t, 1)
	d, w := randomDense(t, r, 6, 40, F32)
	words := make([]byte, len(d.values.Data)) // the allocator aligns it
	copy(words, d.values.Data)
	aligned, err := NewDense(6, 40, Floats{F32, words})
	if err != nil {
		t.Fatal(err)
	}
	x := randomFloats(r, 40)
	requireSame(t, mul(p, aligned, x, 1, Float), mul(p, d, x, 1, Float))
	row := make([]float32, 40)
	aligned.Row(row, 5)
	requireSame(t, row, w[5*40:])
}

func TestBatchesInPieces(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		r, p := rand.New(rand.NewPCG(6, 6)), newPool(t, 2)
		const rows, cols, n = 30, 256, 37
		dense, _ := randomDense(t, r, rows, cols, BF16)
		x := randomFloats(r, n*cols)
		for _, l := range []Linear{randomMatrix(t, r, rows, cols, 32, BF16), dense} {
			for _, mode := range modes {
				whole := mul(p, l, x, n, mode)
				for _, piece := range []int{1, 2, 16, 36} {
					var got []float32
					for from := 0; from < n; from += piece {
						count := min(piece, n-from)
						got = append(got, mul(p, l, x[from*cols:], count, mode)...)
					}
					requireSame(t, got, whole)
				}
			}
		}
	})
}

func TestExtremes(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	const tiny = math.SmallestNonzeroFloat32
	tests := []struct {
		name  string
		q     int
		scale float32
		x     []float32 // repeated
	}{
		{"largest sums", 127, 1, []float32{1}},
		{"largest sums, negative weights", -127, 1, []float32{1}},
		{"q = -128", -128, 1, []float32{1}},
		{"q = -128, negative inputs", -128, 1, []float32{-1}},
		{"alternating", -128, 1, []float32{1, -1}},
		{"zero inputs", 127, 1, []float32{0}},
		{"negative zeros", 127, 1, []float32{float32(math.Copysign(0, -1))}},
		{"zero scale", 127, 0, []float32{1, 2}},
		{"subnormal scale", 127, tiny, []float32{1, 2}},
		{"huge scale", 127, math.MaxFloat32, []float32{1, 2}},
		{"infinite scale", 1, inf, []float32{1, 0}},
		{"NaN scale", 1, nan, []float32{1}},
		{"negative scale", 3, -0.5, []float32{1, 2}},
		{"huge inputs", 127, 1, []float32{math.MaxFloat32, -math.MaxFloat32, 1}},
		{"subnormal inputs", 127, 1, []float32{tiny, 2 * tiny}},
		{"inputs with the smallest scale", 127, 1, []float32{32512 * 0x1p-126, 1e-36}},
		{"inputs just below", 127, 1, []float32{32511 * 0x1p-126}},
		{"halves", 1, 1, []float32{32512, 0.5, 1.5, 2.5, -0.5, -1.5}},
		{"NaN input", 1, 1, []float32{1, nan, 1, 1, 1}},
		{"infinite input", 1, 1, []float32{1, inf, 1, 1, 1}},
		{"negative infinite input", 1, 1, []float32{1, -inf, 1, 1, 1}},
	}
	eachKernel(t, func(t *testing.T) {
		p := newPool(t, 1)
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				for _, group := range []int{4, 32, 64, 128} {
					for _, n := range []int{1, 9, 66} {
						checkExtreme(t, p, group, n, tt.q, tt.scale, tt.x)
					}
				}
			})
		}
	})
}

// kernelRows is a number of rows that every kernel takes, some of them in whole blocks.
const kernelRows = 37

// checkExtreme multiplies a matrix that is q everywhere, in five groups.
func checkExtreme(t *testing.T, p *Pool, group, n, q int, scale float32, pattern []float32) {
	t.Helper()
	const rows = kernelRows
	cols := 5 * group
	weights, scales := make([]int, rows*cols), make([]float32, 5*rows)
	for i := range weights {
		weights[i] = q
	}
	for i := range scales {
		scales[i] = scale
	}
	x := make([]float32, n*cols)
	for i := range x {
		x[i] = pattern[i%len(pattern)]
	}
	m := newTestMatrix(t, rows, cols, group, weights, scales, F32)
	for _, mode := range modes {
		requireSame(t, mul(p, m, x, n, mode), m.want(x, n, mode))
	}
}

// What the second byte of an activation is for: int16 is near the float product.
func TestInt16IsNearFloat(t *testing.T) {
	r, p := rand.New(rand.NewPCG(8, 8)), newPool(t, 1)
	const rows, cols, group, n = 20, 512, 64, 3
	m := randomMatrix(t, r, rows, cols, group, F32)
	x := randomFloats(r, n*cols)
	float, int16s := mul(p, m, x, n, Float), mul(p, m, x, n, Int16)
	for i := range float {
		// An activation is off by half a step; float sums have (cols/16 + 5) roundings,
		// integer ones three a group and one for each group after it.
		var steps, magnitude float64
		row, xt := m.q[i%rows*cols:][:cols], x[i/rows*cols:][:cols]
		for g := range cols / group {
			_, sx := simpleActivations(xt[g*group:][:group], 32512)
			for k := g * group; k < (g+1)*group; k++ {
				w := math.Abs(float64(row[k])) * float64(m.scales[i%rows*cols/group+g])
				steps += w * float64(sx) / 2
				magnitude += w * (math.Abs(float64(xt[k])) + float64(sx))
			}
		}
		tolerance := 1.001*steps + float64(cols/16+5+1+cols/group+3)*0x1p-24*magnitude
		if diff := math.Abs(float64(float[i]) - float64(int16s[i])); diff > tolerance {
			t.Errorf("output %d: float %v, int16 %v, tolerance %v", i, float[i], int16s[i], tolerance)
		}
	}
}

func TestMulAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	const rows, cols = 64, 1024
	m := randomMatrix(t, r, rows, cols, 64, BF16)
	other := randomMatrix(t, r, rows, cols, 32, F32)
	d, _ := randomDense(t, r, rows, cols, F16)
	for _, threads := range []int{1, 3} {
		for _, mode := range modes {
			for _, n := range []int{1, 20} {
				t.Run(fmt.Sprintf("threads %d %v tokens %d", threads, mode, n), func(t *testing.T) {
					p, in := newPool(t, threads), NewInput(mode)
					x, dst := randomFloats(r, n*cols), make([]float32, n*rows)
					allocs := testing.AllocsPerRun(20, func() {
						in.Set(x, n, cols)
						m.Mul(p, dst, in)
						other.Mul(p, dst, in)
						d.Mul(p, dst, in)
					})
					if allocs != 0 {
						t.Errorf("%v allocations", allocs)
					}
				})
			}
		}
	}
}

// Sessions share matrices and a pool; each has its Input.
func TestConcurrentInputs(t *testing.T) {
	r, p := rand.New(rand.NewPCG(10, 10)), newPool(t, 3)
	const rows, cols, n = 100, 256, 5
	m := randomMatrix(t, r, rows, cols, 64, BF16)
	var wg sync.WaitGroup
	for range 4 {
		x := randomFloats(r, n*cols)
		want := m.want(x, n, Int16)
		wg.Go(func() {
			for range 50 {
				if !slices.Equal(mul(p, m, x, n, Int16), want) {
					t.Error("not the reference")
				}
			}
		})
	}
	wg.Wait()
}

func TestMulOfNoTokens(t *testing.T) {
	r, p := rand.New(rand.NewPCG(11, 11)), newPool(t, 2)
	m := randomMatrix(t, r, 8, 64, 32, F32)
	for _, mode := range modes {
		if got := mul(p, m, nil, 0, mode); len(got) != 0 {
			t.Errorf("%v: %d values", mode, len(got))
		}
	}
}

func TestMulPanicsOnWrongShapes(t *testing.T) {
	r, p := rand.New(rand.NewPCG(12, 12)), newPool(t, 1)
	m := randomMatrix(t, r, 8, 64, 32, F32)
	d, _ := randomDense(t, r, 8, 64, F32)
	in := NewInput(Int16)
	for _, l := range []Linear{m, d} {
		in.Set(make([]float32, 96), 1, 96)
		requirePanic(t, func() { l.Mul(p, make([]float32, 8), in) })
		in.Set(make([]float32, 128), 2, 64)
		requirePanic(t, func() { l.Mul(p, make([]float32, 15), in) })
	}
}

// MulAll is Mul of each: matrices of several kernels, group sizes and types at once.
func TestMulAllIsMulOfEach(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	const cols = 384
	dense, _ := randomDense(t, r, 21, cols, BF16)
	weights := []Linear{
		randomMatrix(t, r, 70, cols, 64, BF16), randomMatrix(t, r, 3, cols, 64, F32), dense,
		randomMatrix(t, r, 33, cols, 128, F16), randomMatrix(t, r, 32, cols, 32, BF16),
	}
	for _, threads := range []int{1, 2, 3, 5} {
		p := newPool(t, threads)
		for _, n := range []int{1, 3, 20} {
			x := randomFloats(r, n*cols)
			eachKernel(t, func(t *testing.T) {
				for _, mode := range modes {
					in := NewInput(mode)
					in.Set(x, n, cols)
					var products []Product
					for _, w := range weights {
						rows, _ := w.Size()
						products = append(products, Product{w, make([]float32, n*rows)})
					}
					MulAll(p, in, products)
					for _, got := range products {
						want := make([]float32, len(got.Dst))
						got.Weight.Mul(p, want, in)
						requireSame(t, got.Dst, want)
					}
				}
			})
		}
	}
}
