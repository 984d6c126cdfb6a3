package convert

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
)

// stage holds the files of the output until they are complete: they are created in a
// temporary directory on the same file system, and commit moves them to their places.
type stage struct {
	dir       string     // where the files go
	temp      *workspace // where they are until then
	last      string     // the one that makes them a checkpoint
	overwrite bool
	whole     bool     // dir as a whole is the output, not one file in it
	made      []string // directories that were made, outermost first
	files     []*staged
	committed bool
}

// staged is a file of the output.
type staged struct {
	name  string
	file  *os.File    // until it is closed
	info  fs.FileInfo // tells it from another file in its place
	place string      // once it is there
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
	err = s.makeDirectories()
	if err == nil {
		return s, nil
	}
	s.abort()
	if errors.Is(err, errHeld) {
		return nil, unusable(dst, "another convert writes into it")
	}
	return nil, failed(dst, "create", err)
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

// checkDirectory checks the path of a directory. Temporary directories do not count as
// content: they are left over, or held by a convert that is met later.
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
	entries = slices.DeleteFunc(entries, isWorkspace)
	if len(entries) > 0 && !overwrite {
		return unusable(dst, "an empty directory expected, found %s in it", quote(entries[0].Name()))
	}
	return nil
}

// makeDirectories makes the destination's directory and the temporary one within it,
// whose name is the same for the same destination: only one convert can hold it.
func (s *stage) makeDirectories() (err error) {
	if err := s.mkdir(s.dir); err != nil {
		return err
	}
	name := s.last // several .bin files can be written in one directory
	if s.whole {
		name = "model"
	}
	if s.temp, err = openWorkspace(filepath.Join(s.dir, tempPrefix+name)); err != nil || !s.whole {
		return err
	}
	return sweep(s.dir)
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
	path := filepath.Join(s.temp.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, failed(name, "create", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, failed(name, "create", err)
	}
	x := &staged{name: name, file: f}
	s.files = append(s.files, x)
	if x.info, err = f.Stat(); err != nil {
		return nil, failed(name, "create", err)
	}
	return f, nil
}

// flush brings all files to the disk and closes them.
func (s *stage) flush(ctx context.Context) error {
	for _, x := range s.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := x.file.Sync(); err != nil {
			return failed(x.name, "write", err)
		}
		if err := x.file.Close(); err != nil {
			return failed(x.name, "write", err)
		}
	}
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
	if err := s.moveAll(func(name string) bool { return name != s.last }); err != nil {
		return err
	}
	if err := s.sync(); err != nil {
		return err
	}
	if err := s.moveAll(func(name string) bool { return name == s.last }); err != nil {
		return err
	}
	s.committed = true // the model is complete: an error from here on deletes nothing
	s.temp.remove()
	return s.sync()
}

// moveAll brings the files of some names to their places.
func (s *stage) moveAll(are func(name string) bool) error {
	for _, x := range s.files {
		if !are(x.name) {
			continue
		}
		if err := s.move(x); err != nil {
			return err
		}
	}
	return nil
}

// sync makes what was moved survive a loss of power.
func (s *stage) sync() error {
	if err := syncDir(s.dir); err != nil {
		return failed(s.dir, "write", err)
	}
	return nil
}

// move brings one file to its place. What has appeared there since that was looked at
// stays, without overwrite.
func (s *stage) move(x *staged) error {
	name := filepath.FromSlash(x.name)
	to := filepath.Join(s.dir, name)
	if err := s.mkdir(filepath.Dir(to)); err != nil {
		return failed(x.name, "create", err)
	}
	if _, err := os.Lstat(to); err == nil && !s.overwrite {
		return unusable(to, "exists already, and is not to be overwritten")
	}
	if err := os.Rename(filepath.Join(s.temp.path, name), to); err != nil {
		return failed(x.name, "rename", err)
	}
	x.place = to
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
		if !isStale(e) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.dir, e.Name())); err != nil {
			return failed(e.Name(), "remove", err)
		}
	}
	return nil
}

// isStale reports whether an entry of the destination belongs to another model.
func isStale(e fs.DirEntry) bool {
	name := e.Name()
	if e.IsDir() {
		return name == "additional_chat_templates"
	}
	return matches(name, stalePatterns) || matches(name, modelPatterns)
}

// abort removes all that was made, unless it was committed.
func (s *stage) abort() {
	for _, x := range s.files {
		x.file.Close()
	}
	if s.committed {
		return
	}
	for _, x := range slices.Backward(s.files) {
		if there, err := os.Lstat(x.place); err == nil && os.SameFile(x.info, there) {
			os.Remove(x.place)
		}
	}
	if s.temp != nil {
		s.temp.remove()
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
