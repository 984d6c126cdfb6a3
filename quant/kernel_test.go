package quant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// requirements is what OCTET_TEST_REQUIRE lists: what the machine is known to have, so that
// its tests cannot be left out unseen. That is kernels and "as", GNU's assembler for arm64.
func requirements() []string {
	return strings.FieldsFunc(os.Getenv("OCTET_TEST_REQUIRE"), func(r rune) bool { return r == ',' })
}

func TestRequiredKernels(t *testing.T) {
	for _, name := range requirements() {
		if name != "as" && !slices.Contains(Backends(), name) {
			t.Errorf("kernel %q is required, this machine has %q", name, Backends())
		}
	}
}

// mulOn is the product on a kernel.
func mulOn(name string, p *Pool, l Linear, x []float32, n int, mode Activations) []float32 {
	defer SetBackend(Backend())
	if err := SetBackend(name); err != nil {
		panic(err)
	}
	return mul(p, l, x, n, mode)
}

// checkKernels compares all kernels with the generic one.
func checkKernels(t *testing.T, p *Pool, m *Matrix, x []float32, n int) {
	t.Helper()
	for _, mode := range []Activations{Int16, Int8} {
		want := mulOn("generic", p, m, x, n, mode)
		for _, name := range Backends() {
			got := mulOn(name, p, m, x, n, mode)
			for i := range want {
				if !same(got[i], want[i]) {
					t.Fatalf("%s, %v, [%d, %d] in groups of %d, %d tokens: output %d of token %d: got %v, want %v", name, mode,
						m.rows, m.cols, m.group, n, i%m.rows, i/m.rows, got[i], want[i])
				}
			}
		}
	}
}

func TestKernelsAreTheSame(t *testing.T) {
	r, p := rand.New(rand.NewPCG(1, 2)), newPool(t, 2)
	for _, group := range []int{16, 32, 64, 96, 128} {
		for _, element := range []Element{F32, BF16, F16} {
			t.Run(fmt.Sprintf("group %d %v", group, element), func(t *testing.T) {
				for n := 1; n <= 40; n++ {
					m := offsetMatrix(t, r, 1+r.IntN(70), group, 1+r.IntN(11), element)
					checkKernels(t, p, m, randomFloats(r, n*m.cols+1)[1:], n)
				}
				for _, n := range []int{63, 64, 65, 80, 127, 128, 129, 150} {
					m := offsetMatrix(t, r, 1+r.IntN(70), group, 1+r.IntN(5), element)
					checkKernels(t, p, m, randomFloats(r, n*m.cols+1)[1:], n)
				}
			})
		}
	}
}

// Every number of rows: kernels take several together.
func TestKernelsWithAnyRows(t *testing.T) {
	r, p := rand.New(rand.NewPCG(2, 2)), newPool(t, 3)
	for rows := 1; rows <= 70; rows++ {
		m := offsetMatrix(t, r, rows, 64, 3, BF16)
		for _, n := range []int{1, 4, 64} {
			checkKernels(t, p, m, randomFloats(r, n*m.cols), n)
		}
	}
}

// One Input serves matrices that go to different kernels, and a change of the kernel in use.
func TestKernelsShareAnInput(t *testing.T) {
	r, p := rand.New(rand.NewPCG(3, 3)), newPool(t, 2)
	const cols, n = 128, 20
	for _, mode := range []Activations{Int16, Int8} {
		x, in := randomFloats(r, n*cols), NewInput(mode)
		in.Set(x, n, cols)
		eachKernel(t, func(t *testing.T) {
			for _, rows := range []int{40, 3, 33} {
				m := randomMatrix(t, r, rows, cols, 64, BF16)
				dst := make([]float32, n*rows)
				m.Mul(p, dst, in)
				requireSame(t, dst, m.want(x, n, mode))
			}
		})
	}
}

// offsetMatrix has weights and scales of any bits, subnormal, infinite and NaN scales rarely,
// and starts at any address.
func offsetMatrix(t *testing.T, r *rand.Rand, rows, group, groups int, element Element) *Matrix {
	t.Helper()
	data := make([]byte, rows*group*groups+64)[r.IntN(64):][:rows*group*groups]
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	size := element.Size()
	scales := Floats{element, make([]byte, rows*groups*size+64)[r.IntN(64):][:rows*groups*size]}
	for i := range rows * groups {
		v := float32(r.NormFloat64())
		switch r.IntN(50) {
		case 0:
			v *= smallest(element) * 8
		case 1:
			v = 0
		case 2:
			v = [...]float32{float32(math.Inf(1)), float32(math.NaN()), math.MaxFloat32, 1e-30}[r.IntN(4)]
		}
		putFloat(scales.Data[i*size:], element, v)
	}
	m, err := NewMatrix(rows, group*groups, group, data, scales)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSetBackend(t *testing.T) {
	defer SetBackend(Backend())
	if err := SetBackend("generic"); err != nil || Backend() != "generic" {
		t.Errorf("generic: %v, backend %s", err, Backend())
	}
	err := SetBackend("abacus")
	if err == nil || !strings.Contains(err.Error(), `"abacus"`) || !strings.Contains(err.Error(), `"generic"`) {
		t.Errorf("unknown backend: %v", err)
	}
	if Backend() != "generic" {
		t.Errorf("an error has changed the backend to %s", Backend())
	}
	if err := SetBackend(""); err != nil || Backend() != Backends()[0] {
		t.Errorf("default: %v, backend %s", err, Backend())
	}
}

func TestGenericIsAlwaysThere(t *testing.T) {
	if names := Backends(); !slices.Contains(names, "generic") {
		t.Errorf("backends %q", names)
	}
}

func TestBackendFromTheEnvironment(t *testing.T) {
	defer func(name string, err error) {
		SetBackend(name)
		errStart = err
	}(Backend(), errStart)
	tests := []struct{ value, backend, err string }{
		{"", Backends()[0], "<nil>"},
		{"generic", "generic", "<nil>"},
		{"abacus", Backends()[0], `quant: backend "abacus": this machine has`},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			t.Setenv("OCTET_CPU", tt.value)
			start()
			if Backend() != tt.backend || !strings.HasPrefix(fmt.Sprint(BackendError()), tt.err) {
				t.Errorf("backend %s, error %v", Backend(), BackendError())
			}
		})
	}
}

// The pairs of the generic kernel for one group: what it is built on.
func TestGenericPairs(t *testing.T) {
	for _, q := range []int{-128, -127, 0, 127} {
		for _, x := range []int16{-32512, -1, 0, 1, 32512} {
			for group := 1; group <= MaxGroup; group++ {
				u, xq := make([]byte, group), make([]int16, group)
				for i := range u {
					u[i], xq[i] = byte(q+128), x
				}
				var w [4][genericMaxWords]uint64
				words := genericWords(group)
				packed := make([]uint64, words)
				genericWiden(w[2][:words], u)
				genericPack(packed, xq)
				_, _, s, _ := genericPairs(&w, packed)
				if got, want := upper(s)-128*int32(group)*int32(x), int32(group*q*int(x)); got != want {
					t.Fatalf("%d of %d·%d: got %d, want %d", group, q, x, got, want)
				}
			}
		}
	}
}

func TestGenericMaxWords(t *testing.T) {
	most := 0
	for group := 1; group <= MaxGroup; group++ {
		most = max(most, genericWords(group))
	}
	if most != genericMaxWords {
		t.Errorf("%d words, constant %d", most, genericMaxWords)
	}
}
