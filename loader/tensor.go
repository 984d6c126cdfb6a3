package loader

import "fmt"

// Tensor is a named array in the checkpoint.
type Tensor struct {
	Name  string
	DType DType
	Shape []int  // slowest dimension first; empty for a single value; not to be changed
	Data  []byte // little-endian, row-major; mapped read-only, valid until Checkpoint.Close
	File  string // the file it lies in, relative to the directory
}

// Len is the number of elements: the product of the shape. Data holds exactly
// Len()·DType.Size() bytes. They may start at any address: a safetensors header can
// have any length, so elements are to be read byte by byte (encoding/binary), not
// through a cast.
func (t Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// describe is the tensor's type and shape as messages write them: BF16 [2, 3].
func (t Tensor) describe() string { return t.DType.String() + " " + shapeString(t.Shape) }

// shapeString writes a shape as [2, 3].
func shapeString[T int | uint64](shape []T) string {
	s := "["
	for i, d := range shape {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprint(d)
	}
	return s + "]"
}

// DType is the type of a tensor's elements, called as safetensors calls it.
type DType uint8

// The element types that can be opened. The 8-bit floats and the sub-byte types of
// newer safetensors files are refused with ErrUnsupported.
const (
	F32  DType = iota
	BF16       // the upper 16 bits of an F32
	F16        // IEEE 754 half precision
	I8
	U8
	I16
	I32
	I64
	F64
	U16
	U32
	U64
	BOOL // one byte, 0 or 1
)

// dtypes lists name and size in bytes of each DType.
var dtypes = [...]struct {
	name string
	size int
}{
	F32: {"F32", 4}, BF16: {"BF16", 2}, F16: {"F16", 2},
	I8: {"I8", 1}, U8: {"U8", 1}, I16: {"I16", 2}, I32: {"I32", 4}, I64: {"I64", 8},
	F64: {"F64", 8}, U16: {"U16", 2}, U32: {"U32", 4}, U64: {"U64", 8}, BOOL: {"BOOL", 1},
}

// String returns the safetensors name: "BF16".
func (d DType) String() string {
	if int(d) < len(dtypes) {
		return dtypes[d].name
	}
	return fmt.Sprintf("DType(%d)", uint8(d))
}

// Size is the number of bytes of an element; 0 for a value that is no DType.
func (d DType) Size() int {
	if int(d) < len(dtypes) {
		return dtypes[d].size
	}
	return 0
}

// isFloat reports whether weights of this type are read as floats.
func (d DType) isFloat() bool { return d == F32 || d == BF16 || d == F16 }

// parseDType finds a type by its safetensors name.
func parseDType(name string) (DType, bool) {
	for d, t := range dtypes {
		if t.name == name {
			return DType(d), true
		}
	}
	return 0, false
}
