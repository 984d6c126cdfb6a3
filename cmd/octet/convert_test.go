package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"octet/testdata/demo"
)

// demoDirectory writes the demo model into a directory.
func demoDirectory(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(dir, demo.FS); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestConvert(t *testing.T) {
	src, dst := demoDirectory(t), filepath.Join(t.TempDir(), "int8")
	out := good(t, "", "convert", src, dst)
	for _, want := range []string{src, dst, "64 inputs share a scale", "%", "model.layers.", "model.safetensors", "tokenizer.json"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the summary:\n%s", want, out)
		}
	}
	in := goodJSON[inspection](t, "", "inspect", "-m", dst, "--json")
	if q := in.Quantization; q == nil || q.Format != "pack-quantized" || q.Group != 64 {
		t.Errorf("quantization %+v", in.Quantization)
	}
	if demo := goodJSON[inspection](t, "", "inspect", "--json"); in.Parameters != demo.Parameters {
		t.Errorf("%d parameters, the source has %d", in.Parameters, demo.Parameters)
	}
	again := octet(t, "", "convert", src, dst)
	if again.code != exitFailed || !strings.HasPrefix(again.stderr, "octet: convert: ") {
		t.Errorf("convert onto a model: %+v", again)
	}
	good(t, "", "convert", src, dst, "--overwrite", "--threads", "1")
}

func TestConvertJSON(t *testing.T) {
	src, dst := demoDirectory(t), filepath.Join(t.TempDir(), "model.bin")
	s := goodJSON[map[string]any](t, "", "convert", src, dst, "--format", "llama2c", "--group-size", "32", "--json")
	for _, key := range []string{"source_bytes", "destination_bytes", "group_size", "group_size_asked", "matrices", "relative_rms_error"} {
		if _, ok := s[key]; !ok {
			t.Errorf("no %q in %v", key, s)
		}
	}
	if s["group_size"] != 32.0 || s["format"] != "llama2c" {
		t.Errorf("found %v", s)
	}
	good(t, "", "inspect", "-m", dst)
}

// TestConvertGroup: the inputs of the demo model (192 and 512) leave no groups of 128, which
// is said.
func TestConvertGroup(t *testing.T) {
	got := octet(t, "", "convert", demoDirectory(t), filepath.Join(t.TempDir(), "int8"), "--group-size", "128")
	if got.code != exitGood || !strings.Contains(got.stdout, "64 inputs share a scale (128 asked for)") {
		t.Errorf("found %+v", got)
	}
	if want := "octet: groups of 64 inputs, as 128 does not divide the inputs of every matrix\n"; got.stderr != want {
		t.Errorf("stderr %q, want %q", got.stderr, want)
	}
}

func TestConvertFails(t *testing.T) {
	src := demoDirectory(t)
	for _, test := range []struct {
		name string
		args []string
		code int
	}{
		{"no destination", []string{src}, exitUsage},
		{"three arguments", []string{src, "a", "b"}, exitUsage},
		{"group size", []string{src, "a", "--group-size", "48"}, exitUsage},
		{"format", []string{src, "a", "--format", "gguf"}, exitUsage},
		{"missing source", []string{src + "/missing", filepath.Join(t.TempDir(), "a")}, exitFailed},
		{"onto the source", []string{src, src, "--overwrite"}, exitFailed},
		{"llama2c with a file as its directory", []string{src, filepath.Join(src, "config.json", "a.bin"), "--format", "llama2c"}, exitFailed},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := octet(t, "", append([]string{"convert"}, test.args...)...)
			if got.code != test.code || got.stdout != "" {
				t.Errorf("found %+v, want exit code %d", got, test.code)
			}
		})
	}
}
