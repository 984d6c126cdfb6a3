package loader

import (
	"io/fs"
)

// Format says how a checkpoint lies on disk.
type Format uint8

const (
	HuggingFace Format = iota // a directory with config.json and safetensors files
	Llama2C                   // a llama2.c .bin file, version 0, 1 or 2
)

// Checkpoint is an open model: its configuration and its tensors, which lie
// mapped in memory until Close. It is immutable and safe for concurrent use.
type Checkpoint struct {
	Path       string // as given to Open; "" after OpenFS
	Format     Format
	Config     Config
	Generation Generation
	// unexported: fsys, tensors by name, mappings
}

// Open opens the model at path: a Hugging Face directory (float, or
// compressed-tensors int8), or a llama2.c .bin file.
func Open(path string) (*Checkpoint, error) { panic("loader") }

// OpenFS opens the Hugging Face directory at the root of fsys, an embed.FS for example.
func OpenFS(fsys fs.FS) (*Checkpoint, error) { panic("loader") }

// FS is the directory that holds the checkpoint (for a .bin file the directory beside
// it), with the tokenizer and chat template files.
func (c *Checkpoint) FS() fs.FS { panic("loader") }

// Names returns the names of all tensors, sorted.
func (c *Checkpoint) Names() []string { panic("loader") }

// Tensor returns the tensor called name, or an error that wraps ErrMissingTensor.
func (c *Checkpoint) Tensor(name string) (Tensor, error) { panic("loader") }

// Weight returns the weight [rows, cols] of the linear layer or embedding called name
// (without ".weight"), float or int8 as it is stored. It checks dtype and shape of each
// tensor that belongs to it.
func (c *Checkpoint) Weight(name string, rows, cols int) (Weight, error) { panic("loader") }

// Close unmaps the tensors. No Tensor may be used after it.
func (c *Checkpoint) Close() error { panic("loader") }

// Tensor is a named array in the checkpoint.
type Tensor struct {
	Name  string
	DType DType
	Shape []int  // slowest dimension first
	Data  []byte // little-endian, row-major; mapped read-only, valid until Checkpoint.Close
	File  string // the file it lies in, relative to the directory
}

// DType is the type of a tensor's elements.
type DType uint8

const (
	F32 DType = iota
	BF16
	F16
	I8
	U8
	I16
	I32
	I64 // and the others that safetensors knows, by their safetensors names (String)
)

// Weight is a matrix as a checkpoint stores it.
type Weight struct {
	Name       string
	Rows, Cols int
	// Group is the number of consecutive inputs that share a scale; Cols for one scale
	// a row (strategy channel); 0 for a float weight.
	Group int
	// Values holds F32, BF16 or F16 [Rows, Cols] for a float weight, otherwise one byte
	// a value: I8 (q), or I32 [Rows, Cols/4] whose bytes are q+128 in column order.
	Values Tensor
	Scales Tensor // F32, BF16 or F16 [Rows, Cols/Group]; zero for a float weight
}
