//go:build arm64 && !purego

package vec

import "octet/internal/cpu"

// required is the level of each of package quant's kernels.
var required = map[string]cpu.Level{"avx2": missing, "vnni": missing, "neon": cpu.NEON}
