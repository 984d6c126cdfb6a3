package quant

import (
	"fmt"
	"math"
)

// Activations says how a product with an int8 matrix treats its inputs.
type Activations uint8

// The treatments of activations.
const (
	Int16 Activations = iota // two signed bytes a value: the default
	Int8                     // one signed byte
	Float                    // weights dequantized, float32 product: the reference
)

// String returns the mode's name as the command line spells it.
func (a Activations) String() string {
	switch a {
	case Int16:
		return "int16"
	case Int8:
		return "int8"
	case Float:
		return "float"
	}
	return fmt.Sprintf("Activations(%d)", uint8(a))
}

// limit is the largest |xq|. For Int16 it is 255·127 + 127, what two signed bytes carry.
func (a Activations) limit() float32 {
	if a == Int8 {
		return 127
	}
	return 32512
}

// Input is a batch of activations on the way into linear layers: several matrices can
// take the same Input, and it is quantized once per group size. It holds the scratch of
// products too. It is for one goroutine.
type Input struct {
	mode    Activations
	n, cols int
	x       []float32 // [n, cols], the caller's
	forms   []*tokens // one for each group size seen

	quantize quantizeTask
	groups   groupTask
	float    floatTask
}

// NewInput returns an empty Input.
func NewInput(mode Activations) *Input { return &Input{mode: mode} }

// Set makes x [n, cols] the input; x is kept, and must not change, until the next Set.
func (in *Input) Set(x []float32, n, cols int) {
	if n < 0 || cols < 1 || len(x) < n*cols {
		panic(fmt.Sprintf("quant: input [%d, %d] of %d values", n, cols, len(x)))
	}
	in.n, in.cols, in.x = n, cols, x[:n*cols]
	for _, t := range in.forms {
		t.ready = false
	}
}

// quantized returns the input in groups of the size, as kernel k reads it.
func (in *Input) quantized(p *Pool, k *kernel, group int) *tokens {
	t := in.form(group)
	if t.ready && t.kernel == k {
		return t
	}
	t.reset(k, in.n, in.cols)
	in.quantize = quantizeTask{to: t, x: in.x, limit: in.mode.limit()}
	p.Run(in.n*t.groups, quantizeChunk(group), &in.quantize)
	in.quantize = quantizeTask{}
	t.ready = true
	return t
}

// form finds or adds the tokens of a group size.
func (in *Input) form(group int) *tokens {
	for _, t := range in.forms {
		if t.group == group {
			return t
		}
	}
	t := &tokens{group: group}
	in.forms = append(in.forms, t)
	return t
}

// tokens is a batch of activations quantized in groups.
type tokens struct {
	group   int
	n, cols int
	groups  int       // cols/group
	xq      []int16   // [n, cols]
	sums    []int32   // [n, groups], Σ xq
	scales  []float32 // [n, groups], sx
	packed  []uint64  // [n, groups, kernel.words(group)], as the kernel reads them
	words   int
	kernel  *kernel
	ready   bool
}

// reset makes room for n tokens of cols inputs.
func (t *tokens) reset(k *kernel, n, cols int) {
	t.n, t.cols, t.groups = n, cols, cols/t.group
	t.kernel, t.words = k, k.words(t.group)
	t.xq = grow(t.xq, n*cols)
	t.sums = grow(t.sums, n*t.groups)
	t.scales = grow(t.scales, n*t.groups)
	t.packed = grow(t.packed, n*t.groups*t.words)
	t.ready = false
}

// quantizeTask quantizes activations. Items are groups.
type quantizeTask struct {
	to    *tokens
	x     []float32 // [n, cols]
	limit float32
}

// quantizeChunk is the number of groups in a chunk: about 8192 values.
func quantizeChunk(group int) int { return (1<<13 + group - 1) / group }

// Do implements Task.
func (q *quantizeTask) Do(_, lo, hi int) {
	t := q.to
	for g := lo; g < hi; g++ {
		xq := t.xq[g*t.group:][:t.group]
		t.scales[g], t.sums[g] = quantizeGroup(xq, q.x[g*t.group:][:t.group], q.limit)
		t.kernel.pack(t.packed[g*t.words:][:t.words], xq)
	}
}

const (
	signMask  = 1<<31 - 1
	infBits   = 0x7f800000
	minNormal = 0x1p-126
	// roundMagic is 1.5·2²³: adding and subtracting it rounds |v| < 2²² to an integer,
	// half to even.
	roundMagic = 12582912
)

// quantizeGroup sets xq to round_half_even(x/scale), scale = max|x|/limit, and returns the
// scale and the sum of xq. What is below the normal numbers counts as zero, what is not
// finite makes the scale NaN: see the package's documentation.
func quantizeGroup(xq []int16, x []float32, limit float32) (scale float32, sum int32) {
	largest := maxBits(x)
	scale = math.Float32frombits(largest) / limit
	if largest >= infBits {
		clear(xq)
		return float32(math.NaN()), 0
	}
	if scale < minNormal {
		clear(xq)
		return 0, 0
	}
	x = x[:len(xq)]
	for i := range xq {
		v := int32((x[i]/scale + roundMagic) - roundMagic)
		xq[i] = int16(v)
		sum += v
	}
	return scale, sum
}

// maxBits returns the largest of the bits of |x|: they are ordered as the numbers are,
// infinity and NaN above.
func maxBits(x []float32) uint32 {
	var m0, m1, m2, m3 uint32
	for len(x) >= 4 {
		v := (*[4]float32)(x)
		m0 = max(m0, math.Float32bits(v[0])&signMask)
		m1 = max(m1, math.Float32bits(v[1])&signMask)
		m2 = max(m2, math.Float32bits(v[2])&signMask)
		m3 = max(m3, math.Float32bits(v[3])&signMask)
		x = x[4:]
	}
	for _, v := range x {
		m0 = max(m0, math.Float32bits(v)&signMask)
	}
	return max(m0, m1, m2, m3)
}

// split returns xq as 255·hi + lo with hi = round(xq/255): the bytes of byte kernels. For
// |xq| ≤ 32512 both are at most 127 in magnitude.
func split(xq int16) (hi, lo int8) {
	h := (int32(xq)*257 + 1<<15) >> 16
	return int8(h), int8(int32(xq) - 255*h)
}
