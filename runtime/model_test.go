package runtime

import (
	"errors"
	"testing"
)

// TestQuantizeGroup takes the largest group size up to the one asked for that fits all matrices.
func TestQuantizeGroup(t *testing.T) {
	for _, c := range []struct {
		model       string
		asked, want int
	}{
		{"demo", 64, 64},
		{"demo", 128, 64}, // 192 inputs
		{"models/llama_yarn", 64, 32},
		{"models/llama", 32, 32},
		{"quantized/llama_pack_g32", 0, 32},
		{"demo", 0, 0},
	} {
		if got := load(t, c.model, Options{Quantize: c.asked}).GroupSize(); got != c.want {
			t.Errorf("%s: groups of %d, want %d", c.model, got, c.want)
		}
	}
	_, err := Load(testdata+"/demo", Options{Quantize: 16})
	if !errors.Is(err, ErrUnsupported) {
		t.Errorf("groups of 16: %v", err)
	}
}
