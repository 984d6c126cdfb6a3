package convert

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
)

const (
	// tempPrefix begins the names of temporary directories within a destination.
	tempPrefix = ".octet-"
	// lockName is the file in each that the convert it belongs to keeps locked.
	lockName = "lock"
	// maxTries bounds how often a directory may vanish that is to be taken.
	maxTries = 100
)

// errHeld says that another convert, of this process or another, holds a workspace.
var errHeld = errors.New("held by another convert")

// workspace is a temporary directory that one convert holds. The system lets go of the
// lock when the process ends, however it ends: a directory without a lock is a leftover.
type workspace struct {
	path string
	lock *os.File
}

// openWorkspace makes the directory at path, or takes over what a convert that was
// killed has left there; errHeld if that one still runs.
func openWorkspace(path string) (*workspace, error) {
	for range maxTries {
		if err := os.Mkdir(path, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		w, err := holdWorkspace(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return w, err
		}
		// its last holder has just removed it
	}
	return nil, errHeld
}

// holdWorkspace locks the directory at path and empties it; fs.ErrNotExist where it is
// gone by then.
func holdWorkspace(path string) (*workspace, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errors.New("a directory expected, found a file at " + filepath.Base(path))
	}
	name := filepath.Join(path, lockName)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err = lockFile(f); err == nil && !isNamed(f, name) {
		err = fs.ErrNotExist
	}
	w := &workspace{path, f}
	if err == nil {
		err = w.empty()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return w, nil
}

// isNamed reports whether f is the file of that name: the one who held its lock before
// may have removed it.
func isNamed(f *os.File, name string) bool {
	own, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(own, there)
}

// empty removes all but the lock.
func (w *workspace) empty() error {
	entries, err := os.ReadDir(w.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == lockName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(w.path, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the directory and lets go of it. The lock file goes last of all files:
// where another convert takes the directory from then on, removing it fails.
func (w *workspace) remove() {
	w.empty()
	if goruntime.GOOS == "windows" {
		w.lock.Close() // an open file cannot be removed there
	}
	os.Remove(filepath.Join(w.path, lockName))
	os.Remove(w.path)
	w.lock.Close()
}

// isWorkspace reports whether an entry of a destination is a temporary directory.
func isWorkspace(e fs.DirEntry) bool {
	return e.IsDir() && strings.HasPrefix(e.Name(), tempPrefix)
}

// sweep removes the workspaces in dir that nobody holds.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !isWorkspace(e) {
			continue
		}
		w, err := holdWorkspace(filepath.Join(dir, e.Name()))
		switch {
		case err == nil:
			w.remove()
		case !errors.Is(err, errHeld) && !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}
