//go:build !purego

package quant

import (
	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"
)

// AMX keeps eight tiles of 1 KB a thread. What makes it safe under Go's scheduler:
//
//   - A goroutine moves to another thread only where it can be preempted. Assembly cannot be,
//     except at calls (runtime/preempt.go, isAsyncSafePoint), and ours calls nothing. So tiles
//     are configured, used and released within one assembly function, and no longer than it
//     may keep the scheduler waiting: see amxGroupBytes.
//   - The operating system may switch threads at any instruction and saves the tiles then, as
//     all registers (Linux since 5.16, Documentation/arch/x86/xstate.rst).
//   - Signal handlers run amid it, on the stack that Go gives each thread for them: 32 KB
//     (runtime/os_linux.go, mpreinit). The kernel puts all registers there, tiles too, which
//     are then about 12 KB, and restores them at the end. It grants AMX only if every
//     thread's signal stack is large enough for that.
//   - Linux gives a thread room for its tiles at the first use; if there is no memory, the
//     process dies by a signal.

// Of arch/x86/include/uapi/asm/prctl.h, and the states' numbers in XCR0.
const (
	archReqXcompPerm = 0x1023
	xfeatureTileData = 18
	xcr0Tiles        = 1<<17 | 1<<18
)

var (
	hasAMX     = hasVNNI && cpu.X86.HasAMXTile && cpu.X86.HasAMXInt8 && xgetbv()&xcr0Tiles == xcr0Tiles
	amxAllowed = hasAMX && allowAMX()
)

// allowAMX asks the kernel, once, to let all threads of the process use tiles. Without
// permission their first use is a SIGILL.
func allowAMX() bool {
	_, _, errno := unix.RawSyscall(unix.SYS_ARCH_PRCTL, archReqXcompPerm, xfeatureTileData, 0)
	return errno == 0
}

// amxKernels is the kernel for AMX. It is to be chosen by name, until processors have shown
// that it is right and faster. Where the kernel does not allow it, vnni takes its place.
func amxKernels() (found []*kernel) {
	if amxAllowed {
		return append(found, amx.kernel("amx"))
	}
	if hasAMX {
		standIns["amx"] = "vnni"
	}
	return nil
}

// xgetbv reads XCR0, where the operating system has XSAVE, as every one that has AVX.
//
//go:noescape
func xgetbv() uint64

// amxBlock is what a product of tiles reads and writes. w [16·rowTiles, cols] bytes and
// x [tokenTiles, all groups, steps, parts, inputs/4, 16, 4] bytes, of Int16 activations two
// parts, high and low; sw [4·rowTiles, all groups, 4]; sx and bias -128·Σx, [tokenTiles, all
// groups, 16]; acc [16·rowTiles, 16·tokenTiles]. Strides are in bytes.
type amxBlock struct {
	acc        *float32
	x          *uint64
	w          *byte
	sw         *float32
	sx         *float32
	bias       *int32
	sums       *uint64 // [2, 512], scratch
	groups     int     // to multiply
	steps      int     // tiles of inputs in a group
	inputs     int     // of a tile
	tile       int     // bytes of a tile of x
	rowTiles   int
	tokenTiles int

	accStride, xStride, wStride, swStride, lanesStride int

	config [64]byte // for LDTILECFG

	// Where the function is: it alone uses these.

	//lint:ignore U1000 used in assembly
	accTokens, accAt, xAt, wAt, swAt, sxAt, biasAt uintptr
	//lint:ignore U1000 used in assembly
	tokensLeft, rowsLeft int
}

// amxBytes adds the products of groups to acc, of Int8 activations.
//
//go:noescape
func amxBytes(b *amxBlock)

// amxWords is like amxBytes for Int16 activations.
//
//go:noescape
func amxWords(b *amxBlock)

// splitAMX writes the two bytes (see split) of rows of words, stride bytes apart, to hi and
// lo [rows, group].
//
//go:noescape
func splitAMX(hi, lo *int8, src *int16, stride, group, rows int)
