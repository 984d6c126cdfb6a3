//go:build amd64 && !purego

package cpu

import (
	"os"

	"golang.org/x/sys/cpu"
)

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

// Chosen is the level to use.
func Chosen() Level { return min(Best(), allowed(os.Getenv("OCTET_CPU"))) }
