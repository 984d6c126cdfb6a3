//go:build linux

package quant

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// beforeTheEnd returns n bytes followed by an address that may not be read or written.
func beforeTheEnd(t *testing.T, n int) []byte {
	t.Helper()
	page := os.Getpagesize()
	size := (n + page - 1) / page * page
	mapped, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(mapped) })
	if err := syscall.Mprotect(mapped[size:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return mapped[size-n : size]
}

// floatsBeforeTheEnd is beforeTheEnd for float32.
func floatsBeforeTheEnd(t *testing.T, n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(&beforeTheEnd(t, 4*n)[0])), n)
}

// Weights end where a file does: kernels read nothing after them, and no inputs and outputs
// after the caller's.
func TestKernelsStayInBounds(t *testing.T) {
	r, p := rand.New(rand.NewPCG(7, 7)), newPool(t, 2)
	for _, group := range []int{32, 64, 96, 128} {
		for groups := 1; groups <= 9; groups++ {
			for _, element := range []Element{F32, BF16, F16} {
				rows, cols := 16+r.IntN(60), group*groups
				q := beforeTheEnd(t, rows*cols)
				scales := Floats{element, beforeTheEnd(t, rows*groups*element.Size())}
				m, err := NewMatrix(rows, cols, group, q, scales)
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range []int{1, 2, 9, 70} {
					checkBounds(t, p, m, n)
				}
			}
		}
	}
}

func checkBounds(t *testing.T, p *Pool, m *Matrix, n int) {
	t.Helper()
	x, dst := floatsBeforeTheEnd(t, n*m.cols), floatsBeforeTheEnd(t, n*m.rows)
	eachKernel(t, func(t *testing.T) {
		for _, mode := range modes {
			in := NewInput(mode)
			in.Set(x, n, m.cols)
			m.Mul(p, dst, in)
		}
	})
}
