package quant

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/x448/float16"
)

func TestWidenEveryHalf(t *testing.T) {
	all := Floats{Data: make([]byte, 2<<16)}
	for h := range 1 << 16 {
		binary.LittleEndian.PutUint16(all.Data[2*h:], uint16(h))
	}
	tests := []struct {
		element Element
		value   func(h uint16) float32
	}{
		{BF16, func(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }},
		{F16, func(h uint16) float32 { return float16.Frombits(h).Float32() }},
	}
	for _, tt := range tests {
		t.Run(tt.element.String(), func(t *testing.T) {
			all.Element = tt.element
			got := make([]float32, 1<<16)
			all.Widen(got, 0)
			for h, v := range got {
				if want := tt.value(uint16(h)); math.Float32bits(v) != math.Float32bits(want) {
					t.Fatalf("%#04x: got %#08x, want %#08x", h, math.Float32bits(v), math.Float32bits(want))
				}
			}
		})
	}
}

// A half among normal ones takes another way than a half among special ones.
func TestWidenHalvesInAnyPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	special := []uint16{0, 0x8000, 1, 0x83ff, 0x0400, 0x7bff, 0x7c00, 0xfc00, 0x7c01, 0xffff}
	for range 2000 {
		f := Floats{F16, make([]byte, 22)}
		for i := range f.Len() {
			h := uint16(r.IntN(1 << 16))
			if r.IntN(4) == 0 {
				h = special[r.IntN(len(special))]
			}
			binary.LittleEndian.PutUint16(f.Data[2*i:], h)
		}
		got := make([]float32, f.Len())
		f.Widen(got, 0)
		for i, v := range got {
			h := binary.LittleEndian.Uint16(f.Data[2*i:])
			if want := float16.Frombits(h).Float32(); math.Float32bits(v) != math.Float32bits(want) {
				t.Fatalf("%#04x at %d: got %v, want %v", h, i, v, want)
			}
		}
	}
}

func TestWidenFloat32Bits(t *testing.T) {
	bits := []uint32{0, 1 << 31, 1, 0x007fffff, 0x00800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0xffffffff}
	f := Floats{F32, make([]byte, 4*len(bits))}
	for i, b := range bits {
		binary.LittleEndian.PutUint32(f.Data[4*i:], b)
	}
	got := make([]float32, len(bits))
	f.Widen(got, 0)
	for i, v := range got {
		if math.Float32bits(v) != bits[i] {
			t.Errorf("got %#08x, want %#08x", math.Float32bits(v), bits[i])
		}
	}
}

func TestWidenPartsAtAnyAddress(t *testing.T) {
	for _, element := range []Element{F32, BF16, F16} {
		for shift := range 8 {
			t.Run(fmt.Sprintf("%v shift %d", element, shift), func(t *testing.T) {
				const n = 40
				f := Floats{element, make([]byte, n*element.Size()+8)[shift:]}
				f.Data = f.Data[:n*element.Size()]
				for i := range n {
					putFloat(f.Data[i*element.Size():], element, float32(i))
				}
				if f.Len() != n {
					t.Fatalf("Len: got %d, want %d", f.Len(), n)
				}
				checkParts(t, f)
			})
		}
	}
}

// checkParts widens all parts of floats whose values are their indices.
func checkParts(t *testing.T, f Floats) {
	t.Helper()
	for from := 0; from <= f.Len(); from += 3 {
		for length := 0; from+length <= f.Len(); length++ {
			got := make([]float32, length)
			f.Widen(got, from)
			for i, v := range got {
				if v != float32(from+i) {
					t.Fatalf("value %d of %d from %d: got %v", i, length, from, v)
				}
			}
		}
	}
}

func TestWidenBeyondTheEndPanics(t *testing.T) {
	for _, element := range []Element{F32, BF16, F16} {
		f := Floats{element, make([]byte, 8*element.Size())}
		requirePanic(t, func() { f.Widen(make([]float32, 2), 7) })
		requirePanic(t, func() { f.Widen(make([]float32, 1), -1) })
	}
}

func TestRoundToIsNearestEven(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 200_000 {
		v := math.Float32frombits(r.Uint32() & signMask)
		if v != v || v > 65504 {
			continue
		}
		for _, element := range []Element{F32, BF16, F16} {
			if got, want := roundTo(v, element), simpleRound(float64(v), element); got != want {
				t.Fatalf("%v to %v: got %v, want %v", v, element, got, want)
			}
		}
	}
}

func TestPutFloatIsWhatWidenReads(t *testing.T) {
	for _, element := range []Element{F32, BF16, F16} {
		for _, v := range []float32{0, 1, -1, 0.5, 2048, smallest(element), -smallest(element)} {
			var got [1]float32
			stored([]float32{v}, element).Widen(got[:], 0)
			if got[0] != v {
				t.Errorf("%v: got %v, want %v", element, got[0], v)
			}
		}
		if half := smallest(element) / 2; roundTo(half, element) != 0 {
			t.Errorf("%v: half of the smallest number is %v", element, roundTo(half, element))
		}
	}
}

func TestNames(t *testing.T) {
	tests := []struct {
		got  fmt.Stringer
		want string
	}{
		{F32, "F32"}, {BF16, "BF16"}, {F16, "F16"}, {Element(9), "Element(9)"},
		{Int16, "int16"}, {Int8, "int8"}, {Float, "float"}, {Activations(9), "Activations(9)"},
	}
	for _, tt := range tests {
		if tt.got.String() != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}
