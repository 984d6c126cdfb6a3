//go:build !purego

package quant

import (
	"bytes"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"octet/internal/words"
)

// What the functions for AMX have to be in machine code, as the GNU assembler spells it, in order.
var amxInstructions = map[string][]string{
	"amxBytes": {
		"ldtilecfg (%rax)",
		"tilestored %tmm0,(%r14,%rax,1)",
		"tileloadd (%r9,%rdi,1),%tmm0",
		"tileloadd (%rdx,%r12,1),%tmm2",
		"tileloadd (%rsi,%rax,1),%tmm3",
		"tdpbusd %tmm3,%tmm2,%tmm0",
		"tilerelease",
	},
	"amxWords": {
		"ldtilecfg (%rax)",
		"tilestored %tmm0,(%r14,%rax,1)",
		"tilestored %tmm1,1024(%r14,%rax,1)",
		"tilezero %tmm0",
		"tileloadd (%r9,%rdi,1),%tmm1",
		"tileloadd (%rdx,%r12,1),%tmm2",
		"tileloadd (%rsi,%rax,1),%tmm3",
		"tdpbusd %tmm3,%tmm2,%tmm0",
		"tileloadd (%rsi,%rax,1),%tmm4",
		"tdpbusd %tmm4,%tmm2,%tmm1",
		"tilerelease",
	},
}

// tileInstructions counts what may begin an instruction for tiles.
func tileInstructions(code []byte) (n int) {
	for i := range len(code) - 3 {
		if code[i] == 0xc4 && code[i+1]&0x1f == 2 && slices.Contains([]byte{0x49, 0x4b, 0x5e}, code[i+3]) {
			n++
		}
	}
	return n
}

// Instructions written as bytes are what GNU's assembler makes of them.
func TestTileInstructions(t *testing.T) {
	as := words.Assembler(t, "as")
	for name, instructions := range amxInstructions {
		code := machineCode(t, "octet/quant."+name)
		if n := tileInstructions(code); n != len(instructions) {
			t.Errorf("%s has %d instructions for tiles, want %d", name, n, len(instructions))
		}
		for _, gnu := range instructions {
			want := words.Assemble(t, gnu+"\n", as, "--64")
			at := bytes.Index(code, want)
			if at < 0 {
				t.Fatalf("%s: no %x (%s) after the instruction before it", name, want, gnu)
			}
			code = code[at+len(want):]
		}
	}
}

