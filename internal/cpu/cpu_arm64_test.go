//go:build arm64 && !purego

package cpu

import "testing"

func TestLevelNames(t *testing.T) {
	if got := NEON.String(); got != "neon" {
		t.Errorf("got %q", got)
	}
}
