package convert

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
)

// tempPrefix begins the name of the temporary directory within the destination.
const tempPrefix = ".octet-"

// stage holds the files of the output until they are complete: they are created in a
// temporary directory on the same file system, and commit moves them to their places.
type stage struct {
	dir       string // where the files go
	temp      string // where they are until then
	last      string // the one that makes them a checkpoint
	overwrite bool
	whole     bool     // dir as a whole is the output, not one file in it
	made      []string // directories that were made, outermost first
	names     []string // files that were created
	open      []*os.File
	moved     []string // files that are in their places
	committed bool
}

// openStage prepares the destination dst, which is path without symbolic links.
func openStage(dst, path string, o Options) (s *stage, err error) {
	s = &stage{dir: path, last: configFile, overwrite: o.Overwrite, whole: true}
	if o.Format == Llama2C {
		s.dir, s.last, s.whole = filepath.Dir(path), filepath.Base(path), false
		err = checkFile(dst, path, o.Overwrite)
	} else {
		err = checkDirectory(dst, path, o.Overwrite)
	}
	if err != nil {
		return nil, err
	}
	if err := s.makeDirectories(); err != nil {
		s.abort()
		return nil, failed(dst, "create", err)
	}
	return s, nil
}

// checkDestination returns the path without symbolic links of a destination that is
// apart from the source at src ("" if it has no path).
func checkDestination(src, dst string) (path string, err error) {
	if dst == "" {
		return "", unusable("destination", "a path expected, found none")
	}
	if path, err = resolve(dst); err != nil {
		return "", failed(dst, "resolve", err)
	}
	return path, checkApart(src, dst, path)
}

// resolve returns the absolute path without symbolic links, as far as it exists.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		parent := filepath.Dir(path)
		if !errors.Is(err, fs.ErrNotExist) || parent == path {
			return "", err
		}
		if _, err := os.Lstat(path); err == nil {
			return "", fs.ErrNotExist // a link to nowhere
		}
		path, rest = parent, filepath.Join(filepath.Base(path), rest)
	}
}

// checkApart refuses a destination that is the source or lies within it, or around it.
func checkApart(src, dst, path string) error {
	if src == "" {
		return nil
	}
	source, err := resolve(src)
	if err != nil {
		return failed(src, "resolve", err)
	}
	if within(path, source) {
		return unusable(dst, "a place apart from the source expected, found one within %s", src)
	}
	if within(source, path) {
		return unusable(dst, "a place apart from the source expected, found one around %s", src)
	}
	return nil
}

// within reports whether outer exists and is path or a directory above it.
func within(path, outer string) bool {
	info, err := os.Stat(outer)
	if err != nil {
		return false
	}
	for {
		if other, err := os.Stat(path); err == nil && os.SameFile(info, other) {
			return true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}

// checkFile checks the path of a .bin file.
func checkFile(dst, path string, overwrite bool) error {
	if filepath.Ext(path) != ".bin" {
		return unusable(dst, "the name of a .bin file expected")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return failed(dst, "look", err)
	case !info.Mode().IsRegular():
		return unusable(dst, "the name of a .bin file expected, found %v", info.Mode().Type())
	case !overwrite:
		return unusable(dst, "exists already, and is not to be overwritten")
	}
	return nil
}

// checkDirectory checks the path of a directory.
func checkDirectory(dst, path string, overwrite bool) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return failed(dst, "look", err)
	}
	if !info.IsDir() {
		return unusable(dst, "a directory expected, found a file")
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return failed(dst, "read", err)
	}
	if len(entries) > 0 && !overwrite {
		return unusable(dst, "an empty directory expected, found %s in it", quote(entries[0].Name()))
	}
	return nil
}

// makeDirectories makes the destination's directory and the temporary one within it.
func (s *stage) makeDirectories() (err error) {
	if err := s.mkdir(s.dir); err != nil {
		return err
	}
	s.temp, err = os.MkdirTemp(s.dir, tempPrefix+"*")
	return err
}

// mkdir makes a directory and those above it, and remembers which were missing.
func (s *stage) mkdir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := s.mkdir(parent); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, 0o777)
	if err == nil {
		s.made = append(s.made, dir)
	}
	return err
}

// create makes a new file; commit or abort closes it.
func (s *stage) create(name string) (*os.File, error) {
	path := filepath.Join(s.temp, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, failed(name, "create", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, failed(name, "create", err)
	}
	s.names = append(s.names, name)
	s.open = append(s.open, f)
	return f, nil
}

// flush brings all files to the disk and closes them.
func (s *stage) flush(ctx context.Context) error {
	for i, f := range s.open {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return failed(s.names[i], "write", err)
		}
		if err := f.Close(); err != nil {
			return failed(s.names[i], "write", err)
		}
	}
	s.open = nil
	return nil
}

// commit moves the files to their places, the one that makes them a checkpoint last.
func (s *stage) commit(ctx context.Context) error {
	if err := s.flush(ctx); err != nil {
		return err
	}
	if err := s.clear(); err != nil {
		return err
	}
	for _, name := range s.names {
		if name == s.last {
			continue
		}
		if err := s.move(name); err != nil {
			return err
		}
	}
	if err := syncDir(s.dir); err != nil {
		return failed(s.dir, "write", err)
	}
	if err := s.move(s.last); err != nil {
		return err
	}
	if err := syncDir(s.dir); err != nil {
		return failed(s.dir, "write", err)
	}
	s.committed = true
	os.RemoveAll(s.temp) // empty by now
	return nil
}

// move brings one file to its place.
func (s *stage) move(name string) error {
	name = filepath.FromSlash(name)
	to := filepath.Join(s.dir, name)
	if err := s.mkdir(filepath.Dir(to)); err != nil {
		return failed(name, "create", err)
	}
	if err := os.Rename(filepath.Join(s.temp, name), to); err != nil {
		return failed(name, "rename", err)
	}
	s.moved = append(s.moved, to)
	return nil
}

// clear removes what a model that is overwritten has left: config.json first, so that
// it never looks complete, then its files that the new one might not have.
func (s *stage) clear() error {
	if !s.overwrite || !s.whole {
		return nil
	}
	if err := os.Remove(filepath.Join(s.dir, configFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed(configFile, "remove", err)
	}
	old, err := os.ReadDir(s.dir)
	if err != nil {
		return failed(s.dir, "read", err)
	}
	for _, e := range old {
		if !s.isStale(e) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.dir, e.Name())); err != nil {
			return failed(e.Name(), "remove", err)
		}
	}
	return nil
}

// isStale reports whether an entry of the destination belongs to another model, or to
// a convert that was killed.
func (s *stage) isStale(e fs.DirEntry) bool {
	name := e.Name()
	if e.IsDir() {
		killed := strings.HasPrefix(name, tempPrefix) && name != filepath.Base(s.temp)
		return killed || name == "additional_chat_templates"
	}
	return matches(name, stalePatterns) || matches(name, modelPatterns)
}

// abort removes all that was made, unless it was committed.
func (s *stage) abort() {
	for _, f := range s.open {
		f.Close()
	}
	if s.committed {
		return
	}
	for _, path := range slices.Backward(s.moved) {
		os.Remove(path)
	}
	if s.temp != "" {
		os.RemoveAll(s.temp)
	}
	for _, dir := range slices.Backward(s.made) {
		os.Remove(dir) // fails where something else is in it by now
	}
}

// syncDir brings the entries of a directory to the disk. Windows has no such thing.
func syncDir(dir string) error {
	if goruntime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
