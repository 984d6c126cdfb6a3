package runtime

import "testing"

// TestSpanSize: long batches are divided evenly among the workers, short ones not at all.
func TestSpanSize(t *testing.T) {
	for _, c := range []struct{ n, workers, want int }{
		{1, 1, 0},
		{31, 1, 0},
		{32, 1, 32},
		{128, 1, 128},
		{129, 1, 80},
		{512, 1, 128},
		{63, 2, 0},
		{64, 2, 32},
		{512, 2, 128},
		{300, 2, 80},
		{512, 3, 96},
		{512, 16, 32},
		{512, 17, 0},
	} {
		if got := spanSize(c.n, c.workers); got != c.want {
			t.Errorf("%d tokens, %d workers: %d, want %d", c.n, c.workers, got, c.want)
		}
	}
}
