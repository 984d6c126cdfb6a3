package loader

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Format says how a checkpoint lies on disk.
type Format uint8

const (
	HuggingFace Format = iota // a directory with config.json and safetensors files
	Llama2C                   // a llama2.c .bin file, version 0, 1 or 2
)

// String names the format in words.
func (f Format) String() string {
	if f == Llama2C {
		return "llama2.c"
	}
	return "Hugging Face"
}

// Checkpoint is an open model: its configuration and its tensors, which lie
// mapped in memory until Close. It is immutable and safe for concurrent use.
type Checkpoint struct {
	Path       string // as given to Open; "" after OpenFS
	Format     Format
	Config     Config
	Generation Generation

	fsys    fs.FS
	tensors map[string]Tensor
	names   []string // of all tensors, sorted
	ignored ignoreList
	mapped  []*mapping
}

// Open opens the model at path: a Hugging Face directory (float, or
// compressed-tensors int8), or a llama2.c .bin file.
//
// Nothing but headers is read: opening takes milliseconds, whatever the size. The
// tensors are checked for type, shape and place, not their values.
func Open(path string) (*Checkpoint, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unread(path, err)
	}
	c := &Checkpoint{Path: path}
	switch {
	case info.IsDir():
		c.fsys = os.DirFS(path)
		err = c.openDirectory(diskFiles(path))
	case info.Mode().IsRegular():
		c.fsys = os.DirFS(filepath.Dir(path))
		err = c.openBin(path)
	default:
		err = unsupported(path, "a directory or a file expected, found %v", info.Mode().Type())
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// OpenFS opens the Hugging Face directory at the root of fsys, an embed.FS for example.
// Its files are read into memory as a whole.
func OpenFS(fsys fs.FS) (*Checkpoint, error) {
	c := &Checkpoint{fsys: fsys}
	if err := c.openDirectory(fsFiles{fsys}); err != nil {
		return nil, err
	}
	return c, nil
}

// FS is the directory that holds the checkpoint (for a .bin file the directory beside
// it), with the tokenizer and chat template files.
func (c *Checkpoint) FS() fs.FS { return c.fsys }

// Names returns the names of all tensors, sorted.
func (c *Checkpoint) Names() []string { return slices.Clone(c.names) }

// Tensor returns the tensor called name, or an error that wraps ErrMissingTensor.
func (c *Checkpoint) Tensor(name string) (Tensor, error) {
	t, ok := c.tensors[name]
	if !ok {
		return Tensor{}, newFault(ErrMissingTensor, c.label(), "no tensor %s among the %d there",
			[]any{quote(name), len(c.names)})
	}
	return t, nil
}

// Close unmaps the tensors. No Tensor may be used after it, by any goroutine: its
// memory is gone, and reading it ends the program.
func (c *Checkpoint) Close() error {
	var first error
	for _, m := range c.mapped {
		if err := m.close(); err != nil && first == nil {
			first = err
		}
	}
	c.mapped, c.tensors, c.names = nil, nil, nil
	return first
}

// label names the checkpoint in messages.
func (c *Checkpoint) label() string {
	if c.Path == "" {
		return "model"
	}
	return filepath.Base(c.Path)
}

// add makes tensors part of the checkpoint; no name may come twice.
func (c *Checkpoint) add(tensors []Tensor) error {
	if c.tensors == nil {
		c.tensors = make(map[string]Tensor, len(tensors))
	}
	for _, t := range tensors {
		if old, ok := c.tensors[t.Name]; ok {
			return damaged(t.File, "tensor %s is in %s too", quote(t.Name), old.File)
		}
		c.tensors[t.Name] = t
	}
	return nil
}

// seal sorts the names once all tensors are there.
func (c *Checkpoint) seal() {
	c.names = make([]string, 0, len(c.tensors))
	for name := range c.tensors {
		c.names = append(c.names, name)
	}
	slices.Sort(c.names)
}
