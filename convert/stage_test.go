package convert

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSourceIsUntouched(t *testing.T) {
	src := newModel(64).save(t)
	before := contents(t, src)
	run(t, src, t.TempDir(), Options{})
	if !maps.Equal(before, contents(t, src)) {
		t.Error("the source has changed")
	}
}

// A destination that is the source, or that one of them lies in, is refused, by whatever
// name, with Overwrite too.
func TestDestinationApart(t *testing.T) {
	parent := t.TempDir()
	src := filepath.Join(parent, "src")
	if err := os.Rename(newModel(64).save(t), src); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(parent, "link")
	if err := os.Symlink(src, link); err != nil {
		t.Fatal(err)
	}
	before := contents(t, parent)
	for _, test := range []struct{ src, dst, text string }{
		{src, src, "within"},
		{src, src + "/.", "within"},
		{src, link, "within"},
		{link, src, "within"},
		{src, filepath.Join(src, "int8"), "within"},
		{src, filepath.Join(link, "a", "b"), "within"},
		{src, filepath.Join(src, "..", "src"), "within"},
		{src, parent, "around"},
		{link, parent, "around"},
	} {
		for _, overwrite := range []bool{false, true} {
			_, err := Run(context.Background(), test.src, test.dst, Options{Overwrite: overwrite})
			checkError(t, err, ErrDestination, test.text)
		}
	}
	_, err := Run(context.Background(), src, filepath.Join(src, "out.bin"), Options{Format: Llama2C})
	checkError(t, err, ErrDestination, "within")
	if !maps.Equal(before, contents(t, parent)) {
		t.Error("files have changed")
	}
}

func TestDestinationInUse(t *testing.T) {
	src := newModel(64).save(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "used", "notes.txt"), "mine")
	writeFile(t, filepath.Join(dir, "file"), "mine")
	writeFile(t, filepath.Join(dir, "model.bin"), "mine")
	writeFile(t, filepath.Join(dir, "other", "tokenizer.bin"), "mine")
	if err := os.Mkdir(filepath.Join(dir, "dir.bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	for _, test := range []struct {
		dst    string
		format Format
		text   string
	}{
		{"", PackQuantized, "a path expected"},
		{filepath.Join(dir, "used"), PackQuantized, `an empty directory expected, found "notes.txt" in it`},
		{filepath.Join(dir, "file"), PackQuantized, "a directory expected, found a file"},
		{filepath.Join(dir, "model.bin"), Llama2C, "exists already"},
		{filepath.Join(dir, "dir.bin"), Llama2C, "found d"},
		{filepath.Join(dir, "model"), Llama2C, "the name of a .bin file expected"},
	} {
		_, err := Run(context.Background(), src, test.dst, Options{Format: test.format})
		checkError(t, err, ErrDestination, test.text)
	}
	bin := "../testdata/llama2c/llama2c_shared/model_v0.bin"
	_, err := Run(context.Background(), bin, filepath.Join(dir, "other", "m.bin"), Options{Format: Llama2C})
	checkError(t, err, ErrDestination, "tokenizer.bin: exists already")
	if _, err = Run(context.Background(), src, filepath.Join(dir, "file", "x"), Options{}); err == nil {
		t.Error("a directory within a file is accepted")
	}
	if !maps.Equal(before, contents(t, dir)) {
		t.Error("files have changed")
	}
}

// Overwrite replaces another model and what a killed convert has left, and nothing else.
func TestOverwrite(t *testing.T) {
	dst := t.TempDir()
	run(t, "../testdata/demo", dst, Options{MaxShardBytes: 1_000_000})
	writeFile(t, filepath.Join(dst, "notes.txt"), "mine")
	writeFile(t, filepath.Join(dst, "plots", "a.svg"), "mine")
	writeFile(t, filepath.Join(dst, tempPrefix+"1", "model.safetensors"), "half")
	writeFile(t, filepath.Join(dst, "additional_chat_templates", "a.jinja"), "old")
	fresh := t.TempDir()
	src := newModel(64).save(t)
	run(t, src, fresh, Options{})
	run(t, src, dst, Options{Overwrite: true})
	want := contents(t, fresh)
	want["notes.txt"], want["plots/a.svg"] = "mine", "mine"
	if got := contents(t, dst); !maps.Equal(got, want) {
		t.Errorf("files %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// A convert that fails early or late leaves the model that it was to overwrite.
func TestFailedOverwrite(t *testing.T) {
	dst := t.TempDir()
	run(t, "../testdata/demo", dst, Options{})
	before := contents(t, dst)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Run(ctx, newModel(64).save(t), dst, Options{Overwrite: true, Progress: func(int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if !maps.Equal(before, contents(t, dst)) {
		t.Error("the model that was there has changed")
	}
}

// Wherever a convert is cancelled, it leaves nothing.
func TestCancel(t *testing.T) {
	for _, share := range []float64{0, 0.001, 0.5, 1} {
		for name, o := range map[string]Options{
			"out":     {},
			"out.bin": {Format: Llama2C},
		} {
			parent := t.TempDir()
			ctx, cancel := context.WithCancel(context.Background())
			if share == 0 {
				cancel()
			}
			o.Progress = func(done, total int64) {
				if float64(done) >= share*float64(total) {
					cancel()
				}
			}
			_, err := Run(ctx, "../testdata/demo", filepath.Join(parent, "new", name), o)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s cancelled at %g: error %v", name, share, err)
			}
			if left := entries(t, parent); len(left) > 0 {
				t.Errorf("%s cancelled at %g leaves %v", name, share, left)
			}
			cancel()
		}
	}
}

// A directory that was there already stays, and empty.
func TestCancelKeepsDirectory(t *testing.T) {
	parent := t.TempDir()
	dst := filepath.Join(parent, "out")
	if err := os.Mkdir(dst, 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, "../testdata/demo", dst, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if left := entries(t, parent); !slices.Equal(left, []string{"out"}) || len(entries(t, dst)) > 0 {
		t.Errorf("left: %v, %v", left, entries(t, dst))
	}
}
