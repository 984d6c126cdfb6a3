//go:build unix

package loader

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A link in the place of a file is followed: the cache of the hub is made of them.
func TestLinkedFiles(t *testing.T) {
	source, err := filepath.Abs("../testdata/models/llama")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{configFile, weightsFile} {
		if err := os.Symlink(filepath.Join(source, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	checkLinears(t, open(t, dir))
}

// A pipe in the place of a file is refused, not waited for.
func TestPipes(t *testing.T) {
	for _, name := range []string{configFile, weightsFile, generationFile} {
		dir := modelDir(t, map[string]string{configFile: smallConfig, weightsFile: shard("a")})
		path := filepath.Join(dir, name)
		os.Remove(path)
		if err := unix.Mkfifo(path, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir)
		checkError(t, err, nil, name+": a regular file expected, found p")
		_, err = Open(path)
		checkError(t, err, ErrUnsupported, "a directory or a file expected, found p")
	}
}
