package vec

import (
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns size bytes behind which lies a page that nobody may touch: reading or
// writing past a slice's end there ends the test.
func guarded(t *testing.T, size int) []byte {
	page := syscall.Getpagesize()
	whole := (size + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, whole+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	if err := syscall.Mprotect(mem[whole:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return mem[whole-size : whole]
}

func guardedFloats(t *testing.T, n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(guarded(t, 4*n)))), n)
}

// touchCached calls what works on cached types with slices that end at a page that nobody
// may touch: mem ends there, and x, y, z do.
func touchCached[T Cached](mem []byte, x, y, z []float32) {
	end := func(n int) []T {
		size := n * int(unsafe.Sizeof(*new(T)))
		return unsafe.Slice((*T)(unsafe.Pointer(&mem[len(mem)-size])), n)
	}
	for n := 1; n <= 100; n++ {
		Narrow(end(n), x[len(x)-n:])
		widen(x[len(x)-n:], end(n))
	}
	for _, cols := range []int{16, 20, 64, 80} {
		for rows := 1; rows <= 9; rows++ {
			for n := 1; n <= 2; n++ {
				DotTiles(z[len(z)-rows*n*KeyTile:], n*KeyTile, end(n*KeyTile*cols), y[len(y)-rows*cols:], cols)
				WeighCached(x[len(x)-rows*cols:], z[len(z)-rows*n:], n, end(n*cols), cols, 0, cols)
			}
		}
	}
}

func TestNothingBehindTheEndIsTouchedOfCachedTypes(t *testing.T) {
	const most = 64 * 80
	x, y, z, mem := guardedFloats(t, most), guardedFloats(t, most), guardedFloats(t, most), guarded(t, 4*most)
	eachLevel(t, func(t *testing.T) {
		touchCached[float32](mem, x, y, z)
		touchCached[uint16](mem, x, y, z)
		touchCached[int8](mem, x, y, z)
	})
}

func TestNothingBehindTheEndIsTouched(t *testing.T) {
	const most = 64 * 80
	x, y, z, u := guardedFloats(t, most), guardedFloats(t, most), guardedFloats(t, most), guardedFloats(t, most)
	data := guarded(t, 2*most)
	end := func(x []float32, n int) []float32 { return x[len(x)-n:] }
	eachLevel(t, func(t *testing.T) {
		for n := 1; n <= 100; n++ {
			a, b, c, d := end(x, n), end(y, n), end(z, n), end(u, n)
			a[0] = Dot(b, c)
			Add(a, b)
			SiLUMul(a, b, c)
			RMSNorm(a, b, c, 1)
			Softmax(a)
			Rotate(a, b, c, d)
			WidenBF16(a, data[len(data)-2*n:])
			WidenF16(a, data[len(data)-2*n:])
			a[0] = Largest(b) + float32(SumFrom(b, 0)+Weights(c, b, 0, 1))
			Between(d, b, -1, 1)
		}
		for _, cols := range []int{16, 48, 64, 80, 1040} {
			for rows := 1; rows <= min(9, most/cols); rows++ {
				for n := 1; n <= min(9, most/cols); n++ {
					Dots(end(z, rows*n), rows, end(x, rows*cols), end(y, n*cols), cols)
					Weigh(end(x, rows*cols), end(z, rows*n), n, end(y, n*cols), cols)
				}
				DotsF32(end(z, rows), end(x, rows*cols), end(y, cols))
				halves := data[len(data)-2*rows*cols:]
				DotsBF16(end(z, rows), halves, end(y, cols))
				DotsF16(end(z, rows), halves, end(y, cols))
			}
		}
	})
}
