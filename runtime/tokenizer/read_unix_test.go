//go:build unix

package tokenizer

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestLoadPipe(t *testing.T) {
	for _, name := range names {
		dir := t.TempDir()
		if err := unix.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(os.DirFS(dir)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := LoadFile(filepath.Join(dir, name)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s by path: %v", name, err)
		}
	}
}
