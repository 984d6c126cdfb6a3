package quant

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// simpleWeights quantizes one group of weights as the package's documentation says.
func simpleWeights(w []float32, element Element) (q []int, scale float32) {
	q = make([]int, len(w))
	largest := float32(0)
	for _, v := range w {
		largest = max(largest, v, -v)
	}
	if largest == 0 {
		return q, 1
	}
	ratio := float32(largest / 127)
	scale = simpleRound(float64(ratio), element)
	if scale == 0 {
		scale = map[Element]float32{F32: 0x1p-149, BF16: 0x1p-133, F16: 0x1p-24}[element]
	}
	for i, v := range w {
		steps := float32(v / scale)
		q[i] = int(min(max(math.RoundToEven(float64(steps)), -127), 127))
	}
	return q, scale
}

// quantizeRows calls QuantizeRows with buffers of the right size.
func quantizeRows(w Floats, cols, group int) (q []byte, scales Floats, lost Error, err error) {
	q = make([]byte, w.Len())
	scales = Floats{w.Element, make([]byte, w.Len()/group*w.Element.Size())}
	lost, err = QuantizeRows(q, scales.Data, w, cols, group)
	return q, scales, lost, err
}

// checkQuantized compares with the reference and returns the error as it is defined.
func checkQuantized(t *testing.T, w []float32, group int, element Element, q []byte, scales Floats) Error {
	t.Helper()
	var lost Error
	got := make([]float32, scales.Len())
	scales.Widen(got, 0)
	for g := range len(w) / group {
		wantQ, wantScale := simpleWeights(w[g*group:][:group], element)
		if got[g] != wantScale {
			t.Fatalf("group %d: scale %v, want %v", g, got[g], wantScale)
		}
		for i, v := range w[g*group:][:group] {
			if int(q[g*group+i])-128 != wantQ[i] {
				t.Fatalf("group %d: %v in steps of %v: got %d, want %d", g, v, got[g], int(q[g*group+i])-128, wantQ[i])
			}
			diff := float64(v) - float64(float32(float32(wantQ[i])*wantScale))
			lost.SumSquares += float64(v) * float64(v)
			lost.SumSquaredError += diff * diff
			lost.Max = max(lost.Max, math.Abs(diff))
			lost.Count++
		}
	}
	return lost
}

func TestQuantizeRowsIsTheReference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, element := range []Element{F32, BF16, F16} {
		for _, group := range []int{1, 32, 64, 100, 128} {
			for _, exponent := range []int{-150, -140, -126, -30, -20, -8, 0, 8} {
				t.Run(fmt.Sprintf("%v group %d 2^%d", element, group, exponent), func(t *testing.T) {
					cols := 3 * group
					_, w := randomDense(t, r, 5, cols, element)
					for i, v := range w {
						v := math.Ldexp(float64(v), exponent)
						w[i] = float32(math.Copysign(float64(simpleRound(math.Abs(v), element)), v))
					}
					q, scales, lost, err := quantizeRows(stored(w, element), cols, group)
					if err != nil {
						t.Fatal(err)
					}
					want := checkQuantized(t, w, group, element, q, scales)
					if !near(lost.SumSquares, want.SumSquares) || !near(lost.SumSquaredError, want.SumSquaredError) ||
						lost.Max != want.Max || lost.Count != want.Count {
						t.Errorf("error %+v, want %+v", lost, want)
					}
				})
			}
		}
	}
}

