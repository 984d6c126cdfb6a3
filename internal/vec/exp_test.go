package vec

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// gridStep is a prime distance between the bits of the arguments tried: all exponents and
// both signs, a few million numbers.
const gridStep = 1009

// eachFloat calls f with a grid of all float32, NaN and infinities included.
func eachFloat(f func(x float32)) {
	for bits := uint64(0); bits < 1<<32; bits += gridStep {
		f(math.Float32frombits(uint32(bits)))
	}
}

func TestExpIsWithinOneULP(t *testing.T) {
	worst, at := 0.0, float32(0)
	eachFloat(func(x float32) {
		if x != x || x > expMax || x < expMin {
			return
		}
		exact := math.Exp(float64(x))
		ulp := math.Ldexp(1, math.Ilogb(exact)-23)
		if d := math.Abs(float64(Exp(x))-exact) / ulp; d > worst {
			worst, at = d, x
		}
	})
	if worst > 1 {
		t.Errorf("%v ulp at %v", worst, at)
	}
}

func TestExpSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	next := func(x, to float32) float32 { return math.Nextafter32(x, to) }
	tests := []struct{ x, want float32 }{
		{0, 1},
		{float32(math.Copysign(0, -1)), 1},
		{1e-30, 1},
		{-1e-30, 1},
		{inf, inf},
		{-inf, 0},
		{nan, nan},
		{math.MaxFloat32, inf},
		{-math.MaxFloat32, 0},
		{next(expMax, inf), inf},
		{next(expMin, -inf), 0},
		{-100, 0},
	}
	for _, tt := range tests {
		if got := Exp(tt.x); !same(got, tt.want) && !(got != got && tt.want != tt.want) {
			t.Errorf("Exp(%v): got %v, want %v", tt.x, got, tt.want)
		}
	}
}

// At its bounds Exp takes numbers from the ends of the normal range.
func TestExpAtItsBounds(t *testing.T) {
	if got := Exp(expMax); got > math.MaxFloat32 || got < 0.9999*math.MaxFloat32 {
		t.Errorf("Exp(%v): got %v", expMax, got)
	}
	if got := Exp(expMin); got < 0x1p-126 || got > 1.0001*0x1p-126 {
		t.Errorf("Exp(%v): got %v", expMin, got)
	}
}

// The bits over the whole grid, recorded once: any machine must find them.
func TestExpBits(t *testing.T) {
	const want = 0xd4ae923ae1dd6afb
	h := fnv.New64a()
	var word [4]byte
	eachFloat(func(x float32) {
		if x == x {
			binary.LittleEndian.PutUint32(word[:], math.Float32bits(Exp(x)))
			h.Write(word[:])
		}
	})
	if got := h.Sum64(); got != want {
		t.Errorf("checksum %#x, want %#x", got, uint64(want))
	}
}

func BenchmarkExp(b *testing.B) {
	x := float32(0)
	for b.Loop() {
		x = Exp(-x)
	}
}
