package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"octet/internal/cpu"
)

// missing is a level that no machine has.
const missing = cpu.Level(math.MaxInt)

// TestMain refuses to pass where an instruction set that OCTET_TEST_REQUIRE names, or more
// of them between commas, would not be tested.
func TestMain(m *testing.M) {
	for _, name := range strings.Split(os.Getenv("OCTET_TEST_REQUIRE"), ",") {
		if cpu.Best() < required[name] {
			fmt.Fprintf(os.Stderr, "vec: OCTET_TEST_REQUIRE: no %s here, best is %v\n", name, cpu.Best())
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// specials are values whose sums and products are not ordinary.
var specials = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()),
	math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, 0x1p-126, -0x1.fffffcp-127,
	math.MaxFloat32, -math.MaxFloat32, 0x1p-149, 0x1p64, 1 << 24,
	expMax, expMin, 88.7229, -87.3366, -103.9, 0x1p-64, 1e-30, 127.5, -0.5,
}

// sprinkle replaces every nth value of x by a special one.
func sprinkle(r *rand.Rand, x []float32, every int) []float32 {
	for i := range x {
		if r.IntN(every) == 0 {
			x[i] = specials[r.IntN(len(specials))]
		}
	}
	return x
}

// eachKind calls f with three sources of numbers: ordinary, of all magnitudes, and with
// special values among them.
func eachKind(t *testing.T, f func(t *testing.T, floats func(n int) []float32)) {
	r := rand.New(rand.NewPCG(11, 11))
	kinds := []struct {
		name   string
		floats func(n int) []float32
	}{
		{"ordinary", func(n int) []float32 { return randomFloats(r, n) }},
		{"all magnitudes", func(n int) []float32 {
			x := randomFloats(r, n)
			for i := range x {
				x[i] *= float32(math.Ldexp(1, r.IntN(280)-150))
			}
			return x
		}},
		{"few special", func(n int) []float32 { return sprinkle(r, randomFloats(r, n), 200) }},
		{"many special", func(n int) []float32 { return sprinkle(r, randomFloats(r, n), 3) }},
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { f(t, k.floats) })
	}
}

// misaligned returns a copy of x that begins offset values behind an aligned address, and
// ends where its memory ends.
func misaligned(x []float32, offset int) []float32 {
	return append(make([]float32, offset, offset+len(x)), x...)[offset:]
}

// requireEqual compares bits, all NaN being one.
func requireEqual(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if !same(got[i], want[i]) && !(got[i] != got[i] && want[i] != want[i]) {
			t.Fatalf("%s: element %d: got %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestDotOnEveryLevel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		eachKind(t, func(t *testing.T, floats func(int) []float32) {
			for n := range 301 {
				a, b := misaligned(floats(n), n%5), misaligned(floats(n), n%3)
				requireEqual(t, fmt.Sprint(n), []float32{Dot(a, b)}, []float32{dotGeneric(a, b)})
			}
		})
	})
}

// eachMatrix calls f with sizes that are multiples of what kernels take, and others.
func eachMatrix(f func(rows, n, cols int)) {
	for _, cols := range []int{1, 8, 16, 32, 48, 60, 64, 80, 96, 128, 144, 300, 576} {
		for rows := range 14 {
			for n := range 10 {
				f(rows, n, cols)
			}
		}
	}
	f(100, 9, 64)
	f(1, 700, 64)
	f(700, 1, 16)
	f(301, 5, 128)
	f(9, 3, 2048)
	f(6, 3, 8192)
	f(23, 9, 1040)
	f(17, 6, 3072)
}

func TestDotsOnEveryLevel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		eachKind(t, func(t *testing.T, floats func(int) []float32) {
			eachMatrix(func(rows, n, cols int) {
				a, b := misaligned(floats(rows*cols), rows%4), misaligned(floats(n*cols), n%3)
				stride := rows + n%3
				got := make([]float32, max(0, (n-1)*stride+rows))
				want := make([]float32, len(got))
				Dots(got, stride, a, b, cols)
				dotsGeneric(want, stride, a, b, cols)
				requireEqual(t, fmt.Sprintf("[%d, %d] by %d rows", rows, cols, n), got, want)
			})
		})
	})
}

func TestWeighOnEveryLevel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		eachKind(t, func(t *testing.T, floats func(int) []float32) {
			eachMatrix(func(rows, n, cols int) {
				stride := n + rows%3
				v := misaligned(floats(n*cols), n%3)
				w := misaligned(floats(max(0, (rows-1)*stride+n)), n%4)
				got := misaligned(floats(rows*cols), rows%3)
				want := append([]float32(nil), got...)
				Weigh(got, w, stride, v, cols)
				weighGeneric(want, w, stride, v, cols, 0, cols)
				requireEqual(t, fmt.Sprintf("%d sums of [%d, %d]", rows, n, cols), got, want)
				lo, hi := min(n, cols), max(cols-rows, min(n, cols))
				if rows%2 == 0 {
					lo, hi = 16*(n%3)%cols, cols
				}
				WeighColumns(got, w, stride, v, cols, lo, hi)
				weighGeneric(want, w, stride, v, cols, lo, hi)
				requireEqual(t, fmt.Sprintf("%d sums of [%d, %d:%d]", rows, n, lo, hi), got, want)
			})
		})
	})
}

func TestHalvesOnEveryLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	eachLevel(t, func(t *testing.T) {
		eachKind(t, func(t *testing.T, floats func(int) []float32) {
			eachMatrix(func(rows, n, cols int) {
				a := make([]byte, 2*rows*cols+1)[1:]
				for i := range a {
					a[i] = byte(r.Uint32())
				}
				x := misaligned(floats(cols), n%4)
				got, want := make([]float32, rows), make([]float32, rows)
				DotsBF16(got, a, x)
				dotsBF16Generic(want, a, x)
				requireEqual(t, fmt.Sprintf("BF16 [%d, %d]", rows, cols), got, want)
				DotsF16(got, a, x)
				dotsF16Generic(want, a, x)
				requireEqual(t, fmt.Sprintf("F16 [%d, %d]", rows, cols), got, want)
			})
		})
	})
}

func TestDotsF32OnEveryLevel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		eachKind(t, func(t *testing.T, floats func(int) []float32) {
			eachMatrix(func(rows, n, cols int) {
				a, x := misaligned(floats(rows*cols), n%3), misaligned(floats(cols), n%4)
				got, want := make([]float32, rows), make([]float32, rows)
				DotsF32(got, a, x)
				dotsGeneric(want, rows, a, x, cols)
				requireEqual(t, fmt.Sprintf("[%d, %d]", rows, cols), got, want)
			})
		})
	})
}

// eachVector calls f with vectors of each length up to 300.
func eachVector(t *testing.T, f func(t *testing.T, n int, floats func() []float32)) {
	eachLevel(t, func(t *testing.T) {
		eachKind(t, func(t *testing.T, floats func(int) []float32) {
			for n := range 301 {
				f(t, n, func() []float32 { return misaligned(floats(n), n%5) })
			}
		})
	})
}

func TestElementsOnEveryLevel(t *testing.T) {
	eachVector(t, func(t *testing.T, n int, floats func() []float32) {
		x, y, z, w := floats(), floats(), floats(), floats()
		got, want := slices.Clone(x), slices.Clone(x)
		Add(got, y)
		addGeneric(want, y)
		requireEqual(t, "Add", got, want)

		SiLUMul(got, x, y)
		siluMulGeneric(want, x, y)
		requireEqual(t, "SiLUMul", got, want)

		mulScale(got, x, y, 0.7)
		mulScaleGeneric(want, x, y, 0.7)
		requireEqual(t, "mulScale", got, want)

		u, v := slices.Clone(x), slices.Clone(y)
		Rotate(x, y, z, w)
		rotateGeneric(u, v, z, w)
		requireEqual(t, "Rotate a", x, u)
		requireEqual(t, "Rotate b", y, v)
	})
}

// softmaxGeneric is ScaledSoftmax in plain Go.
func softmaxGeneric(x []float32, scale float32) {
	var lane [Lanes]float32
	expSumGeneric(&lane, x, scaleMaxGeneric(x, scale, -inf))
	divideGeneric(x, fold(&lane))
}

func TestSoftmaxOnEveryLevel(t *testing.T) {
	eachVector(t, func(t *testing.T, n int, floats func() []float32) {
		got := floats()
		want := slices.Clone(got)
		ScaledSoftmax(got, 3.3)
		softmaxGeneric(want, 3.3)
		requireEqual(t, fmt.Sprint(n), got, want)
	})
}

// Every exponential of the grid of TestExpBits, and around the bounds, in vectors.
func TestExpOnEveryLevel(t *testing.T) {
	var x []float32
	eachFloat(func(v float32) { x = append(x, v) })
	for _, bound := range []float32{expMax, expMin} {
		for d := range 64 {
			x = append(x, math.Float32frombits(math.Float32bits(bound)-32+uint32(d)))
		}
	}
	want := make([]float32, len(x))
	for i, v := range x {
		want[i] = Exp(v)
	}
	eachLevel(t, func(t *testing.T) {
		var lane [Lanes]float32
		got := slices.Clone(x)
		expSum(&lane, got, 0)
		requireEqual(t, "exp", got, want)
	})
}