// All kernels quantize weights to the same bits, the error's too.
func TestKernelsQuantizeTheSame(t *testing.T) {
	defer SetBackend(Backend())
	r := rand.New(rand.NewPCG(1, 3))
	for _, element := range []Element{F32, BF16, F16} {
		for _, group := range []int{1, 31, 32, 64, 96, 100, 128} {
			for _, exponent := range []int{-150, -140, -126, -20, 0, 8} {
				_, w := randomDense(t, r, 6, 3*group, F32)
				for i, v := range w {
					v := math.Ldexp(float64(v), exponent)
					w[i] = float32(math.Copysign(float64(simpleRound(math.Abs(v), element)), v))
				}
				SetBackend("generic")
				q, scales, lost, _ := quantizeRows(stored(w, element), 3*group, group)
				for _, name := range Backends() {
					SetBackend(name)
					gotQ, gotScales, gotLost, err := quantizeRows(stored(w, element), 3*group, group)
					if err != nil || !bytes.Equal(gotQ, q) || !bytes.Equal(gotScales.Data, scales.Data) || gotLost != lost {
						t.Fatalf("%s, %v, group %d, 2^%d: %+v, want %+v", name, element, group, exponent, gotLost, lost)
					}
				}
			}
		}
	}
}

// near allows for another order of a few hundred float64 sums.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }

// Where the scale is a normal number, no weight is off by more than half a step and one
// rounding: the clamp takes nothing away.
func TestNoWeightIsOffByMoreThanHalfAStep(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, element := range []Element{F32, BF16, F16} {
		_, w := randomDense(t, r, 50, 128, element)
		q, scales, _, err := quantizeRows(stored(w, element), 128, 64)
		if err != nil {
			t.Fatal(err)
		}
		steps := make([]float32, scales.Len())
		scales.Widen(steps, 0)
		for i, v := range w {
			step := float64(steps[i/64])
			diff := math.Abs(float64(v) - float64(int(q[i])-128)*step)
			if diff > step/2+math.Abs(float64(v))*0x1p-23 {
				t.Fatalf("%v: %v is off by %v, step %v", element, v, diff, step)
			}
		}
	}
}

func TestQuantizeRowsSpecialGroups(t *testing.T) {
	tests := []struct {
		name    string
		element Element
		w       []float32
		scale   float32
		q       []int
	}{
		{"zero group", BF16, []float32{0, float32(math.Copysign(0, -1))}, 1, []int{0, 0}},
		{"one value", F32, []float32{-3.81, 0}, float32(3.81) / 127, []int{-127, 0}},
		{"half to even", F32, []float32{127, 0.5, 1.5, -2.5}, 1, []int{127, 0, 2, -2}},
		{"scale underflows in F32", F32, []float32{0x1p-149, -0x1p-148}, 0x1p-149, []int{1, -2}},
		{"scale underflows in BF16", BF16, []float32{0x1p-133, 0x1p-130}, 0x1p-133, []int{1, 8}},
		{"scale underflows in F16", F16, []float32{0x1p-24, -0x1p-20}, 0x1p-24, []int{1, -16}},
		{"scale rounds down to one unit", F16, []float32{189 * 0x1p-24, -100 * 0x1p-24}, 0x1p-24, []int{127, -100}},
		{"scale rounds to two units", F16, []float32{191 * 0x1p-24, 100 * 0x1p-24}, 0x1p-23, []int{96, 50}},
		{"largest F16", F16, []float32{65504, -65504}, 516, []int{127, -127}},
		{"largest F32", F32, []float32{math.MaxFloat32, 0}, math.MaxFloat32 / 127, []int{127, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, scales, _, err := quantizeRows(stored(tt.w, tt.element), len(tt.w), len(tt.w))
			if err != nil {
				t.Fatal(err)
			}
			var scale [1]float32
			if scales.Widen(scale[:], 0); scale[0] != tt.scale {
				t.Errorf("scale %v, want %v", scale[0], tt.scale)
			}
			for i, v := range q {
				if int(v)-128 != tt.q[i] {
					t.Errorf("weight %d: got %d, want %d", i, int(v)-128, tt.q[i])
				}
			}
		})
	}
}

