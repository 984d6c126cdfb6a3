package quant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSplitHoldsEveryValue(t *testing.T) {
	for xq := -32512; xq <= 32512; xq++ {
		hi, lo := split(int16(xq))
		if 255*int(hi)+int(lo) != xq || hi == -128 || lo == -128 {
			t.Fatalf("%d: got 255*%d + %d", xq, hi, lo)
		}
		if want := math.Round(float64(xq) / 255); float64(hi) != want {
			t.Fatalf("%d: hi %d, want %v", xq, hi, want)
		}
	}
}

func TestQuantizeGroupIsTheReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, limit := range []float32{32512, 127} {
		for i := range 6000 {
			x := randomFloats(r, 1+r.IntN(MaxGroup))
			if i%2 == 1 { // what kernels take
				x = randomFloats(r, 32*(1+r.IntN(4)))
			}
			size := float32(math.Ldexp(1, r.IntN(250)-145)) // to subnormal scales
			for i := range x {
				x[i] *= size
			}
			checkQuantizedGroup(t, x, limit)
		}
	}
}

// checkQuantizedGroup compares every kernel's quantization with the reference.
func checkQuantizedGroup(t *testing.T, x []float32, limit float32) {
	t.Helper()
	for _, k := range kernels {
		checkQuantizedBy(t, k, x, limit)
	}
}

func checkQuantizedBy(t *testing.T, k *kernel, x []float32, limit float32) {
	t.Helper()
	xq := make([]int16, len(x))
	scale, sum := k.quantize(xq, x, limit)
	want, wantScale := simpleActivations(x, limit)
	if !same(scale, wantScale) {
		t.Fatalf("scale %v, want %v", scale, wantScale)
	}
	wantSum := 0
	for i := range want {
		wantSum += want[i]
		if int(xq[i]) != want[i] || math.Abs(float64(xq[i])) > float64(limit) {
			t.Fatalf("%v in steps of %v: got %d, want %d", x[i], scale, xq[i], want[i])
		}
	}
	if int(sum) != wantSum {
		t.Fatalf("sum %d, want %d", sum, wantSum)
	}
}

// The largest value of a group is always the limit itself, whatever the scale's rounding.
func TestTheLargestActivationIsTheLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, limit := range []float32{32512, 127} {
		for i := range 200_000 {
			v := math.Float32frombits(r.Uint32() &^ (1 << 31) % infBits)
			xq := make([]int16, 2)
			scale, _ := quantizeGroup(xq, []float32{v, -v}, limit)
			if i%16 == 0 {
				checkQuantizedGroup(t, slices.Repeat([]float32{v, -v / 3}, 16), limit)
			}
			if scale != 0 && (float32(xq[0]) != limit || xq[1] != -xq[0]) {
				t.Fatalf("%v: got %d, %d of %v", v, xq[0], xq[1], limit)
			}
			if tiny := v < 0.9999*limit*0x1p-126; scale == 0 && !tiny && v >= 1.0001*limit*0x1p-126 {
				t.Fatalf("%v: scale 0", v)
			}
		}
	}
}

func TestQuantizeGroupSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	tests := []struct {
		name  string
		x     []float32
		scale float32
		xq    []int16
	}{
		{"zeros", []float32{0, 0}, 0, []int16{0, 0}},
		{"negative zero", []float32{float32(math.Copysign(0, -1))}, 0, []int16{0}},
		{"half to even", []float32{32512, 0.5, 1.5, -2.5, -3.5}, 1, []int16{32512, 0, 2, -2, -4}},
		{"negative largest", []float32{-65024, 2}, 2, []int16{-32512, 1}},
		{"the smallest scale", []float32{32512 * 0x1p-126, 0x1p-126}, 0x1p-126, []int16{32512, 1}},
		{"a smaller scale", []float32{32511 * 0x1p-126, 0x1p-126}, 0, []int16{0, 0}},
		{"subnormal", []float32{math.SmallestNonzeroFloat32}, 0, []int16{0}},
		{"largest float", []float32{math.MaxFloat32, 0}, math.MaxFloat32 / 32512, []int16{32512, 0}},
		{"NaN", []float32{1, nan}, nan, []int16{0, 0}},
		{"negative NaN", []float32{float32(math.Copysign(math.NaN(), -1)), 1}, nan, []int16{0, 0}},
		{"infinity", []float32{1, inf}, nan, []int16{0, 0}},
		{"negative infinity", []float32{-inf, 1}, nan, []int16{0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, k := range kernels {
				for _, copies := range []int{1, 32} { // 32 is for vectors
					checkSpecialValues(t, k, slices.Repeat(tt.x, copies), tt.scale, slices.Repeat(tt.xq, copies))
				}
			}
		})
	}
}

