package quant

import (
	"fmt"
	"os"
	"slices"
	"sync/atomic"
)

// kernel is the int8 product on one instruction set. All kernels give the same bits.
type kernel struct {
	name string
	rows int // rows taken together; chunks of work are multiples of it
	tile int // tokens packed together
	// takes tells whether the kernel multiplies with m; if not, the generic one does.
	takes func(m *Matrix) bool
	// quantize is quantizeGroup.
	quantize func(xq []int16, x []float32, limit float32) (scale float32, sum int32)
	// maxBits and roundWeights are the functions of these names, for Quantize.
	maxBits      func(x []float32) uint32
	roundWeights func(q []byte, values []float32, scale float32) lostInGroup
	// room makes room for the packed form of t.
	room func(t *tokens)
	// pack writes the packed form of group g of a tile, when its tokens are quantized.
	pack func(t *tokens, tile, g int)
	// mul sets dst[t*m.rows+r] for all tokens t of x and rows lo ≤ r < hi.
	mul func(m *Matrix, x *tokens, dst []float32, lo, hi int, s *scratch)
}

// scratch is one worker's memory in a kernel.
type scratch struct {
	scales  []float32                  // the scales of a block of rows
	weights [4][genericMaxWords]uint64 // of genericKernel: a group of four rows, in pairs
	tiles   []uint64                   // a block of rows as tiles take it
	acc     []float32                  // results of a block
	terms   []float32                  // what groups add to them
}

// standIns names the kernel to use in place of one that the processor has and the operating
// system refuses.
var standIns = map[string]string{}

// kernels holds the kernels that this machine has, the best first.
var kernels = append(machineKernels(), &genericKernel)

// current is the kernel in use, errStart what was wrong with OCTET_CPU.
var (
	current  atomic.Pointer[kernel]
	errStart error
)

func init() { start() }

// start chooses the kernel that OCTET_CPU names.
func start() {
	current.Store(kernels[0])
	errStart = SetBackend(os.Getenv("OCTET_CPU"))
}

// kernelFor returns the kernel in use, or the generic one where that does not take m.
func kernelFor(m *Matrix) *kernel {
	if k := current.Load(); k.takes(m) {
		return k
	}
	return &genericKernel
}

// Backend is the name of the kernel in use.
func Backend() string { return current.Load().name }

// Backends lists the kernels that this machine has, the best first; amx, which is used by name
// alone, is behind vnni.
func Backends() []string {
	names := make([]string, len(kernels))
	for i, k := range kernels {
		names[i] = k.name
	}
	return names
}

// SetBackend chooses the kernel for products that start from now on; "" is the best one. It
// is an error, and changes nothing, when this machine has no kernel of the name. Where the
// operating system refuses AMX, "amx" chooses vnni.
func SetBackend(name string) error {
	if name == "" {
		current.Store(kernels[0])
		return nil
	}
	if other, refused := standIns[name]; refused {
		name = other
	}
	i := slices.IndexFunc(kernels, func(k *kernel) bool { return k.name == name })
	if i < 0 {
		return fmt.Errorf("quant: backend %q: this machine has %q", name, Backends())
	}
	current.Store(kernels[i])
	return nil
}

// BackendError is the error that the environment variable OCTET_CPU gave at start, when
// SetBackend refused its value. The best kernel is in use then.
func BackendError() error { return errStart }
