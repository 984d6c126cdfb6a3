package vec

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// limits are arguments that weights are compared with.
var limits = []float32{0, 0.5, -0.5, 1, float32(math.Inf(-1)), math.SmallestNonzeroFloat32, 0x1p-126}

func requireWide(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Float64bits(got) != math.Float64bits(want) && !(got != got && want != want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// requireWeights compares the four functions with plain Go on one x.
func requireWeights(t *testing.T, what string, x []float32, low, high float32, factor float64) {
	t.Helper()
	if got, want := Largest(x), largestGeneric(x, -inf); got != want {
		t.Fatalf("%s: Largest: got %v, want %v", what, got, want)
	}
	var lane [Lanes]float64
	got, want := slices.Clone(x), make([]float32, len(x))
	weightsGeneric(&lane, want, x, high, factor)
	requireWide(t, what+": Weights", Weights(got, got, high, factor), foldWide(&lane))
	requireEqual(t, what+": Weights", got, want)

	lane = [Lanes]float64{}
	sumFromGeneric(&lane, x, low)
	requireWide(t, what+": SumFrom", SumFrom(x, low), foldWide(&lane))

	copy(got, x)
	n, m := Between(got, got, low, high), betweenGeneric(want, x, low, high)
	if n != m {
		t.Fatalf("%s: Between: %d kept, want %d", what, n, m)
	}
	requireEqual(t, what+": Between", got[:n], want[:n])
}

func TestWeightsOnEveryLevel(t *testing.T) {
	eachVector(t, func(t *testing.T, n int, floats func() []float32) {
		for i, low := range limits {
			high := limits[(i+n)%len(limits)]
			factor := []float64{1, 1 / 0.7, 0x1p-80, math.MaxFloat64, 1e30}[(i+n)%5]
			requireWeights(t, fmt.Sprint(n, low, high, factor), floats(), low, high, factor)
		}
	})
}

func TestLargest(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		name string
		x    []float32
		want float32
	}{
		{"empty", nil, -inf},
		{"NaN alone", []float32{nan}, -inf},
		{"NaN last", []float32{-3, -7, nan}, -3},
		{"infinite", []float32{5, inf, nan}, inf},
		{"a block of NaN", slices.Repeat([]float32{nan}, 48), -inf},
		{"one number in blocks of NaN", append(slices.Repeat([]float32{nan}, 40), -2, nan), -2},
	}
	eachLevel(t, func(t *testing.T) {
		for _, tt := range tests {
			if got := Largest(tt.x); got != tt.want {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
	})
}

func TestWeightsSpecialValues(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	x := []float32{2, nan, -inf, -60, 2 - 0x1p-22}
	tests := []struct {
		factor float64
		want   []float32
	}{
		{1, []float32{1, 0, 0, Exp(-62), Exp(-0x1p-22)}},
		{0.5, []float32{1, 0, 0, Exp(-31), Exp(-0x1p-23)}},
		{math.MaxFloat64, []float32{1, 0, 0, 0, 0}},
		{math.SmallestNonzeroFloat64, []float32{1, 0, 0, 1, 1}},
	}
	eachLevel(t, func(t *testing.T) {
		for _, tt := range tests {
			for _, pad := range []int{0, 27} { // in plain Go alone, and in blocks
				in, got := append(slices.Clone(x), make([]float32, pad)...), make([]float32, len(x)+pad)
				sum := Weights(got, in, 2, tt.factor)
				requireEqual(t, fmt.Sprint(tt.factor), got[:len(x)], tt.want)
				if pad == 0 {
					// Lanes 2 and 0, then 3 and 1, then both: none of them rounds.
					requireWide(t, "sum", sum, 1+float64(tt.want[4])+float64(tt.want[3]))
				}
			}
		}
	})
}

// TestSumFromIsWide: small weights beside large ones are not lost.
func TestSumFromIsWide(t *testing.T) {
	x := make([]float32, 1000)
	want := 0.0
	for i := range x {
		x[i] = []float32{1, 0x1p-30}[i%2]
		want += float64(x[i])
	}
	eachLevel(t, func(t *testing.T) {
		requireWide(t, "all", SumFrom(x, 0), want)
		requireWide(t, "large ones", SumFrom(x, 1), 500)
		requireWide(t, "none", SumFrom(x, 2), 0)
		requireWide(t, "NaN", SumFrom(x, float32(math.NaN())), 0)
	})
}

func TestBetweenKeepsOrder(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		x := make([]float32, 100)
		for i := range x {
			x[i] = float32(i * 37 % 100)
		}
		var want []float32
		for _, v := range x {
			if v >= 20 && v < 63 {
				want = append(want, v)
			}
		}
		dst := make([]float32, 130)
		got := dst[:Between(dst, x, 20, 63)]
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func BenchmarkWeights(b *testing.B) {
	x, dst := make([]float32, 1<<17), make([]float32, 1<<17)
	for i := range x {
		x[i] = float32(i*7919%1000) / 100
	}
	work := []struct {
		name string
		f    func()
	}{
		{"Largest", func() { Largest(x) }},
		{"Weights", func() { Weights(dst, x, 10, 1.25) }},
		{"SumFrom", func() { SumFrom(x, 5) }},
		{"Between", func() { Between(dst, x, 2, 7) }},
	}
	for _, w := range work {
		eachLevelBenchmark(b, w.name, func(b *testing.B) {
			for b.Loop() {
				w.f()
			}
			b.ReportMetric(float64(len(x))*float64(b.N)/b.Elapsed().Seconds()/1e9, "G/s")
		})
	}
}
