package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"octet/testdata/demo"
)

func TestTokenizeRoundTrip(t *testing.T) {
	for _, text := range []string{
		"", "Once upon a time", " two  spaces ", "line\nline\r\n\n", "naïve café 東京 🦊", "a\u0301", "<|im_start|>user\n",
	} {
		t.Run(text, func(t *testing.T) {
			ids := good(t, text, "tokenize", "--no-special")
			if back := good(t, ids, "tokenize", "--decode"); back != text {
				t.Errorf("got %q back", back)
			}
		})
	}
}

// TestTokenizeForms checks that all ways in and out agree.
func TestTokenizeForms(t *testing.T) {
	const text = "Once upon a time"
	plain := good(t, text, "tokenize")
	out := goodJSON[tokens](t, text, "tokenize", "--json")
	ids, err := parseIDs(plain)
	if err != nil || !slices.Equal(ids, out.IDs) || len(out.Tokens) != len(ids) {
		t.Errorf("plain %q, JSON %v, %v", plain, out, err)
	}
	if strings.TrimRight(plain, "0123456789 ") != "" && !strings.HasSuffix(plain, "\n") {
		t.Errorf("ids separated by spaces and a newline expected, found %q", plain)
	}
	back := goodJSON[tokens](t, plain, "tokenize", "--decode", "--json")
	if back.Text == nil || *back.Text != text || !slices.Equal(back.IDs, ids) {
		t.Errorf("decoded %+v", back)
	}
	for _, separated := range []string{strings.ReplaceAll(plain, " ", ","), strings.ReplaceAll(plain, " ", ", "), strings.ReplaceAll(plain, " ", "\n")} {
		if got := good(t, separated, "tokenize", "--decode"); got != text {
			t.Errorf("%q is decoded to %q", separated, got)
		}
	}
}

func TestTokenizeSpecial(t *testing.T) {
	const turn = "<|im_end|>"
	ids := good(t, turn, "tokenize", "--no-special")
	if got := good(t, ids, "tokenize", "--decode"); got != turn {
		t.Errorf("decoded %q, want %q", got, turn)
	}
	if got := good(t, ids, "tokenize", "--decode", "--skip-special"); got != "" {
		t.Errorf("decoded %q without special tokens", got)
	}
}

// TestTokenizeEmptyJSON: lists, not null.
func TestTokenizeEmptyJSON(t *testing.T) {
	got := strings.Join(strings.Fields(good(t, "", "tokenize", "--no-special", "--json")), "")
	if got != `{"ids":[],"tokens":[]}` {
		t.Errorf("got %s", got)
	}
}

// TestTokenizeFrom takes the same tokenizer from a file and from a directory without a model.
func TestTokenizeFrom(t *testing.T) {
	dir := t.TempDir()
	b, err := demo.FS.ReadFile("tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "tokenizer.json")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	const text = "The little fox"
	want := good(t, text, "tokenize", "--no-special")
	for _, path := range []string{dir, file} {
		if got := good(t, text, "tokenize", "--no-special", "-m", path); got != want {
			t.Errorf("-m %s: got %s, want %s", path, got, want)
		}
	}
	shared := "../../testdata/llama2c/llama2c_shared/"
	if a, b := good(t, text, "tokenize", "-m", shared+"model_v0.bin"), good(t, text, "tokenize", "-m", shared+"tokenizer.bin"); a != b {
		t.Errorf("beside the model %s, by itself %s", a, b)
	}
}

func TestTokenizeBadIDs(t *testing.T) {
	for _, ids := range []string{"one", "1 -2", "1.5", "99999999999999999999", "2147483647", "1,,x"} {
		t.Run(ids, func(t *testing.T) {
			if got := octet(t, ids, "tokenize", "--decode"); got.code != exitFailed || got.stdout != "" {
				t.Errorf("exit code %d, stdout %q, stderr %q", got.code, got.stdout, got.stderr)
			}
		})
	}
}