func checkSpecialValues(t *testing.T, k *kernel, x []float32, wantScale float32, want []int16) {
	t.Helper()
	xq := make([]int16, len(x))
	for i := range xq {
		xq[i] = 99 // what an earlier input left
	}
	scale, _ := k.quantize(xq, x, 32512)
	if !same(scale, wantScale) {
		t.Errorf("%s: scale %v, want %v", k.name, scale, wantScale)
	}
	for i, v := range xq {
		if v != want[i] {
			t.Errorf("%s: value %d: got %d, want %d", k.name, i, v, want[i])
		}
	}
}

// A NaN reaches the outputs of its own token and no other.
func TestNaNStaysInItsToken(t *testing.T) {
	r, p := rand.New(rand.NewPCG(3, 3)), newPool(t, 1)
	const rows, cols, n = 6, 128, 20
	m := randomMatrix(t, r, rows, cols, 32, F32)
	x := randomFloats(r, n*cols)
	x[cols+77] = float32(math.NaN())
	eachKernel(t, func(t *testing.T) {
		for _, mode := range modes {
			for i, v := range mul(p, m, x, n, mode) {
				if isNaN, want := v != v, i/rows == 1; isNaN != want {
					t.Errorf("%v: output %d of token %d is %v", mode, i%rows, i/rows, v)
				}
			}
		}
	})
}

func TestInputIsQuantizedOncePerGroupSize(t *testing.T) {
	r, p := rand.New(rand.NewPCG(4, 4)), newPool(t, 1)
	in := NewInput(Int16)
	x := randomFloats(r, 256)
	in.Set(x, 1, 256)
	k := current.Load()
	first := in.quantized(p, k, 64)
	was := first.xq[0]
	x[0] = -x[0] // against the rules, to see whether it is read again
	if in.quantized(p, k, 64) != first || first.xq[0] != was {
		t.Error("quantized again for the same group size")
	}
	if in.quantized(p, k, 32) == first {
		t.Error("one form for two group sizes")
	}
	in.Set(x, 1, 256)
	if in.quantized(p, k, 64) != first || first.xq[0] == was {
		t.Error("not quantized again after Set")
	}
}

// An Input takes batches of any shape one after the other.
func TestInputChangesShape(t *testing.T) {
	r, p := rand.New(rand.NewPCG(5, 5)), newPool(t, 2)
	for _, mode := range modes {
		in := NewInput(mode)
		for _, shape := range [][2]int{{1, 64}, {5, 256}, {2, 128}, {40, 320}, {1, 64}} {
			t.Run(fmt.Sprint(mode, shape), func(t *testing.T) {
				n, cols := shape[0], shape[1]
				m := randomMatrix(t, r, 9, cols, 64, F16)
				x, dst := randomFloats(r, n*cols), make([]float32, n*9)
				in.Set(x, n, cols)
				m.Mul(p, dst, in)
				requireSame(t, dst, m.want(x, n, mode))
			})
		}
	}
}

func TestSetPanicsOnWrongShapes(t *testing.T) {
	in := NewInput(Int16)
	requirePanic(t, func() { in.Set(make([]float32, 7), 2, 4) })
	requirePanic(t, func() { in.Set(nil, -1, 4) })
	requirePanic(t, func() { in.Set(nil, 1, 0) })
}
