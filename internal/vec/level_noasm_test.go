//go:build !(amd64 || arm64) || purego

package vec

import (
	"testing"

	"octet/internal/cpu"
)

// required is what plain Go does not have.
var required = map[string]cpu.Level{"avx2": missing, "vnni": missing, "neon": missing}

// eachLevel runs f with every instruction set that the build knows: none.
func eachLevel(t *testing.T, f func(t *testing.T)) { t.Run(level.String(), f) }

func eachLevelBenchmark(b *testing.B, name string, f func(b *testing.B)) {
	b.Run(name+"/"+level.String(), f)
}
