//go:build amd64 && !purego

package cpu

import "testing"

func TestLevelNames(t *testing.T) {
	for level, want := range map[Level]string{AVX2: "avx2", AVX512: "avx512"} {
		if got := level.String(); got != want {
			t.Errorf("level %d: got %q, want %q", level, got, want)
		}
	}
}
