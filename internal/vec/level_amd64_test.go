//go:build amd64 && !purego

package vec

import "octet/internal/cpu"

// required is the level of each of package quant's kernels: machines with vnni have AVX-512.
var required = map[string]cpu.Level{"avx2": cpu.AVX2, "vnni": cpu.AVX512, "neon": missing}
