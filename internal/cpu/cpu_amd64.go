//go:build amd64 && !purego

package cpu

import "golang.org/x/sys/cpu"

// The levels of amd64.
const (
	AVX2   = Generic + 1 + iota // AVX2 and F16C
	AVX512                      // AVX-512 F, BW, DQ and VL
)

// names are the levels' names.
var names = []string{"generic", "avx2", "avx512"}

// Best is the best level that this machine has.
func Best() Level {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasF16C:
		return Generic
	case !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL:
		return AVX2
	}
	return AVX512
}
