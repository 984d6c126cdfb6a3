package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/x448/float16"
)

// cachedOf returns any bits as n values.
func cachedOf[T Cached](r *rand.Rand, floats func(int) []float32, n int) []T {
	x := make([]T, n+3)[3:]
	for i, v := range floats(n) {
		switch p := unsafe.Pointer(&x[i]); unsafe.Sizeof(x[0]) {
		case 4:
			*(*float32)(p) = v
		case 2:
			*(*uint16)(p) = uint16(r.Uint32())
		case 1:
			*(*int8)(p) = int8(r.Uint32())
		}
	}
	return x
}

// wideOf widens by the definition.
func wideOf[T Cached](x []T) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
		if unsafe.Sizeof(v) == 2 {
			y[i] = float16.Float16(uint16(v)).Float32()
		}
	}
	return y
}

// eachCached calls f with sizes that are multiples of what kernels take, and others.
func eachCached(f func(rows, n, cols int)) {
	for _, cols := range []int{1, 15, 16, 40, 64, 80, 128, 272} {
		for _, rows := range []int{0, 1, 2, 3, 4, 7, 9} {
			for _, n := range []int{0, 1, 5} {
				f(rows, n, cols)
			}
		}
	}
}

// checkDotTiles compares products of n tiles with Dot.
func checkDotTiles[T Cached](t *testing.T, keys []T, q []float32, rows, n, cols int) {
	t.Helper()
	wide, stride := wideOf(keys), n*KeyTile+rows%3
	got := make([]float32, max(0, (rows-1)*stride+n*KeyTile))
	DotTiles(got, stride, keys, q, cols)
	key := make([]float32, cols)
	for j := range rows {
		for i := range n * KeyTile {
			Key(key, wide[i/KeyTile*cols*KeyTile+i%KeyTile:])
			want := dotGeneric(key, q[j*cols:][:cols])
			requireEqual(t, fmt.Sprintf("%T: query %d of %d, key %d of %d, %d columns", keys, j, rows, i, n*KeyTile, cols), got[j*stride+i:], []float32{want})
		}
	}
}

// Every column of a key has its own place in a tile, and comes back from it.
func TestKeysInTiles(t *testing.T) {
	for _, cols := range []int{1, 15, 16, 20, 64, 80} {
		tile, key, got := make([]int8, cols*KeyTile), make([]int8, cols), make([]int8, cols)
		for i := range KeyTile {
			for d := range key {
				key[d] = int8(d + 1 + i)
			}
			SetKey(tile[i:], key)
		}
		for i := range KeyTile {
			Key(got, tile[i:])
			for d, v := range got {
				if v != int8(d+1+i) {
					t.Fatalf("key %d of %d columns: column %d is %d", i, cols, d, v)
				}
			}
		}
	}
}

func checkWeighCached[T Cached](t *testing.T, v []T, w, dst []float32, rows, n, cols, stride int) {
	t.Helper()
	wide := wideOf(v)
	for _, span := range [][2]int{{0, cols}, {0, cols / 2}, {min(16, cols), cols}} {
		got, want := append([]float32(nil), dst...), append([]float32(nil), dst...)
		WeighCached(got, w, stride, v, cols, span[0], span[1])
		weighGeneric(want, w, stride, wide, cols, span[0], span[1])
		requireEqual(t, fmt.Sprintf("%T: %d sums of [%d, %d], columns %v", v, rows, n, cols, span), got, want)
	}
}

func testCached[T Cached](t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	eachLevel(t, func(t *testing.T) {
		eachKind(t, func(t *testing.T, floats func(int) []float32) {
			eachCached(func(rows, n, cols int) {
				keys := cachedOf[T](r, floats, n*KeyTile*cols)
				checkDotTiles(t, keys, misaligned(floats(rows*cols), n%3), rows, n, cols)
				stride := 17*n + rows%3
				w := misaligned(floats(max(0, (rows-1)*stride+17*n)), n%4)
				v := cachedOf[T](r, floats, 17*n*cols)
				checkWeighCached(t, v, w, misaligned(floats(rows*cols), rows%3), rows, 17*n, cols, stride)
			})
		})
	})
}

func TestCachedFloatsOnEveryLevel(t *testing.T) { testCached[float32](t) }
func TestCachedHalvesOnEveryLevel(t *testing.T) { testCached[uint16](t) }
func TestCachedBytesOnEveryLevel(t *testing.T)  { testCached[int8](t) }

// A sum of products that are all -0 is +0, as Dot gives it.
func TestDotTilesOfZerosIsPositive(t *testing.T) {
	keys, q := make([]float32, 64*KeyTile), make([]float32, 5*64)
	for i := range q {
		q[i] = -1
	}
	eachLevel(t, func(t *testing.T) { checkDotTiles(t, keys, q, 5, 1, 64) })
}

