package cpu

import "testing"

func TestAllowed(t *testing.T) {
	tests := []struct {
		name string
		want Level
	}{
		{"", AVX512},
		{"generic", Generic},
		{"avx2", AVX2},
		{"vnni", AVX512},
		{"amx", AVX512},
		{"quill", AVX512}, // refused by quant
	}
	for _, tt := range tests {
		if got := allowed(tt.name); got != tt.want {
			t.Errorf("OCTET_CPU=%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestChosenIsNotMoreThanTheMachineHas(t *testing.T) {
	for _, name := range []string{"", "generic", "avx2", "vnni"} {
		t.Setenv("OCTET_CPU", name)
		if got := Chosen(); got > Best() || got > allowed(name) {
			t.Errorf("OCTET_CPU=%s: %v, the machine has %v", name, got, Best())
		}
	}
}

func TestLevelNames(t *testing.T) {
	for level, want := range []string{"generic", "avx2", "avx512"} {
		if got := Level(level).String(); got != want {
			t.Errorf("level %d: got %q, want %q", level, got, want)
		}
	}
}
