//go:build arm64 && !purego

package quant

import "testing"

// splitToken and splitTokens are split for all that Int16 activations can be.
func TestSplitInAssembly(t *testing.T) {
	const limit, n = 32512, 16
	xq := make([]int16, 4*n)
	token, tile := make([]int8, 2*4*n), make([]int8, 2*tileTokens*n)
	for from := -limit; from <= limit; from += len(xq) {
		for i := range xq {
			xq[i] = int16(min(from+i, limit))
		}
		splitToken(&token[0], &xq[0], len(xq))
		splitTokens(&tile[0], &xq[0], 2*n, n)
		for i, v := range xq {
			hi, lo := split(v)
			if at := i/n*2*n + i%n; token[at] != hi || token[at+n] != lo {
				t.Fatalf("splitToken: %d is %d and %d, want %d and %d", v, token[at], token[at+n], hi, lo)
			}
			at := i%n/4*n + i/n*4 + i%4
			if lower := at + tileTokens*n; tile[at] != hi || tile[lower] != lo {
				t.Fatalf("splitTokens: %d is %d and %d, want %d and %d", v, tile[at], tile[lower], hi, lo)
			}
		}
	}
}
