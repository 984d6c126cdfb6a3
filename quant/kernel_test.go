package quant

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSetBackend(t *testing.T) {
	defer SetBackend(Backend())
	if err := SetBackend("generic"); err != nil || Backend() != "generic" {
		t.Errorf("generic: %v, backend %s", err, Backend())
	}
	err := SetBackend("abacus")
	if err == nil || !strings.Contains(err.Error(), `"abacus"`) || !strings.Contains(err.Error(), `"generic"`) {
		t.Errorf("unknown backend: %v", err)
	}
	if Backend() != "generic" {
		t.Errorf("an error has changed the backend to %s", Backend())
	}
	if err := SetBackend(""); err != nil || Backend() != Backends()[0] {
		t.Errorf("default: %v, backend %s", err, Backend())
	}
}

func TestGenericIsAlwaysThere(t *testing.T) {
	if names := Backends(); !slices.Contains(names, "generic") {
		t.Errorf("backends %q", names)
	}
}

func TestBackendFromTheEnvironment(t *testing.T) {
	defer func(name string, err error) {
		SetBackend(name)
		errStart = err
	}(Backend(), errStart)
	tests := []struct{ value, backend, err string }{
		{"", Backends()[0], "<nil>"},
		{"generic", "generic", "<nil>"},
		{"abacus", Backends()[0], `quant: backend "abacus": this machine has`},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			t.Setenv("OCTET_CPU", tt.value)
			start()
			if Backend() != tt.backend || !strings.HasPrefix(fmt.Sprint(BackendError()), tt.err) {
				t.Errorf("backend %s, error %v", Backend(), BackendError())
			}
		})
	}
}

// The pairs of the generic kernel for one group: what it is built on.
func TestGenericPairs(t *testing.T) {
	for _, q := range []int{-128, -127, 0, 127} {
		for _, x := range []int16{-32512, -1, 0, 1, 32512} {
			for group := 1; group <= MaxGroup; group++ {
				u, xq := make([]byte, group), make([]int16, group)
				for i := range u {
					u[i], xq[i] = byte(q+128), x
				}
				var w [4][genericMaxWords]uint64
				words := genericWords(group)
				packed := make([]uint64, words)
				genericWiden(w[2][:words], u)
				genericPack(packed, xq)
				_, _, s, _ := genericPairs(&w, packed)
				if got, want := upper(s)-128*int32(group)*int32(x), int32(group*q*int(x)); got != want {
					t.Fatalf("%d of %d·%d: got %d, want %d", group, q, x, got, want)
				}
			}
		}
	}
}

func TestGenericMaxWords(t *testing.T) {
	most := 0
	for group := 1; group <= MaxGroup; group++ {
		most = max(most, genericWords(group))
	}
	if most != genericMaxWords {
		t.Errorf("%d words, constant %d", most, genericMaxWords)
	}
}