func TestQuantizeRefusesWhatIsNotFinite(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	inf := float32(math.Inf(1))
	tests := []struct {
		value float32
		want  string
	}{
		{float32(math.NaN()), "quant: row 3, column 17: NaN"},
		{inf, "quant: row 3, column 17: +Inf"},
		{-inf, "quant: row 3, column 17: -Inf"},
	}
	for _, tt := range tests {
		for _, element := range []Element{F32, BF16, F16} {
			t.Run(fmt.Sprint(element, tt.value), func(t *testing.T) {
				d, _ := randomDense(t, r, 40, 32, element)
				for _, at := range []int{3*32 + 17, 3*32 + 18, 30 * 32} {
					putFloat(d.values.Data[at*element.Size():], element, tt.value)
				}
				_, _, _, err := quantizeRows(d.values, 32, 16)
				checkNotFinite(t, err, tt.want)
				for _, threads := range []int{1, 3} {
					_, err = Quantize(newPool(t, threads), d, 16)
					checkNotFinite(t, err, tt.want)
				}
			})
		}
	}
}

func checkNotFinite(t *testing.T, err error, want string) {
	t.Helper()
	var bad *NotFiniteError
	if !errors.As(err, &bad) || err.Error() != want || bad.Row != 3 || bad.Column != 17 {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestQuantizeIsQuantizeRows(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, element := range []Element{F32, BF16, F16} {
		d, w := randomDense(t, r, 300, 192, element)
		for _, threads := range []int{1, 2, 5} {
			m, err := Quantize(newPool(t, threads), d, 64)
			if err != nil {
				t.Fatal(err)
			}
			if rows, cols := m.Size(); rows != 300 || cols != 192 || m.Group() != 64 {
				t.Fatalf("[%d, %d] in groups of %d", rows, cols, m.Group())
			}
			checkQuantized(t, w, 64, element, m.Data(), m.Scales())
		}
	}
}

// What a matrix holds already is found again: quantizing its weights changes nothing.
func TestQuantizingQuantizedWeights(t *testing.T) {
	r, p := rand.New(rand.NewPCG(5, 5)), newPool(t, 1)
	d, _ := randomDense(t, r, 20, 128, F32)
	first, err := Quantize(p, d, 32)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float32, 20*128)
	for row := range 20 {
		first.Row(w[row*128:], row)
	}
	_, _, lost, err := quantizeRows(stored(w, F32), 128, 32)
	if err != nil {
		t.Fatal(err)
	}
	if lost.Relative() > 0x1p-22 {
		t.Errorf("relative error %v", lost.Relative())
	}
}

func TestQuantizeRefusesGroups(t *testing.T) {
	r, p := rand.New(rand.NewPCG(6, 6)), newPool(t, 1)
	d, _ := randomDense(t, r, 2, 96, BF16)
	for _, group := range []int{0, -32, 64, 129, 192} {
		if _, err := Quantize(p, d, group); err == nil {
			t.Errorf("Quantize: group %d accepted", group)
		}
		if _, err := QuantizeRows(make([]byte, 192), make([]byte, 8), d.values, 96, group); err == nil {
			t.Errorf("QuantizeRows: group %d accepted", group)
		}
	}
	if _, err := QuantizeRows(nil, nil, Floats{}, 0, 32); err == nil {
		t.Error("QuantizeRows: no columns accepted")
	}
	requirePanic(t, func() { QuantizeRows(make([]byte, 191), make([]byte, 12), d.values, 96, 32) })
	requirePanic(t, func() { QuantizeRows(make([]byte, 192), make([]byte, 10), d.values, 96, 32) })
	requirePanic(t, func() { QuantizeRows(make([]byte, 192), make([]byte, 12), d.values, 128, 32) })
}

func TestErrorAdds(t *testing.T) {
	var e Error
	if e.Relative() != 0 {
		t.Errorf("no weights: relative error %v", e.Relative())
	}
	e.Add(Error{SumSquares: 3, SumSquaredError: 1, Max: 0.5, Count: 2})
	e.Add(Error{SumSquares: 1, SumSquaredError: 0, Max: 0.25, Count: 5})
	if want := (Error{4, 1, 0.5, 7}); e != want {
		t.Errorf("got %+v, want %+v", e, want)
	}
	if e.Relative() != 0.5 {
		t.Errorf("relative error %v, want 0.5", e.Relative())
	}
}