// All 65536 numbers widen as they do in plain Go.
func TestWidenOnEveryLevel(t *testing.T) {
	data := make([]byte, 1<<17)
	for i := range 1 << 16 {
		data[2*i], data[2*i+1] = byte(i), byte(i>>8)
	}
	eachLevel(t, func(t *testing.T) {
		for _, part := range []struct{ from, n int }{{0, 1 << 16}, {1, 1<<16 - 1}, {3, 50}, {0, 0}, {5, 15}} {
			got, want := make([]float32, part.n), make([]float32, part.n)
			WidenBF16(got, data[2*part.from:])
			widenBF16Generic(want, data[2*part.from:])
			requireEqual(t, "BF16", got, want)
			WidenF16(got, data[2*part.from:])
			widenF16Generic(want, data[2*part.from:])
			requireEqual(t, "F16", got, want)
		}
	})
}

func TestSizesThatDoNotFitPanic(t *testing.T) {
	x := make([]float32, 64)
	tests := []struct {
		name string
		f    func()
	}{
		{"Dot", func() { Dot(x, x[:63:63]) }},
		{"Dots", func() { Dots(x[:3], 2, x[:32], x[:32], 16) }},
		{"Dots, rows over each other", func() { Dots(x, 1, x[:32], x[:32], 16) }},
		{"Weigh", func() { Weigh(x[:32], x[:3], 2, x[:32], 16) }},
		{"WeighColumns", func() { WeighColumns(x[:32], x[:4], 2, x[:32], 16, 0, 17) }},
		{"DotsF32", func() { DotsF32(x[:2], x[:33], x[:16]) }},
		{"DotsBF16", func() { DotsBF16(x[:2], make([]byte, 63), x[:16]) }},
		{"DotsF16", func() { DotsF16(x[:2], make([]byte, 65), x[:16]) }},
		{"WidenBF16", func() { WidenBF16(x, make([]byte, 127)) }},
		{"WidenF16", func() { WidenF16(x, make([]byte, 127)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			tt.f()
		})
	}
}

func BenchmarkElements(b *testing.B) {
	const n = 1000
	x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
	for _, f := range []struct {
		name string
		f    func()
	}{
		{"Add", func() { Add(x, y) }},
		{"SiLUMul", func() { SiLUMul(x, y, z) }},
		{"Softmax", func() { Softmax(x) }},
		{"RMSNorm", func() { RMSNorm(x, y, z, 1e-5) }},
		{"Rotate", func() { Rotate(x, y, z, z) }},
	} {
		eachLevelBenchmark(b, f.name, func(b *testing.B) {
			for b.Loop() {
				f.f()
			}
		})
	}
}

func BenchmarkDots(b *testing.B) {
	for _, s := range []struct{ rows, n, cols int }{{64, 1, 64}, {64, 16, 64}, {4, 1, 576}, {16, 128, 576}, {64, 128, 2048}, {16, 128, 8192}} {
		x, y := make([]float32, s.rows*s.cols), make([]float32, s.n*s.cols)
		dst := make([]float32, s.rows*s.n)
		eachLevelBenchmark(b, fmt.Sprintf("%dx%dx%d", s.rows, s.n, s.cols), func(b *testing.B) {
			for b.Loop() {
				Dots(dst, s.rows, x, y, s.cols)
			}
			b.ReportMetric(float64(s.rows*s.n*s.cols)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}

func BenchmarkWeigh(b *testing.B) {
	for _, s := range []struct{ rows, n, cols int }{{1, 512, 64}, {4, 512, 64}, {16, 512, 64}, {16, 512, 128}} {
		v, w := make([]float32, s.n*s.cols), make([]float32, s.rows*s.n)
		dst := make([]float32, s.rows*s.cols)
		eachLevelBenchmark(b, fmt.Sprintf("%dx%dx%d", s.rows, s.n, s.cols), func(b *testing.B) {
			for b.Loop() {
				Weigh(dst, w, s.n, v, s.cols)
			}
			b.ReportMetric(float64(s.rows*s.n*s.cols)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}

// BenchmarkStream is a product with one row, of a matrix that no cache holds.
func BenchmarkStream(b *testing.B) {
	floats, dst := make([]float32, 64<<20), make([]float32, 1<<18)
	a := unsafe.Slice((*byte)(unsafe.Pointer(&floats[0])), 4*len(floats))
	for i := range a {
		a[i] = byte(i)
	}
	for _, cols := range []int{576, 1536, 2048, 5632} {
		rows := len(a) / (4 * cols)
		x := make([]float32, cols)
		for _, f := range []struct {
			name string
			f    func()
		}{
			{"F32", func() { DotsF32(dst[:rows], floats[:rows*cols], x) }},
			{"BF16", func() { DotsBF16(dst[:2*rows], a[:4*rows*cols], x) }},
			{"F16", func() { DotsF16(dst[:2*rows], a[:4*rows*cols], x) }},
		} {
			eachLevelBenchmark(b, fmt.Sprintf("%s %d", f.name, cols), func(b *testing.B) {
				b.SetBytes(int64(4 * rows * cols))
				for b.Loop() {
					f.f()
				}
			})
		}
	}
}
