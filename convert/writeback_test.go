package convert

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestWritebackAsksForAll: what was written is asked for once, in parts that are large.
func TestWritebackAsksForAll(t *testing.T) {
	var files [2]*os.File
	for i, name := range []string{"a", "b"} {
		f, err := os.Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	var got []request
	w := startWriteback(func(r request) { got = append(got, r) })
	const half = writebackBytes / 2
	w.wrote(files[0], 100, half)
	w.wrote(files[0], 100+half, half)
	w.wrote(files[0], 100+2*half, 10)
	w.wrote(files[0], 50+2*half, 10) // a little behind, as scales are
	w.wrote(files[1], 7, 3)
	w.end()
	want := []request{{files[0], 100, 2 * half}, {files[0], 50 + 2*half, 60}, {files[1], 7, 3}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
