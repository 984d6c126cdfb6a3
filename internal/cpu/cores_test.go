package cpu

import (
	"runtime"
	"testing"
)

func TestThreads(t *testing.T) {
	for _, test := range []struct {
		name        string
		environment string
		procs       int
		cores       int
		want        int
	}{
		{"two hardware threads a core", "", 16, 8, 8},
		{"one a core", "", 8, 8, 8},
		{"a container's limit below the cores", "", 2, 8, 2},
		{"the user's word", "12", 12, 8, 12},
		{"cores unknown", "", 6, 0, 6},
	} {
		if got := threads(test.environment, test.procs, test.cores); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

func TestThreadsHere(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	if got, most := Threads(), runtime.GOMAXPROCS(0); got < 1 || got > most {
		t.Errorf("%d threads, 1 to %d expected", got, most)
	}
	t.Setenv("GOMAXPROCS", "1000")
	if got, want := Threads(), runtime.GOMAXPROCS(0); got != want {
		t.Errorf("%d threads where the environment decides, want %d", got, want)
	}
}
