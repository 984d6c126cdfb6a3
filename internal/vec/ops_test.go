package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// The references are written straight from the package's documentation.

func simpleFold(lane [16]float32) float32 {
	for _, half := range []int{8, 4, 2, 1} {
		for i := range half {
			lane[i] = float32(lane[i] + lane[i+half])
		}
	}
	return lane[0]
}

func simpleDot(a, b []float32) float32 {
	var lane [16]float32
	for i := range a {
		product := float32(a[i] * b[i])
		lane[i%16] = float32(lane[i%16] + product)
	}
	return simpleFold(lane)
}

func simpleSum(x []float32) float32 {
	var lane [16]float32
	for i, v := range x {
		lane[i%16] = float32(lane[i%16] + v)
	}
	return simpleFold(lane)
}

func randomFloats(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// eachShape calls f with vectors of every length up to 100 at misaligned starts, and a few
// long ones.
func eachShape(t *testing.T, f func(t *testing.T, a, b, c []float32)) {
	r := rand.New(rand.NewPCG(7, 7))
	lengths := []int{127, 128, 129, 576, 1000, 2048}
	for n := range 101 {
		lengths = append(lengths, n)
	}
	for _, n := range lengths {
		for offset := range 4 {
			t.Run(fmt.Sprintf("length %d offset %d", n, offset), func(t *testing.T) {
				a, b, c := randomFloats(r, n+4), randomFloats(r, n+4), randomFloats(r, n+4)
				f(t, a[offset:][:n], b[(offset+1)%4:][:n], c[(offset+3)%4:][:n])
			})
		}
	}
}

func same(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }

func requireSame(t *testing.T, got, want []float32) {
	t.Helper()
	for i := range want {
		if !same(got[i], want[i]) {
			t.Fatalf("element %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

func TestDotIsTheReference(t *testing.T) {
	eachShape(t, func(t *testing.T, a, b, _ []float32) {
		if got, want := Dot(a, b), simpleDot(a, b); !same(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestDotIsNearTheExactSum(t *testing.T) {
	eachShape(t, func(t *testing.T, a, b, _ []float32) {
		var exact, magnitude float64
		for i := range a {
			exact += float64(a[i]) * float64(b[i])
			magnitude += math.Abs(float64(a[i]) * float64(b[i]))
		}
		// A product is rounded once as such and once in every addition it passes: at
		// most the length of its lane, and four folds.
		roundings := float64((len(a)+Lanes-1)/Lanes + 5)
		tolerance := roundings * 0x1p-24 / (1 - roundings*0x1p-24) * magnitude
		if got := float64(Dot(a, b)); math.Abs(got-exact) > tolerance {
			t.Fatalf("got %v, exact %v, tolerance %v", got, exact, tolerance)
		}
	})
}

func TestDotLanesAndFoldInOrder(t *testing.T) {
	const big = 1 << 24 // absorbs a following 1
	tests := []struct {
		name string
		at   map[int]float32
		n    int
		want float32
	}{
		{"one lane adds from left to right", map[int]float32{0: big, 16: 1, 32: 1}, 48, big},
		{"two lanes add before they meet a third", map[int]float32{0: big, 1: 1, 3: 1}, 16, big + 2},
		{"lanes 0 and 8 meet first", map[int]float32{0: big, 8: 1, 1: 1}, 16, big},
		{"the tail goes to its lanes", map[int]float32{0: big, 16: 1, 17: 1}, 18, big},
		{"a negative zero vanishes", map[int]float32{0: float32(math.Copysign(0, -1))}, 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, ones := make([]float32, tt.n), make([]float32, tt.n)
			for i := range ones {
				a[i], ones[i] = tt.at[i], 1
			}
			if got := Dot(a, ones); !same(got, tt.want) {
				t.Errorf("Dot: got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAddIsTheReference(t *testing.T) {
	eachShape(t, func(t *testing.T, a, b, _ []float32) {
		want := make([]float32, len(a))
		for i := range want {
			want[i] = float32(a[i] + b[i])
		}
		Add(a, b)
		requireSame(t, a, want)
	})
}

func TestWeighIsTheReference(t *testing.T) {
	const s = float32(0.7)
	eachShape(t, func(t *testing.T, a, b, _ []float32) {
		want := make([]float32, len(a))
		for i := range want {
			product := float32(s * b[i])
			want[i] = float32(a[i] + product)
		}
		if len(a) > 0 {
			Weigh(a, []float32{s}, 1, b, len(a))
		}
		requireSame(t, a, want)
	})
}

func TestRMSNormIsTheReference(t *testing.T) {
	const eps = float32(1e-5)
	eachShape(t, func(t *testing.T, x, weight, dst []float32) {
		mean := float32(simpleDot(x, x) / float32(len(x)))
		shifted := float32(mean + eps)
		root := float32(math.Sqrt(float64(shifted)))
		scale := float32(1 / root)
		want := make([]float32, len(x))
		for i, v := range x {
			normal := float32(v * scale)
			want[i] = float32(normal * weight[i])
		}
		RMSNorm(dst, x, weight, eps)
		requireSame(t, dst, want)
		RMSNorm(x, x, weight, eps)
		requireSame(t, x, want)
	})
}

func TestRMSNormHasUnitMeanSquare(t *testing.T) {
	eachShape(t, func(t *testing.T, x, weight, dst []float32) {
		if len(x) == 0 {
			return
		}
		for i := range weight {
			weight[i] = 1
		}
		RMSNorm(dst, x, weight, 0)
		var squares float64
		for _, v := range dst {
			squares += float64(v) * float64(v)
		}
		// The sum of squares has length/16+5 roundings, the rest four; a square doubles.
		tolerance := float64(len(x)/Lanes+5+2*4) * 0x1p-24
		if mean := squares / float64(len(x)); math.Abs(mean-1) > tolerance {
			t.Fatalf("mean square %v, tolerance %v", mean, tolerance)
		}
	})
}

func TestSoftmaxIsTheReference(t *testing.T) {
	eachShape(t, func(t *testing.T, x, _, _ []float32) {
		largest := float32(math.Inf(-1))
		for _, v := range x {
			largest = max(largest, v)
		}
		want := make([]float32, len(x))
		for i, v := range x {
			want[i] = Exp(float32(v - largest))
		}
		total := simpleSum(want)
		for i := range want {
			want[i] = float32(want[i] / total)
		}
		Softmax(x)
		requireSame(t, x, want)
	})
}

func TestSoftmaxSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	tests := []struct {
		name    string
		x, want []float32
	}{
		{"empty", nil, nil},
		{"one", []float32{5}, []float32{1}},
		{"masked", []float32{1, -inf, 1}, []float32{0.5, 0, 0.5}},
		{"far apart", []float32{-1e30, 1e30}, []float32{0, 1}},
		{"all masked", []float32{-inf, -inf}, []float32{nan, nan}},
		{"infinite", []float32{inf, 1}, []float32{nan, nan}},
		{"NaN first", []float32{nan, 1}, []float32{nan, nan}},
		{"NaN last", []float32{1, nan}, []float32{nan, nan}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			Softmax(tt.x)
			for i, got := range tt.x {
				if got != tt.want[i] && !(got != got && tt.want[i] != tt.want[i]) {
					t.Errorf("element %d: got %v, want %v", i, got, tt.want[i])
				}
			}
		})
	}
}

func TestSiLUMulIsTheReference(t *testing.T) {
	eachShape(t, func(t *testing.T, gate, up, dst []float32) {
		want := make([]float32, len(gate))
		for i, x := range gate {
			divisor := float32(1 + Exp(-x))
			silu := float32(x / divisor)
			want[i] = float32(silu * up[i])
		}
		SiLUMul(dst, gate, up)
		requireSame(t, dst, want)
		SiLUMul(gate, gate, up)
		requireSame(t, gate, want)
	})
}

func TestSiLUMulSpecialValues(t *testing.T) {
	inf := float32(math.Inf(1))
	tests := []struct{ gate, up, want float32 }{
		{0, 3, 0},
		{100, 2, 200},
		{-100, 2, 0}, // -100 / (1 + Inf) = -0
		{inf, 1, inf},
	}
	for _, tt := range tests {
		dst := []float32{0}
		SiLUMul(dst, []float32{tt.gate}, []float32{tt.up})
		if dst[0] != tt.want {
			t.Errorf("silu(%v)*%v: got %v, want %v", tt.gate, tt.up, dst[0], tt.want)
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	x, y, z := make([]float32, 100), make([]float32, 100), make([]float32, 100)
	allocs := testing.AllocsPerRun(10, func() {
		Add(x, y)
		x[0] = Dot(y, z)
		Weigh(x, y, 1, z, 100)
		Dots(x, 5, y, z, 20)
		Rotate(x, y, z, z)
		RMSNorm(x, y, z, 1e-5)
		SiLUMul(x, y, z)
		Softmax(x)
		x[0] = float32(Weights(x, y, Largest(y), 1) + SumFrom(x, 0.5))
		Between(x, y, 0, 1)
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkDot(b *testing.B) {
	for _, n := range []int{64, 576, 2048} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, y := make([]float32, n), make([]float32, n)
			for b.Loop() {
				x[0] = Dot(x, y)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}

func BenchmarkSoftmax(b *testing.B) {
	x := make([]float32, 1024)
	for b.Loop() {
		Softmax(x)
	}
}

func BenchmarkSiLUMul(b *testing.B) {
	x, y := make([]float32, 1024), make([]float32, 1024)
	for b.Loop() {
		SiLUMul(x, y, y)
	}
}
