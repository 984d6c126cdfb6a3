//go:build (amd64 || arm64) && !purego

package vec

import (
	"testing"

	"octet/internal/cpu"
)

// eachLevel runs f with every instruction set that the machine has.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	defer func(l cpu.Level) { level = l }(level)
	for level = cpu.Generic; level <= cpu.Best(); level++ {
		t.Run(level.String(), f)
	}
}

func eachLevelBenchmark(b *testing.B, name string, f func(b *testing.B)) {
	defer func(l cpu.Level) { level = l }(level)
	for level = cpu.Generic; level <= cpu.Best(); level++ {
		b.Run(name+"/"+level.String(), f)
	}
}