// Every half comes back from what it widens to; what lies between goes to the nearer, the
// even one from the middle.
func TestNarrowHalvesOnEveryLevel(t *testing.T) {
	var x []float32
	var want []uint16
	add := func(v float32, h uint16) {
		x, want = append(x, v, -v), append(want, h, h|0x8000)
	}
	for h := uint16(0); h < 0x7c00; h++ {
		v, next := half(h), half(h+1)
		if h == 0x7bff {
			next = 65536
		}
		middle := float32((float64(v) + float64(next)) / 2)
		up := h + 1
		if up == 0x7c00 {
			break // what is beyond the halves follows
		}
		add(v, h)
		add(math.Nextafter32(middle, 0), h)
		add(middle, h+h&1)
		add(math.Nextafter32(middle, next), up)
	}
	add(65504, 0x7bff)
	add(math.Nextafter32(65520, 0), 0x7bff)
	add(math.SmallestNonzeroFloat32, 0)
	eachLevel(t, func(t *testing.T) {
		for from := range 3 {
			got := make([]uint16, len(x)-from)
			if scale := Narrow(got, x[from:]); scale != 1 {
				t.Errorf("scale %v", scale)
			}
			for i, h := range got {
				if h != want[from+i] {
					t.Fatalf("%v: got %04x, want %04x", x[from+i], h, want[from+i])
				}
			}
		}
	})
}

// What halves cannot hold becomes NaN wherever it stands, and nothing else does.
func TestNarrowBeyondHalvesOnEveryLevel(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		for _, v := range []float32{65520, -65520, 1e9, math.MaxFloat32, inf, -inf, float32(math.NaN())} {
			for at := range 40 {
				x, got := make([]float32, 40), make([]uint16, 40)
				x[at] = v
				Narrow(got, x)
				for i, h := range got {
					if half(h) != half(h) != (i == at) {
						t.Fatalf("%v at %d: element %d is %04x", v, at, i, h)
					}
				}
			}
		}
	})
}

// byteScale is the scale of x by the definition.
func byteScale(x []float32) float32 {
	largest := 0.0
	for _, v := range x {
		largest = math.Max(largest, math.Abs(float64(v))) // NaN stays
	}
	switch scale := float32(largest) / 127; {
	case math.IsNaN(largest) || math.IsInf(largest, 0):
		return float32(math.NaN())
	case scale < 0x1p-126:
		return 0
	default:
		return scale
	}
}

func TestNarrowBytesOnEveryLevel(t *testing.T) {
	eachVector(t, func(t *testing.T, n int, floats func() []float32) {
		x := floats()
		got, scale := make([]int8, n), float32(0)
		scale = Narrow(got, x)
		want := byteScale(x)
		requireEqual(t, "scale", []float32{scale}, []float32{want})
		for i, b := range got {
			q := 0.0
			if want > 0 {
				q = math.RoundToEven(float64(x[i] / want))
			}
			if float64(b) != q {
				t.Fatalf("%v by %v: got %d, want %v", x[i], want, b, q)
			}
		}
	})
}

// Bytes in the middle between two go to the even one.
func TestNarrowBytesHalfToEven(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		x, got := make([]float32, 256), make([]int8, 256)
		for i := range x {
			x[i] = float32(i-127) / 2
		}
		x[255] = 127
		if scale := Narrow(got, x); scale != 1 {
			t.Fatalf("scale %v", scale)
		}
		for i, b := range got {
			if float64(b) != math.RoundToEven(float64(x[i])) {
				t.Errorf("%v became %d", x[i], b)
			}
		}
	})
}

func BenchmarkDotTiles(b *testing.B) {
	for _, rows := range []int{1, 4, 16, 48} {
		benchmarkCached[float32](b, rows)
		benchmarkCached[uint16](b, rows)
		benchmarkCached[int8](b, rows)
	}
}

func benchmarkCached[T Cached](b *testing.B, rows int) {
	const n, cols = 512, 64
	keys, q := make([]T, n*cols), make([]float32, rows*cols)
	dst, out := make([]float32, rows*n), make([]float32, rows*cols)
	for _, f := range []struct {
		name string
		f    func()
	}{
		{"Dot", func() { DotTiles(dst, n, keys, q, cols) }},
		{"Weigh", func() { WeighCached(out, dst, n, keys, cols, 0, cols) }},
	} {
		eachLevelBenchmark(b, fmt.Sprintf("%s/%T/%d", f.name, keys, rows), func(b *testing.B) {
			for b.Loop() {
				f.f()
			}
			b.ReportMetric(float64(rows*n*cols)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}
