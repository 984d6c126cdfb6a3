package quant_test

import (
	"encoding/binary"
	"fmt"
	"log"
	"math"

	"octet/quant"
)

// A float matrix of two outputs and four inputs is rounded to int8, and multiplied with
// a batch of one token.
func Example() {
	weights := []float32{1, 2, 3, 4, -1, 0, 1, 0}
	var data []byte
	for _, w := range weights {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(w))
	}
	dense, err := quant.NewDense(2, 4, quant.Floats{Element: quant.F32, Data: data})
	if err != nil {
		log.Fatal(err)
	}
	pool := quant.NewPool(0)
	defer pool.Close()
	matrix, err := quant.Quantize(pool, dense, 4)
	if err != nil {
		log.Fatal(err)
	}

	in := quant.NewInput(quant.Int16)
	in.Set([]float32{1, 1, 1, 0.5}, 1, 4)
	exact, rounded := make([]float32, 2), make([]float32, 2)
	dense.Mul(pool, exact, in)
	matrix.Mul(pool, rounded, in)
	fmt.Println(exact)
	fmt.Printf("%.1f\n", rounded)
	fmt.Println(dense.Bytes(), "bytes,", matrix.Bytes(), "bytes")
	// Output:
	// [8 0]
	// [8.0 0.0]
	// 32 bytes, 16 bytes
}

func ExampleQuantizeRows() {
	var weights []byte // BF16: the upper half of a float32
	for _, w := range []float32{-1, 0.5, 0.25, 0} {
		weights = binary.LittleEndian.AppendUint16(weights, uint16(math.Float32bits(w)>>16))
	}
	q, scales := make([]byte, 4), make([]byte, 2)
	lost, err := quant.QuantizeRows(q, scales, quant.Floats{Element: quant.BF16, Data: weights}, 4, 4)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(q)
	fmt.Printf("relative error %.4f\n", lost.Relative())
	// Output:
	// [1 192 160 128]
	// relative error 0.0038
}
