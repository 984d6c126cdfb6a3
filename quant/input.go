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
	forms   []*tokens // one for each kernel and group size seen

	quantize quantizeTask
	product  productTask
	one      [1]Product

	// Tasks of the products in progress, and the workers' scratch.
	groups     []*groupTask
	floats     []*floatTask
	groupsUsed int
	floatsUsed int
	scratch    []scratch
	widened    [][]float32 // [block, cols]
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

// groupTask returns a task that is not in use.
func (in *Input) groupTask() *groupTask { return unused(&in.groups, &in.groupsUsed) }

// floatTask returns a task that is not in use.
func (in *Input) floatTask() *floatTask { return unused(&in.floats, &in.floatsUsed) }

func unused[T any](all *[]*T, used *int) *T {
	if *used == len(*all) {
		*all = append(*all, new(T))
	}
	*used++
	return (*all)[*used-1]
}

// scratches returns scratch for each worker.
func (in *Input) scratches(p *Pool) []scratch {
	if len(in.scratch) < p.Threads() {
		in.scratch = make([]scratch, p.Threads())
	}
	return in.scratch
}

// floatScratch returns n values for each worker.
func (in *Input) floatScratch(p *Pool, n int) [][]float32 {
	for len(in.widened) < p.Threads() {
		in.widened = append(in.widened, nil)
	}
	for w := range in.widened {
		if len(in.widened[w]) < n {
			in.widened[w] = make([]float32, n)
		}
	}
	return in.widened
}

// quantized returns the input in groups of the size, as kernel k reads it.
func (in *Input) quantized(p *Pool, k *kernel, group int) *tokens {
	t := in.form(k, group)
	if t.ready {
		return t
	}
	t.reset(in.n, in.cols, in.mode.limit())
	in.quantize = quantizeTask{to: t, x: in.x}
	tiles := (in.n + k.tile - 1) / k.tile
	p.Run(tiles*t.groups, quantizeChunk(group*min(k.tile, in.n)), &in.quantize)
	in.quantize = quantizeTask{}
	t.ready = true
	return t
}

// form finds or adds the tokens of a kernel and group size.
func (in *Input) form(k *kernel, group int) *tokens {
	for _, t := range in.forms {
		if t.kernel == k && t.group == group {
			return t
		}
	}
	t := &tokens{kernel: k, group: group}
	in.forms = append(in.forms, t)
	return t
}

// tokens is a batch of activations quantized in groups.
type tokens struct {
	group   int
	n, cols int
	groups  int // cols/group
	limit   float32
	xq      []int16   // [n, cols], and what the kernel adds
	sums    []int32   // [n, groups], Σ xq
	scales  []float32 // [n, groups], sx
	packed  []uint64  // xq as the kernel reads them
	lanes   []float32 // scales in the order of packed, of kernels with tiles
	biases  []int32   // -128·Σ xq in the order of packed
	kernel  *kernel
	ready   bool
}

// reset makes room for n tokens of cols inputs up to limit.
func (t *tokens) reset(n, cols int, limit float32) {
	t.n, t.cols, t.groups, t.limit = n, cols, cols/t.group, limit
	t.xq = grow(t.xq, n*cols)
	t.sums = grow(t.sums, n*t.groups)
	t.scales = grow(t.scales, n*t.groups)
	t.kernel.room(t)
	t.ready = false
}

// quantizeTask quantizes activations. Items are the groups of tiles.
type quantizeTask struct {
	to *tokens
	x  []float32 // [n, cols]
}

// quantizeChunk is the number of items in a chunk, of size values each: about 8192 values.
func quantizeChunk(size int) int { return (1<<13 + size - 1) / max(size, 1) }

// Do implements Task.
func (q *quantizeTask) Do(_, lo, hi int) {
	t := q.to
	for i := lo; i < hi; i++ {
		tile, g := i/t.groups, i%t.groups
		first := tile * t.kernel.tile
		for token := first; token < min(first+t.kernel.tile, t.n); token++ {
			at := token*t.groups + g
			t.scales[at], t.sums[at] = t.kernel.quantize(t.xq[at*t.group:][:t.group], q.x[at*t.group:][:t.group], t.limit)
		}
		t.kernel.pack(t, tile, g)
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
	scale, ok := groupScale(maxBits(x), limit)
	if !ok {
		clear(xq)
		return scale, 0
	}
	return scale, roundGroup(xq, x, scale)
}

// groupScale returns the scale of a group by the largest bits of its values, and whether
// they are rounded in it: else all are zero.
func groupScale(largest uint32, limit float32) (scale float32, ok bool) {
	if largest >= infBits {
		return float32(math.NaN()), false
	}
	scale = math.Float32frombits(largest) / limit
	if scale < minNormal {
		return 0, false
	}
	return scale, true
}

// roundGroup sets xq to round_half_even(x/scale) and returns their sum.
func roundGroup(xq []int16, x []float32, scale float32) (sum int32) {
	x = x[:len(xq)]
	for i := range xq {
		v := int32((x[i]/scale + roundMagic) - roundMagic)
		xq[i] = int16(v)
		sum += v
	}
	return sum
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
