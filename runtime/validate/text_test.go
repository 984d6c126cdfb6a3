package validate

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTexts(t *testing.T) {
	for name, text := range map[string]string{"English": English(), "Stories": Stories()} {
		if len(text) < 8000 || len(text) > 12000 || !utf8.ValidString(text) || strings.Contains(text, "\r") || !strings.HasSuffix(text, "\n") {
			t.Errorf("%s: %d bytes, or not valid, or with other line ends", name, len(text))
		}
	}
}

// TestStoriesAreHeldOut: they are the beginning of text that the demo model was not trained on.
func TestStoriesAreHeldOut(t *testing.T) {
	heldOut, err := os.ReadFile("../../testdata/demo-heldout.txt")
	if err != nil || !strings.HasPrefix(string(heldOut), Stories()) {
		t.Errorf("not the beginning of demo-heldout.txt (%v)", err)
	}
}
