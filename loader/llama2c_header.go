package loader

import "encoding/binary"

// binHeader is the header of a llama2.c file.
type binHeader struct {
	version   int
	size      int // bytes of the header
	dim       int
	hiddenDim int
	layers    int
	heads     int
	kvHeads   int
	vocab     int
	seqLen    int
	shared    bool // the classifier is the embedding
	group     int  // version 2: values that share a scale; otherwise 0
}

const (
	binMagic      = 0x616b3432 // "ak42"; versions 1 and up begin with it
	binHeader0    = 7 * 4      // bytes
	binHeader1    = 256        // bytes, padded
	binFields1    = 8          // offset of the sizes after magic and version
	binShared     = binFields1 + binHeader0
	binGroup      = binShared + 1
	maxBinVersion = 2
	maxBinSize    = 1 << 28 // of a size in the header
)

// headDim is the width of an attention head, once the header is checked.
func (h binHeader) headDim() int { return h.dim / h.heads }

// parseBinHeader reads and checks the header of a llama2.c file, of which b is all.
func parseBinHeader(file string, b []byte) (binHeader, error) {
	if len(b) < binHeader0 {
		return binHeader{}, damaged(file, "a llama2.c header of at least %d bytes expected, found %d", binHeader0, len(b))
	}
	var h binHeader
	var err error
	if binary.LittleEndian.Uint32(b) == binMagic {
		h, err = parseVersioned(file, b)
	} else {
		h, err = parseVersion0(file, b)
	}
	if err == nil {
		err = h.check(file)
	}
	return h, err
}

// parseVersion0 reads the header of a file without magic number. A negative
// vocabulary size says that the classifier has weights of its own.
func parseVersion0(file string, b []byte) (binHeader, error) {
	f := int32s(b)
	h := binHeader{size: binHeader0, shared: f[5] > 0}
	if f[5] < 0 {
		f[5] = -f[5]
	}
	return h, h.setSizes(file, f)
}

// parseVersioned reads the header of version 1 or 2.
func parseVersioned(file string, b []byte) (binHeader, error) {
	version := int32(binary.LittleEndian.Uint32(b[4:]))
	if version < 1 || version > maxBinVersion {
		return binHeader{}, unsupported(file, "header: llama2.c version 0, 1 or 2 expected, found %d", version)
	}
	if len(b) < binHeader1 {
		return binHeader{}, damaged(file, "a header of %d bytes expected, found %d", binHeader1, len(b))
	}
	h := binHeader{version: int(version), size: binHeader1, shared: b[binShared] == 1}
	if b[binShared] > 1 {
		return h, damaged(file, "header: shared classifier: 0 or 1 expected, found %d", b[binShared])
	}
	if version == 2 {
		group := int32(binary.LittleEndian.Uint32(b[binGroup:]))
		if group < 1 {
			return h, damaged(file, "header: a group size above 0 expected, found %d", group)
		}
		h.group = int(group)
	}
	return h, h.setSizes(file, int32s(b[binFields1:]))
}

// int32s reads the seven sizes; as int64, so that one can be negated.
func int32s(b []byte) (f [7]int64) {
	for i := range f {
		f[i] = int64(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return f
}

// setSizes takes the sizes in the order of the file.
func (h *binHeader) setSizes(file string, f [7]int64) error {
	fields := [7]struct {
		name string
		to   *int
	}{
		{"dim", &h.dim}, {"hidden_dim", &h.hiddenDim}, {"n_layers", &h.layers}, {"n_heads", &h.heads},
		{"n_kv_heads", &h.kvHeads}, {"vocab_size", &h.vocab}, {"seq_len", &h.seqLen},
	}
	for i, field := range fields {
		if f[i] < 1 || f[i] > maxBinSize {
			return damaged(file, "header: %s: a number from 1 to %d expected, found %d", field.name, maxBinSize, f[i])
		}
		*field.to = int(f[i])
	}
	return nil
}

// check checks the sizes against each other.
func (h binHeader) check(file string) error {
	switch {
	case h.layers > maxLayers:
		return damaged(file, "header: n_layers: at most %d expected, found %d", maxLayers, h.layers)
	case h.dim%h.heads != 0:
		return damaged(file, "header: dim: a multiple of n_heads = %d expected, found %d", h.heads, h.dim)
	case h.headDim()%2 != 0 || h.headDim() > maxHeadDim:
		return damaged(file, "header: dim / n_heads: an even number up to %d expected, found %d", maxHeadDim, h.headDim())
	case h.heads%h.kvHeads != 0:
		return damaged(file, "header: n_kv_heads: a divisor of n_heads = %d expected, found %d", h.heads, h.kvHeads)
	case h.group > 0 && (h.dim%h.group != 0 || h.hiddenDim%h.group != 0):
		return unsupported(file, "header: group size: a divisor of dim = %d and hidden_dim = %d expected, found %d (groups that cross rows)",
			h.dim, h.hiddenDim, h.group)
	}
	return nil
}