// machineCode returns a function of this program: the largest of the name, not what calls it
// from Go.
func machineCode(t *testing.T, name string) []byte {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := f.Section(".text")
	lines, err := f.Section(".gopclntab").Data()
	if err != nil {
		t.Fatal(err)
	}
	table, err := gosym.NewTable(nil, gosym.NewLineTable(lines, text.Addr))
	if err != nil {
		t.Fatal(err)
	}
	var code []byte
	for _, f := range table.Funcs {
		if size := int(f.End - f.Entry); f.Name == name && size > len(code) {
			code = make([]byte, size)
			if _, err := text.ReadAt(code, int64(f.Entry-text.Addr)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return code
}

// Everything but the instructions for tiles is tested on every machine with vnni: in their
// place is what amxBlock says.
func TestTilesOfAMX(t *testing.T) {
	if !hasVNNI {
		t.Skip("needs AVX-512 with VNNI") // OCTET_TEST_REQUIRE=vnni says that it is there
	}
	defer func(before []*kernel) { kernels = before }(kernels)
	model := amxTiles{
		words: func(b amxBlock) { simpleBlock(&b, 2) },
		bytes: func(b amxBlock) { simpleBlock(&b, 1) },
	}
	kernels = []*kernel{model.kernel("model"), &genericKernel}
	r, p := rand.New(rand.NewPCG(4, 4)), newPool(t, 2)
	for i, group := range []int{32, 64, 96, 128} {
		t.Run(fmt.Sprintf("group %d", group), func(t *testing.T) {
			for _, n := range []int{9, 16, 65, 81} {
				m := offsetMatrix(t, r, tileRows+r.IntN(70), group, 1+r.IntN(12), Element(i%3))
				checkKernels(t, p, m, randomFloats(r, n*m.cols+1)[1:], n)
			}
		})
	}
}

// simpleBlock is a product of tiles in which activations have one part or two.
func simpleBlock(b *amxBlock, parts int) {
	for i := range b.tokenTiles * tileTokens {
		tile, lane := i/tileTokens, i%tileTokens
		for row := range b.rowTiles * tileRows {
			acc := at[float32](b.acc, row*b.accStride+4*i)
			for g := range b.groups {
				lanes := tile*b.lanesStride + 4*(g*tileTokens+lane)
				dot := *at[int32](b.bias, lanes)
				for k := range b.steps * b.inputs {
					x := tile*b.xStride + (g*b.steps+k/b.inputs)*parts*b.tile + k%b.inputs/4*64 + 4*lane + k%4
					w := int32(*at[uint8](b.w, row*b.wStride+g*b.steps*b.inputs+k))
					value := int32(*at[int8](b.x, x))
					if parts == 2 {
						value = 255*value + int32(*at[int8](b.x, x+b.tile))
					}
					dot += w * value
				}
				sw := *at[float32](b.sw, row/quadRows*b.swStride+4*(g*quadRows+row%quadRows))
				*acc += genericTerm(dot, sw, *at[float32](b.sx, lanes))
			}
		}
	}
}

// at is the value some bytes after p.
func at[T, P any](p *P, offset int) *T { return (*T)(unsafe.Add(unsafe.Pointer(p), offset)) }

func TestTileConfig(t *testing.T) {
	want := [64]byte{0: 1, 16: 64, 18: 64, 20: 32, 22: 64, 24: 64, 48: 16, 49: 16, 50: 16, 51: 8, 52: 8}
	if got := tileConfig(32); got != want {
		t.Errorf("got %v", got)
	}
	want[20], want[51], want[52] = 64, 16, 16
	if got := tileConfig(64); got != want {
		t.Errorf("got %v", got)
	}
}

func TestSplitAMX(t *testing.T) {
	if !hasVNNI {
		t.Skip("needs AVX-512 with VNNI") // as above
	}
	const group, rows = 64, 2
	src := make([]int16, 3*group)
	hi, lo := make([]int8, rows*group), make([]int8, rows*group)
	for first := -32512; first <= 32512; first += group {
		for i := range src {
			src[i] = int16(min(first+i%group, 32512)) * int16(1-i/group%3) // rows 0 and 2 apart
		}
		splitAMX(&hi[0], &lo[0], &src[0], 4*group, group, rows)
		for i := range hi {
			h, l := split(src[i/group*2*group+i%group])
			if hi[i] != h || lo[i] != l {
				t.Fatalf("%d: got %d, %d, want %d, %d", src[i/group*2*group+i%group], hi[i], lo[i], h, l)
			}
		}
	}
}

// The kernel is never the best one, and where the processor has AMX and the operating system
// does not allow it, asking for it gives vnni.
func TestAMXIsChosenByName(t *testing.T) {
	defer SetBackend(Backend())
	if names := Backends(); slices.Index(names, "amx") == 0 || slices.Contains(names, "amx") != amxAllowed {
		t.Errorf("backends %q, AMX allowed: %v", names, amxAllowed)
	}
	want := map[bool]string{true: "amx", false: "vnni"}[amxAllowed]
	err := SetBackend("amx")
	if !hasAMX {
		if err == nil {
			t.Error("no error on a machine without AMX")
		}
		return
	}
	if err != nil || Backend() != want {
		t.Errorf("backend %s, %v, want %s", Backend(), err, want)
	}
}

// Threads change, the collector stops the world and signals arrive while products are taken.
func TestProductsAmidSignals(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const rows, cols, n, workers = 70, 512, 33, 4
	m, x := randomMatrix(t, r, rows, cols, 64, BF16), randomFloats(r, n*cols)
	want := m.want(x, n, Int16)
	eachKernel(t, func(t *testing.T) {
		var products sync.WaitGroup
		results := make([][]float32, workers*8)
		for w := range workers {
			products.Go(func() {
				p := NewPool(1)
				defer p.Close()
				for i := range 8 {
					results[w*8+i] = mul(p, m, x, n, Int16)
					runtime.GC()
				}
			})
		}
		products.Wait()
		for _, got := range results {
			requireSame(t, got, want)
		}
	})
}
