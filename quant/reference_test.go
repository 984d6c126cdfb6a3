package quant

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The references here are written straight from the package's documentation: one value at
// a time, every float32 operation in a statement of its own.

// simpleActivations quantizes one group of activations.
func simpleActivations(x []float32, limit float32) (xq []int, sx float32) {
	xq = make([]int, len(x))
	largest := float32(0)
	for _, v := range x {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return xq, float32(math.NaN())
		}
		largest = max(largest, v, -v)
	}
	sx = float32(largest / limit)
	if sx < 0x1p-126 {
		return xq, 0
	}
	for i, v := range x {
		ratio := float32(v / sx)
		xq[i] = int(math.RoundToEven(float64(ratio)))
	}
	return xq, sx
}

// simpleProduct is one output of an int8 linear layer: q and scales of a row, x of a token.
func simpleProduct(q []int, scales, x []float32, group int, limit float32) float32 {
	var acc float32
	for g := range len(x) / group {
		xq, sx := simpleActivations(x[g*group:(g+1)*group], limit)
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

// simpleDot is one output of a float linear layer.
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

// simpleRound is v ≥ 0 in an element type, half to even: significant bits and the exponent
// of the smallest subnormal number.
func simpleRound(v float64, element Element) float32 {
	if v == 0 || element == F32 {
		return float32(v)
	}
	bits, least := 8, -133
	if element == F16 {
		bits, least = 11, -24
	}
	_, exp := math.Frexp(v)
	unit := math.Ldexp(1, max(exp-bits, least))
	return float32(math.RoundToEven(v/unit) * unit)
}

// testMatrix is an int8 matrix with its parts in the open.
type testMatrix struct {
	*Matrix
	q      []int     // [rows, cols]
	scales []float32 // [rows, groups]
}

// newTestMatrix packs q and the scales, which must be values of the element type.
func newTestMatrix(t testing.TB, rows, cols, group int, q []int, scales []float32, element Element) testMatrix {
	t.Helper()
	// At an odd address: a mapped file promises no alignment.
	data := make([]byte, rows*cols+1)[1:]
	for i, v := range q {
		data[i] = byte(v + 128)
	}
	m, err := NewMatrix(rows, cols, group, data, stored(scales, element))
	if err != nil {
		t.Fatal(err)
	}
	return testMatrix{m, q, scales}
}

// randomMatrix has weights from -128 to 127 and scales up to 0.01.
func randomMatrix(t testing.TB, r *rand.Rand, rows, cols, group int, element Element) testMatrix {
	t.Helper()
	q, scales := make([]int, rows*cols), make([]float32, rows*cols/group)
	for i := range q {
		q[i] = r.IntN(256) - 128
	}
	for i := range scales {
		scales[i] = simpleRound(0.01*(0.001+r.Float64()), element)
	}
	return newTestMatrix(t, rows, cols, group, q, scales, element)
}

// want is the product of x [n, cols] with the transposed matrix.
func (m testMatrix) want(x []float32, n int, mode Activations) []float32 {
	dst := make([]float32, 0, n*m.rows)
	groups := m.cols / m.group
	w := make([]float32, m.cols)
	for t := range n {
		xt := x[t*m.cols:][:m.cols]
		for r := range m.rows {
			q, s := m.q[r*m.cols:][:m.cols], m.scales[r*groups:][:groups]
			switch mode {
			case Int16:
				dst = append(dst, simpleProduct(q, s, xt, m.group, 32512))
			case Int8:
				dst = append(dst, simpleProduct(q, s, xt, m.group, 127))
			case Float:
				for i := range w {
					w[i] = float32(float32(q[i]) * s[i/m.group])
				}
				dst = append(dst, simpleDot(w, xt))
			}
		}
	}
	return dst
}

// stored puts values into an element type, at an odd address.
func stored(values []float32, element Element) Floats {
	f := Floats{element, make([]byte, len(values)*element.Size()+1)[1:]}
	for i, v := range values {
		putFloat(f.Data[i*element.Size():], element, v)
	}
	return f
}

func randomFloats(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// newPool returns a pool that the end of the test closes.
func newPool(t testing.TB, threads int) *Pool {
	p := NewPool(threads)
	t.Cleanup(p.Close)
	return p
}

// mul is the product in a new Input.
func mul(p *Pool, l Linear, x []float32, n int, mode Activations) []float32 {
	rows, cols := l.Size()
	in := NewInput(mode)
	in.Set(x, n, cols)
	dst := make([]float32, n*rows)
	l.Mul(p, dst, in)
	return dst
}

// same compares bits; all NaN are the same.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

func requireSame(t *testing.T, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	for i := range want {
		if !same(got[i], want[i]) {
			t.Fatalf("value %d: got %v (%08x), want %v (%08x)", i,
				got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
		}
	}
}

// eachKernel runs a test on every kernel of this machine.
func eachKernel(t *testing.T, f func(t *testing.T)) {
	before := Backend()
	defer SetBackend(before)
	for _, name := range Backends() {
		t.Run(name, func(t *testing.T) {
			if err := SetBackend(name); err != nil {
				t.Fatal(err)
			}
			f(t)
		})
	}
}

// requirePanic wants f to panic.
func requirePanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}
