package convert

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nlpodyssey/safetensors"
)

// tensor is an array in the output.
type tensor struct {
	name  string
	dtype safetensors.DType
	shape []int
	set   func(place) // told where its data go
}

func (t *tensor) bytes() int64 {
	n := int64(t.dtype.Size())
	for _, d := range t.shape {
		n *= int64(d)
	}
	return n
}

// unit is tensors of the output that stay in one file, and the jobs that make them.
type unit struct {
	jobs    []*job
	tensors []*tensor
}

func (u *unit) bytes() (n int64) {
	for _, t := range u.tensors {
		n += t.bytes()
	}
	return n
}

// splitShards divides units, in order, into files of at most limit bytes; a unit that
// is larger gets a file of its own.
func splitShards(units []*unit, limit int64) [][]*unit {
	var shards [][]*unit
	var size int64
	for i, u := range units {
		n := u.bytes()
		if i == 0 || size+n > limit {
			shards = append(shards, nil)
			size = 0
		}
		last := len(shards) - 1
		shards[last] = append(shards[last], u)
		size += n
	}
	return shards
}

// shardName is the name of file i of n.
func shardName(i, n int) string {
	if n == 1 {
		return weightsFile
	}
	return fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, n)
}

// lineSize is the alignment of the data in the file, that of a cache line: mapped
// weights are read as they lie.
const lineSize = 64

// newTarget lays out a safetensors file that holds the tensors of the units, and tells
// them their places.
//
// Tensors that fill whole lines come first and in order, so that all matrices begin on
// a line; the others follow by size of element, descending, so that each of those is
// aligned to its own elements. (The writer of package safetensors would sort by type
// alone: weights off their lines, and F32 scales before the values they come with.)
func newTarget(name string, units []*unit) (*target, error) {
	var tensors []*tensor
	for _, u := range units {
		tensors = append(tensors, u.tensors...)
	}
	slices.SortStableFunc(tensors, func(a, b *tensor) int {
		return cmp.Compare(b.rank(), a.rank())
	})
	header, err := safetensorsHeader(tensors)
	if err != nil {
		return nil, err
	}
	t := &target{name: name, header: header, size: int64(len(header))}
	for _, x := range tensors {
		x.set(place{t, t.size})
		t.size += x.bytes()
	}
	return t, nil
}

// rank is the alignment that a tensor keeps for those after it.
func (t *tensor) rank() uint64 {
	if t.bytes()%lineSize == 0 {
		return lineSize
	}
	return t.dtype.Size()
}

// safetensorsHeader describes tensors that follow one another. Spaces at its end, which
// the format allows, bring the data to a line.
func safetensorsHeader(tensors []*tensor) ([]byte, error) {
	entries := map[string]any{
		// transformers reads a file only if it says which framework made it.
		"__metadata__": map[string]string{"format": "pt"},
	}
	var at uint64
	for _, t := range tensors {
		n := uint64(t.bytes())
		entries[t.name] = safetensors.TensorInfo{
			DType: t.dtype, Shape: dims(t.shape), DataOffsets: [2]uint64{at, at + n},
		}
		at += n
	}
	text, err := json.Marshal(entries)
	if err != nil {
		return nil, fmt.Errorf("convert: header: %w", err)
	}
	for (8+len(text))%lineSize != 0 {
		text = append(text, ' ')
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), nil
}

func dims(shape []int) []uint64 {
	d := make([]uint64, len(shape))
	for i, n := range shape {
		d[i] = uint64(n)
	}
	return d
}

// indexJSON is model.safetensors.index.json for the shards.
func indexJSON(targets []*target, shards [][]*unit) ([]byte, error) {
	var index struct {
		Metadata struct {
			TotalSize int64 `json:"total_size"`
		} `json:"metadata"`
		WeightMap map[string]string `json:"weight_map"`
	}
	index.WeightMap = make(map[string]string)
	for i, units := range shards {
		for _, u := range units {
			index.Metadata.TotalSize += u.bytes()
			for _, t := range u.tensors {
				index.WeightMap[t.name] = targets[i].name
			}
		}
	}
	b, err := json.MarshalIndent(index, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("convert: %s: %w", indexFile, err)
	}
	return append(b, '\n'), nil
}
