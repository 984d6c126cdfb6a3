package vec

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"unsafe"
)

// floatsOf reads data as float32 numbers.
func floatsOf(data []byte) []float32 {
	x := make([]float32, len(data)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return x
}

// FuzzLevels compares every function on every instruction set with plain Go, on any bits.
func FuzzLevels(f *testing.F) {
	var seed []byte
	for i, v := range specials {
		seed = binary.LittleEndian.AppendUint32(seed, math.Float32bits(v))
		f.Add(slices.Repeat(seed, 1+i%4), uint8(i), uint8(3*i))
	}
	f.Add(slices.Repeat(seed, 40), uint8(15), uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, width, rows uint8) {
		if len(data) > 1<<16 {
			return
		}
		x := floatsOf(data)
		cols := int(width)%160 + 1
		if width%2 == 0 {
			cols = (cols + 15) &^ 15
		}
		split := min(int(rows), len(x)/cols) * cols
		eachLevel(t, func(t *testing.T) {
			fuzzRows(t, x[:split], x[split:len(x)/cols*cols], cols)
			fuzzHalves(t, data[:min(2*split, len(data))], x, cols)
			fuzzElements(t, x)
			fuzzCached[float32](t, data, x, cols)
			fuzzCached[uint16](t, data, x, cols)
			fuzzCached[int8](t, data, x, cols)
		})
	})
}

// fuzzRows compares the products of a [rows, cols] and b [n, cols].
func fuzzRows(t *testing.T, a, b []float32, cols int) {
	rows, n := len(a)/cols, len(b)/cols
	got, want := make([]float32, rows*n), make([]float32, rows*n)
	Dots(got, rows, a, b, cols)
	dotsGeneric(want, rows, a, b, cols)
	requireEqual(t, "Dots", got, want)

	if n > 0 {
		DotsF32(got[:rows], a, b[:cols])
		requireEqual(t, "DotsF32", got[:rows], want[:rows])
	}

	gotSums, wantSums := slices.Clone(a), slices.Clone(a)
	Weigh(gotSums, want, n, b, cols)
	weighGeneric(wantSums, want, n, b, cols, 0, cols)
	requireEqual(t, "Weigh", gotSums, wantSums)
	if n > 0 && rows > 0 {
		m := min(len(a), len(b))
		requireEqual(t, "Dot", []float32{Dot(a[:m], b[:m])}, []float32{dotGeneric(a[:m], b[:m])})
	}
}

// fuzzHalves compares the products of rows of halves.
func fuzzHalves(t *testing.T, data []byte, x []float32, cols int) {
	if len(x) < cols {
		return
	}
	x = x[:cols]
	rows := len(data) / (2 * cols)
	data = data[:2*rows*cols]
	got, want := make([]float32, rows), make([]float32, rows)
	DotsBF16(got, data, x)
	dotsBF16Generic(want, data, x)
	requireEqual(t, "DotsBF16", got, want)
	DotsF16(got, data, x)
	dotsF16Generic(want, data, x)
	requireEqual(t, "DotsF16", got, want)
}

// fuzzCached compares products and sums of any cached values.
func fuzzCached[T Cached](t *testing.T, data []byte, x []float32, cols int) {
	size := int(unsafe.Sizeof(*new(T)))
	values := make([]T, len(data)/size)
	if len(values) > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*size), data)
	}
	rows, n := min(len(x)/cols, 5), min(len(values)/(KeyTile*cols), 3)
	checkDotTiles(t, values[:n*KeyTile*cols], x[:rows*cols], rows, n, cols)
	n = min(len(values)/cols, len(x)/max(rows, 1))
	checkWeighCached(t, values[:n*cols], x, x[:rows*cols], rows, n, cols, n)
	got, want := make([]int8, len(x)), make([]int8, len(x))
	if scale := Narrow(got, x); scale > 0 {
		roundI8Generic(want, x, scale)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("bytes %v, want %v", got, want)
	}
	halves, wantHalves := make([]uint16, len(x)), make([]uint16, len(x))
	Narrow(halves, x)
	narrowF16Generic(wantHalves, x)
	if !slices.Equal(halves, wantHalves) {
		t.Fatalf("halves %04x, want %04x", halves, wantHalves)
	}
}

// fuzzElements compares what is done to each element.
func fuzzElements(t *testing.T, x []float32) {
	got, want := slices.Clone(x), slices.Clone(x)
	SiLUMul(got, x, x)
	siluMulGeneric(want, x, x)
	requireEqual(t, "SiLUMul", got, want)

	copy(got, x)
	copy(want, x)
	ScaledSoftmax(got, 0.125)
	softmaxGeneric(want, 0.125)
	requireEqual(t, "ScaledSoftmax", got, want)

	half := len(x) / 2
	copy(got, x)
	copy(want, x)
	Rotate(got[:half], got[half:], x, x)
	rotateGeneric(want[:half], want[half:], x, x)
	requireEqual(t, "Rotate", got, want)

	Add(got, x)
	addGeneric(want, x)
	requireEqual(t, "Add", got, want)

	if len(x) > 2 {
		requireWeights(t, "fuzz", x, x[0], x[1], math.Abs(float64(x[2])))
	}
}
