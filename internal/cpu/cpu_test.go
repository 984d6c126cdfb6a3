package cpu

import "testing"

// Each level is allowed by its name, and by the names after it.
func TestAllowed(t *testing.T) {
	for level, name := range names {
		if got := allowed(name); got != Level(level) {
			t.Errorf("OCTET_CPU=%s: got %v", name, got)
		}
	}
	best := Level(len(names) - 1)
	for _, name := range []string{"", "vnni", "amx", "quill"} { // quant refuses the last
		if got := allowed(name); got != best {
			t.Errorf("OCTET_CPU=%s: got %v, want %v", name, got, best)
		}
	}
}

func TestChosenIsNotMoreThanTheMachineHas(t *testing.T) {
	for _, name := range append([]string{"", "vnni"}, names...) {
		t.Setenv("OCTET_CPU", name)
		if got := Chosen(); got > Best() || got > allowed(name) {
			t.Errorf("OCTET_CPU=%s: %v, the machine has %v", name, got, Best())
		}
	}
}

func TestGenericIsFirst(t *testing.T) {
	if got := Generic.String(); got != "generic" {
		t.Errorf("got %q", got)
	}
}
