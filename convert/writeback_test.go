package convert

import (
	"os"
	"path/filepath"
	"runtime"
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
	w.end(true)
	want := []request{{files[0], 100, 2 * half}, {files[0], 50 + 2*half, 60}, {files[1], 7, 3}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestWritebackEndsEarly: a convert that failed does not wait until the disk has all of what
// will be removed.
func TestWritebackEndsEarly(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	begun, proceed := make(chan bool, 6), make(chan bool)
	count := 0
	w := startWriteback(func(request) {
		count++
		begun <- true
		<-proceed
	})
	for i := range int64(5) {
		w.wrote(f, i*writebackBytes, writebackBytes)
	}
	w.wrote(f, 5*writebackBytes, 1)
	<-begun
	ended := make(chan bool)
	go func() {
		w.end(false)
		close(ended)
	}()
	for len(w.requests) > 0 {
		runtime.Gosched()
	}
	close(proceed)
	<-ended
	if count != 1 {
		t.Errorf("%d requests, want the one that was begun", count)
	}
}
