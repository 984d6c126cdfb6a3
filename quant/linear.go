package quant

import (
	"fmt"

	"octet/internal/vec"
)

// Linear is the weight of a linear layer, float or int8.
type Linear interface {
	// Size returns the number of outputs and of inputs.
	Size() (rows, cols int)
	// Row widens (dequantizes) row r into dst [cols]: an embedding lookup.
	Row(dst []float32, r int)
	// Mul sets dst [n, rows] to the product of in [n, cols] with the matrix transposed.
	// It allocates nothing once in has grown. dst must not overlap the input.
	Mul(p *Pool, dst []float32, in *Input)
	// Bytes is what one product reads: values and scales.
	Bytes() int64
	// start prepares a product as a task whose items are rows, to be handed out in multiples
	// of block.
	start(p *Pool, dst []float32, in *Input) (t Task, block int)
}

// rowSource is a Linear whose product is taken in float32.
type rowSource interface {
	Linear
	// rows32 returns rows lo … hi-1 as float32 [hi-lo, cols], in scratch or in place.
	rows32(scratch []float32, lo, hi int) []float32
	// mulStored sets dst to the product of rows lo … with x [cols] where that is faster
	// than widening rows first; else it returns false.
	mulStored(dst, x []float32, lo int) bool
}

// Widened rows meet a batch of tokens together, so that the tokens are read once for all of
// them: at most maxFloatRows and as many as floatBytes hold, a quarter of a usual second-level
// cache.
const (
	floatRows    = 8 // their number is a multiple of it
	maxFloatRows = 32
	floatBytes   = 256 << 10
)

// floatBlock is how many of a matrix's rows meet n tokens together: fewer where each of the
// workers would not get a few blocks.
func floatBlock(rows, cols, n, threads int) int {
	if n == 1 {
		return floatRows
	}
	block := min(maxFloatRows, floatBytes/4/cols, rows/(4*threads))
	return max(block/floatRows, 1) * floatRows
}

// floatTask multiplies rows of weights with all tokens, in float32. Items are rows.
type floatTask struct {
	weights rowSource
	rows    int
	cols    int
	n       int
	x       []float32   // [n, cols]
	dst     []float32   // [n, rows]
	block   int         // rows that meet all tokens together
	scratch [][]float32 // for each worker [block, cols]
}

// Do implements Task.
func (t *floatTask) Do(w, lo, hi int) {
	if t.n == 1 && t.weights.mulStored(t.dst[lo:hi], t.x, lo) {
		return
	}
	for ; lo < hi; lo += t.block {
		end := min(lo+t.block, hi)
		vec.Dots(t.dst[lo:], t.rows, t.weights.rows32(t.scratch[w], lo, end), t.x, t.cols)
	}
}

// startFloat prepares the float product of weights.
func startFloat(p *Pool, dst []float32, in *Input, weights rowSource) (Task, int) {
	rows, cols := weights.Size()
	block := floatBlock(rows, cols, in.n, p.Threads())
	t := in.floatTask()
	*t = floatTask{weights: weights, rows: rows, cols: cols, n: in.n, x: in.x, dst: dst, block: block,
		scratch: in.floatScratch(p, block*cols)}
	return t, block
}

// minChunk is the least number of multiply-adds worth handing to another worker.
const minChunk = 1 << 14

// rowChunk is the number of rows in a chunk of work, a multiple of block, for rows that
// take cost multiply-adds each: four chunks a worker where they are not too small.
func rowChunk(rows, cost, threads, block int) int {
	if threads == 1 {
		return max(rows, 1)
	}
	chunk := max(rows/(4*threads), minChunk/max(cost, 1), 1)
	return (chunk + block - 1) / block * block
}

// checkProduct panics where a product's operands do not fit.
func checkProduct(rows, cols int, dst []float32, in *Input) {
	if in.cols != cols || len(dst) < in.n*rows {
		panic(fmt.Sprintf("quant: matrix [%d, %d] with input [%d, %d] into %d values",
			rows, cols, in.n, in.cols, len(dst)))
	}
}

// grow returns s with length n, reallocated only to grow; its contents are lost.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
