package main

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nlpodyssey/safetensors"

	"octet/runtime"
	"octet/testdata/demo"
)

// readTensors returns the float32 and int64 tensors of a safetensors file.
func readTensors(t *testing.T, path string) (safetensors.SafeTensors, func(name string) []float32) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := safetensors.Deserialize(b)
	if err != nil {
		t.Fatal(err)
	}
	return file, func(name string) []float32 {
		view, ok := file.Tensor(name)
		if !ok || view.DType() != safetensors.F32 {
			t.Fatalf("no float32 tensor %q", name)
		}
		out := make([]float32, len(view.Data())/4)
		for i := range out {
			out[i] = math.Float32frombits(binary.LittleEndian.Uint32(view.Data()[4*i:]))
		}
		return out
	}
}

// TestLogits compares the file with what Session.Eval gives.
func TestLogits(t *testing.T) {
	ids := []int{1, 30, 500, 2047, 0, 7}
	m, err := runtime.LoadFS(demo.FS, runtime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	want := map[string][]float32{}
	s := m.NewSession()
	s.OnHidden = func(layer, pos int, h []float32) {
		name := "hidden." + strconv.Itoa(layer)
		want[name] = append(want[name], h...)
	}
	logits, err := s.Eval(context.Background(), ids, len(ids))
	if err != nil {
		t.Fatal(err)
	}
	want["logits"] = logits

	out := filepath.Join(t.TempDir(), "out.safetensors")
	if stdout := good(t, "", "logits", "--ids", "1, 30,500 2047,0,7", "--hidden", "--out", out); stdout != "" {
		t.Errorf("stdout %q", stdout)
	}
	file, floats := readTensors(t, out)
	if file.Len() != 2+m.Config().NumLayers+1 {
		t.Errorf("tensors %q", file.Names())
	}
	for name, values := range want {
		view, _ := file.Tensor(name)
		if shape := []uint64{uint64(len(ids)), uint64(len(values) / len(ids))}; !slices.Equal(view.Shape(), shape) {
			t.Errorf("%s: shape %v, want %v", name, view.Shape(), shape)
		}
		if !slices.Equal(floats(name), values) {
			t.Errorf("%s differs from Session.Eval", name)
		}
	}
	checkIDs(t, file, ids)
	checkAlone(t, out)
}

func checkIDs(t *testing.T, file safetensors.SafeTensors, ids []int) {
	t.Helper()
	view, ok := file.Tensor("ids")
	if !ok || view.DType() != safetensors.I64 || !slices.Equal(view.Shape(), []uint64{uint64(len(ids))}) {
		t.Fatalf("ids: %+v", view)
	}
	for i, id := range ids {
		if got := binary.LittleEndian.Uint64(view.Data()[8*i:]); got != uint64(id) {
			t.Errorf("ids[%d] = %d, want %d", i, got, id)
		}
	}
}

// checkAlone checks that no temporary file is left beside path.
func checkAlone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%s is not alone: %v, %v", path, entries, err)
	}
}

// TestLogitsText: --text is --ids of what tokenize prints, and without --hidden there are
// two tensors.
func TestLogitsText(t *testing.T) {
	const text = "Once upon a time"
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	good(t, "", "logits", "--text", text, "--out", a)
	good(t, "", "logits", "--ids", strings.TrimSpace(good(t, text, "tokenize")), "--out", b)
	x, err1 := os.ReadFile(a)
	y, err2 := os.ReadFile(b)
	if err1 != nil || err2 != nil || !slices.Equal(x, y) {
		t.Errorf("the files differ: %v %v", err1, err2)
	}
	if file, _ := readTensors(t, a); file.Len() != 2 {
		t.Errorf("tensors %q", file.Names())
	}
}

// TestLogitsFlags checks that the flags reach the runtime: each changes the numbers.
func TestLogitsFlags(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]string{}
	for name, args := range map[string][]string{
		"float":      nil,
		"int16":      {"--quantize", "int8"},
		"group 32":   {"--quantize", "int8", "--group-size", "32"},
		"int8":       {"--quantize", "int8", "--activations", "int8"},
		"float acts": {"--quantize", "int8", "--activations", "float"},
	} {
		out := filepath.Join(dir, name)
		good(t, "", append([]string{"logits", "--ids", "5,6,7", "--out", out}, args...)...)
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if same, ok := seen[string(b)]; ok {
			t.Errorf("%s and %s give the same logits", name, same)
		}
		seen[string(b)] = name
	}
}

func TestLogitsFails(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"token outside the vocabulary", []string{"--ids", "2048", "--out", out}, exitFailed, "2048"},
		{"no number", []string{"--ids", "x", "--out", out}, exitUsage, `"x"`},
		{"no tokens", []string{"--ids", " ", "--out", out}, exitUsage, "no tokens"},
		{"prompt longer than the context", []string{"--ids", "1,2,3,4", "--context", "3", "--out", out}, exitFailed, "context"},
		{"no such directory", []string{"--ids", "1", "--out", filepath.Join(dir, "missing", "out")}, exitFailed, "no such file"},
		{"a directory", []string{"--ids", "1", "--out", dir}, exitFailed, "directory"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := octet(t, "", append([]string{"logits"}, test.args...)...)
			if got.code != test.code || !strings.Contains(got.stderr, test.want) {
				t.Errorf("exit code %d, stderr %q, want %d and %q", got.code, got.stderr, test.code, test.want)
			}
		})
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("files are left: %v, %v", entries, err)
	}
}
