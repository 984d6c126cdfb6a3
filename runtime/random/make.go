package random

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"octet/loader"
)

// filling says what values a tensor gets: random bytes of int8 weights, or floats ±m·2^exponent
// with 1 ≤ m < 2.
type filling struct {
	bytes    bool // q+128 with -127 ≤ q ≤ 127
	exponent int
	signed   bool
}

// Root mean squares, before scaling.
const (
	rmsInt8     = 73.6 // of whole numbers from -127 to 127
	rmsMantissa = 1.53 // of numbers from 1 to 2
)

// exponent is that of values of which each is multiplied with a weight of root mean square
// rms, for matrices of cols inputs: outputs are about as large as inputs then.
func exponent(cols int, rms float64) int {
	e := math.Round(-math.Log2(math.Sqrt(float64(cols)) * rms * rmsMantissa))
	return int(max(e, -14)) // the least normal F16
}

// Make makes the tensors, and calls progress, if it is not nil, with the number of bytes
// that are done, from several goroutines. The error is that of ctx, or one of loader.New.
func (p *Plan) Make(ctx context.Context, progress func(done int64)) (*loader.Checkpoint, error) {
	tensors := make([]loader.Tensor, len(p.blocks))
	workers := new(errgroup.Group)
	workers.SetLimit(goruntime.GOMAXPROCS(0))
	patterns := map[pattern][]byte{}
	var done atomic.Int64
	report := func(n int) {
		if sum := done.Add(int64(n)); progress != nil {
			progress(sum)
		}
	}
	for i, b := range p.blocks {
		tensors[i] = b.tensor
		if b.tensor.Data != nil || ctx.Err() != nil {
			continue
		}
		tensors[i].Data = make([]byte, b.bytes)
		key := pattern{b.fill, b.tensor.DType}
		if patterns[key] == nil {
			patterns[key] = key.make()
		}
		// Each tensor begins elsewhere in the pattern, at a multiple of any element's size.
		spread(ctx, workers, tensors[i].Data, patterns[key], 4*7919*i, report)
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return loader.New(p.config, tensors)
}

// pieceBytes is what a worker fills at a time.
const pieceBytes = 4 << 20

// spread lets the workers fill data with repetitions of from, beginning at its byte start.
func spread(ctx context.Context, workers *errgroup.Group, data, from []byte, start int, report func(int)) {
	for len(data) > 0 {
		piece := data[:min(len(data), pieceBytes)]
		at := start % len(from)
		workers.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			repeat(piece, from, at)
			report(len(piece))
			return nil
		})
		data, start = data[len(piece):], at+len(piece)
	}
}

// repeat fills dst with from, beginning at its byte at, again and again.
func repeat(dst, from []byte, at int) {
	for len(dst) > 0 {
		n := copy(dst, from[at:])
		dst, at = dst[n:], 0
	}
}

// pattern names the values of a tensor.
type pattern struct {
	filling
	dtype loader.DType
}

// patternBytes is a little less than 1 MiB, divisible by the size of all elements and
// by no width of a matrix, so that rows differ.
const patternBytes = 4 * 262139

// make returns the random values of a pattern, the same each time.
func (p pattern) make() []byte {
	b := make([]byte, patternBytes)
	rand.NewChaCha8([32]byte{}).Read(b)
	switch {
	case p.bytes:
		for i, v := range b {
			b[i] = max(v, 1)
		}
	case p.dtype == loader.F32:
		p.mask(b, 8, 23)
	case p.dtype == loader.BF16:
		p.mask(b, 8, 7)
	default:
		p.mask(b, 5, 10)
	}
	return b
}

// mask turns random bits into floats with so many bits of exponent and of fraction.
func (p pattern) mask(b []byte, exponentBits, fractionBits int) {
	bias := 1<<(exponentBits-1) - 1
	keep := uint32(1)<<fractionBits - 1
	if p.signed {
		keep |= 1 << (exponentBits + fractionBits)
	}
	set := uint32(p.exponent+bias) << fractionBits
	size := (1 + exponentBits + fractionBits) / 8
	for i := 0; i < len(b); i += size {
		if size == 2 {
			binary.LittleEndian.PutUint16(b[i:], binary.LittleEndian.Uint16(b[i:])&uint16(keep)|uint16(set))
		} else {
			binary.LittleEndian.PutUint32(b[i:], binary.LittleEndian.Uint32(b[i:])&keep|set)
		}
	}
}
