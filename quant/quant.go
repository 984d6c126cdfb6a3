package quant

// Element is the type of a stored float.
type Element uint8

const (
	F32 Element = iota
	BF16
	F16
)

// Floats is a read-only run of floats in their stored type, little-endian.
type Floats struct {
	Element Element
	Data    []byte
}

// Len is the number of values.
func (f Floats) Len() int { panic("quant") }

// Widen sets dst[i] to value from+i, exactly.
func (f Floats) Widen(dst []float32, from int) { panic("quant") }

// Linear is the weight of a linear layer, float or int8.
type Linear interface {
	// Size returns the number of outputs and of inputs.
	Size() (rows, cols int)
	// Row widens (dequantizes) row r into dst [cols]: an embedding lookup.
	Row(dst []float32, r int)
	// Mul sets dst [n, rows] to the product of in [n, cols] with the matrix transposed.
	// It allocates nothing once in has grown.
	Mul(p *Pool, dst []float32, in *Input)
	// Bytes is what one product reads: values and scales.
	Bytes() int64
}

// Dense is a float matrix in its stored type. It implements Linear.
type Dense struct {
	rows, cols int
	values     Floats
}

// NewDense returns the matrix [rows, cols] over data, which it keeps.
func NewDense(rows, cols int, values Floats) (*Dense, error) { panic("quant") }

// Matrix is an int8 group-quantized matrix. It implements Linear.
type Matrix struct {
	rows, cols, group int
	data              []byte // q+128 [rows, cols]
	scales            Floats // [rows, cols/group]
}

// NewMatrix returns the matrix over data (bytes q+128, [rows, cols]) and scales
// [rows, cols/group]; it keeps both. 1 ≤ group ≤ 128 and group divides cols.
func NewMatrix(rows, cols, group int, data []byte, scales Floats) (*Matrix, error) { panic("quant") }

// Quantize rounds a float matrix to int8, group inputs sharing a scale of the matrix's
// own element type.
func Quantize(p *Pool, d *Dense, group int) (*Matrix, error) { panic("quant") }

// Activations says how a product with an int8 matrix treats its inputs.
type Activations uint8

const (
	Int16 Activations = iota // two signed bytes a value: the default
	Int8                     // one signed byte
	Float                    // weights dequantized, float32 product: the reference
)

// Input is a batch of activations on the way into linear layers: several matrices can
// take the same Input, and it is quantized once per group size. One goroutine.
type Input struct {
	mode Activations
}

// NewInput returns an empty Input.
func NewInput(mode Activations) *Input { panic("quant") }

// Set makes x [n, cols] the input; x is kept until the next Set.
func (in *Input) Set(x []float32, n, cols int) { panic("quant") }

// Task is work that a Pool hands out.
type Task interface {
	// Do handles items lo ≤ i < hi on worker 0 ≤ w < Threads.
	Do(w, lo, hi int)
}

// Pool is a fixed set of workers. Run may be called by several goroutines; the calls
// take turns.
type Pool struct{}

// NewPool starts threads-1 workers (the caller of Run is the last); 0 means GOMAXPROCS.
func NewPool(threads int) *Pool { panic("quant") }

// Run calls t.Do for all of 0…n-1 in chunks and returns when all are done.
func (p *Pool) Run(n, chunk int, t Task) { panic("quant") }

// Threads is the number of workers.
func (p *Pool) Threads() int { panic("quant") }

// Close ends the workers.
func (p *Pool) Close() { panic("quant") }
