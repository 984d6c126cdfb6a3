package convert

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// formats are the names of destinations and the options that go with them.
var formats = map[string]Options{"out": {}, "out.bin": {Format: Llama2C}}

// While a convert writes, another one into the same destination is refused, and takes
// nothing from the first.
func TestSecondConvertIsRefused(t *testing.T) {
	src := newModel(64).save(t)
	for name, o := range formats {
		fresh, dst := filepath.Join(t.TempDir(), name), filepath.Join(t.TempDir(), name)
		run(t, src, fresh, o)
		first := o
		first.Progress = func(int64, int64) {
			for _, overwrite := range []bool{false, true} {
				second := o
				second.Overwrite = overwrite || first.Overwrite // files that are there are another reason
				_, err := Run(context.Background(), src, dst, second)
				checkError(t, err, ErrDestination, dst+": another convert writes into it")
			}
		}
		for _, first.Overwrite = range []bool{false, true} {
			run(t, src, dst, first)
			if !maps.Equal(contents(t, filepath.Dir(dst)), contents(t, filepath.Dir(fresh))) {
				t.Errorf("files %v", entries(t, filepath.Dir(dst)))
			}
		}
	}
}

// However many converts there are at once, one is done, and the model is whole.
func TestConvertsAtOnce(t *testing.T) {
	src := newModel(64).save(t)
	for name, o := range formats {
		fresh, dst := filepath.Join(t.TempDir(), name), filepath.Join(t.TempDir(), name)
		run(t, src, fresh, o)
		run(t, src, dst, o)
		o.Overwrite = true
		errs := make([]error, 8)
		var group sync.WaitGroup
		for i := range errs {
			group.Go(func() { _, errs[i] = Run(context.Background(), src, dst, o) })
		}
		group.Wait()
		for _, err := range errs {
			if err != nil {
				checkError(t, err, ErrDestination, "another convert writes into it")
			}
		}
		if !slices.Contains(errs, nil) {
			t.Error("none is done")
		}
		if !maps.Equal(contents(t, filepath.Dir(dst)), contents(t, filepath.Dir(fresh))) {
			t.Errorf("files %v", entries(t, filepath.Dir(dst)))
		}
	}
}

// Files in one directory are different destinations.
func TestBinsAtOnce(t *testing.T) {
	src, dir := newModel(64).save(t), t.TempDir()
	o := Options{Format: Llama2C}
	o.Progress = func(done, total int64) {
		if done == total {
			if _, err := Run(context.Background(), src, filepath.Join(dir, "b.bin"), Options{Format: Llama2C}); err != nil {
				t.Error(err)
			}
		}
	}
	run(t, src, filepath.Join(dir, "a.bin"), o)
	if got := entries(t, dir); !slices.Equal(got, []string{"a.bin", "b.bin"}) {
		t.Errorf("files %v", got)
	}
}

// What a killed convert has left neither counts as content nor stays.
func TestLeftovers(t *testing.T) {
	src := newModel(64).save(t)
	for name, o := range formats {
		fresh, dst := filepath.Join(t.TempDir(), name), filepath.Join(t.TempDir(), name)
		run(t, src, fresh, o)
		left := []string{filepath.Join(dst, tempPrefix+"model"), filepath.Join(dst, tempPrefix+"123")}
		if o.Format == Llama2C {
			left = []string{filepath.Join(filepath.Dir(dst), tempPrefix+name)}
		}
		for _, dir := range left {
			writeFile(t, filepath.Join(dir, lockName), "")
			writeFile(t, filepath.Join(dir, weightsFile), "half")
			writeFile(t, filepath.Join(dir, "additional_chat_templates", "a.jinja"), "half")
		}
		run(t, src, dst, o)
		if !maps.Equal(contents(t, filepath.Dir(dst)), contents(t, filepath.Dir(fresh))) {
			t.Errorf("%s: files %v", name, slices.Sorted(maps.Keys(contents(t, filepath.Dir(dst)))))
		}
	}
}

// A file or a link in the place of the temporary directory or its lock is no leftover.
func TestForeignWorkspace(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, tempPrefix+"model")
	writeFile(t, path, "mine")
	if w, err := openWorkspace(path); w != nil || err == nil {
		t.Errorf("a file is taken: %v", err)
	}
	writeFile(t, filepath.Join(parent, "dir", "notes.txt"), "mine")
	link := filepath.Join(parent, tempPrefix+"link")
	if err := os.Symlink(filepath.Join(parent, "dir"), link); err != nil {
		t.Fatal(err)
	}
	if w, err := openWorkspace(link); w != nil || err == nil {
		t.Errorf("a link is taken: %v", err)
	}
	locked := filepath.Join(parent, "locked")
	writeFile(t, filepath.Join(locked, "notes.txt"), "mine")
	if err := os.Symlink(path, filepath.Join(locked, lockName)); err != nil {
		t.Fatal(err)
	}
	if w, err := openWorkspace(locked); w != nil || err == nil {
		t.Errorf("a link as lock is taken: %v", err)
	}
	for name, text := range contents(t, parent) {
		if text != "mine" {
			t.Errorf("%s is now %q", name, text)
		}
	}
}

// An aborted stage takes away its own files, not those that others have put in their
// places; and without Overwrite it puts none in the place of another.
func TestAbortKeepsOthers(t *testing.T) {
	dir := t.TempDir()
	s, err := openStage(dir, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"own", "replaced", "taken"} {
		if _, err := s.create(name); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(dir, "taken"), "mine")
	err = s.commit(context.Background())
	checkError(t, err, ErrDestination, "taken: exists already")
	other := filepath.Join(t.TempDir(), "other")
	writeFile(t, other, "mine")
	if err := os.Rename(other, filepath.Join(dir, "replaced")); err != nil {
		t.Fatal(err)
	}
	s.abort()
	if got, want := contents(t, dir), map[string]string{"replaced": "mine", "taken": "mine"}; !maps.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}
