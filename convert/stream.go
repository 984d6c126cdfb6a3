package convert

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"

	"golang.org/x/sync/errgroup"

	"octet/loader"
	"octet/quant"
)

// action is what becomes of a source tensor.
type action uint8

const (
	keep     action = iota // its bytes
	widen                  // its values as F32
	quantize               // int8 values and scales
)

// job is a source tensor on its way into the output.
type job struct {
	source      loader.Tensor
	sourceBytes int64 // what Progress counts for it
	rows, cols  int
	order       rowOrder
	action      action
	signed      bool  // int8 values q rather than bytes q+128
	wideScales  bool  // F32 scales whatever the type of the weight
	values      place // where its values go
	scales      place // where its scales go, if it is quantized

	err quant.Error // of all rows, once it is written
}

// place is a run of bytes in an output file.
type place struct {
	target *target
	offset int64
}

// target is an output file of weights, whose size is known beforehand.
type target struct {
	name   string
	header []byte
	size   int64
	file   *os.File // while it is written
}

const (
	blockBytes = 4 << 20 // of output in a block, or one row if that is more
	numBlocks  = 3       // one filled, one written, one between
	rowChunk   = 8       // rows that a worker takes at once
)

// block is a few rows of a job on their way to the output.
type block struct {
	values, scales []byte
	errs           []quant.Error // per row, to add up in order
	faults         []error
}

// stream carries jobs through blocks to the files: one goroutine fills blocks with the
// workers of the pool, another writes them.
type stream struct {
	plan  *plan
	pool  *quant.Pool
	wide  [][]byte // a row as F32, per worker
	free  chan *block
	queue chan write
}

// write is a piece of output.
type write struct {
	values, scales           []byte
	valuesPlace, scalesPlace place
	done                     int64  // source bytes that it completes
	block                    *block // to hand back; nil where values is the source itself
}

func newStream(p *plan, pool *quant.Pool) *stream {
	s := &stream{
		plan:  p,
		pool:  pool,
		wide:  make([][]byte, pool.Threads()),
		free:  make(chan *block, numBlocks),
		queue: make(chan write, numBlocks),
	}
	for range numBlocks {
		s.free <- new(block)
	}
	return s
}

// run does all jobs, in order, or stops at the first error.
func (s *stream) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(s.queue)
		for _, j := range s.plan.jobs {
			if err := s.do(ctx, j); err != nil {
				return err
			}
		}
		return nil
	})
	g.Go(func() error { return s.writeAll(ctx) })
	return g.Wait()
}

// do sends one job through the stream.
func (s *stream) do(ctx context.Context, j *job) error {
	if j.action == keep {
		return s.keep(ctx, j)
	}
	valueSize := 1
	if j.action == widen {
		valueSize = 4
	}
	perBlock := max(1, blockBytes/max(1, j.cols*valueSize))
	for first := 0; first < j.rows; first += perBlock {
		n := min(perBlock, j.rows-first)
		b, err := s.take(ctx)
		if err != nil {
			return err
		}
		if j.action == widen {
			err = b.widen(j, first, n)
		} else {
			err = s.quantize(j, b, first, n)
		}
		if err != nil {
			return err
		}
		if err := s.send(ctx, b.write(j, first, n)); err != nil {
			return err
		}
	}
	return nil
}

// keep sends the bytes of a tensor, whose floats have to be numbers, as they are; in
// pieces so that a cancelled context is noticed.
func (s *stream) keep(ctx context.Context, j *job) error {
	data := j.source.Data
	for at := 0; at < len(data); at += blockBytes {
		piece := data[at:min(at+blockBytes, len(data))]
		if err := checkFinite(j.source, piece, at/j.source.DType.Size()); err != nil {
			return err
		}
		w := write{values: piece, valuesPlace: j.values.plus(at)}
		if j.sourceBytes > 0 {
			w.done = int64(len(piece))
		}
		if err := s.send(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// take waits for a free block.
func (s *stream) take(ctx context.Context) (*block, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case b := <-s.free:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *stream) send(ctx context.Context, w write) error {
	select {
	case s.queue <- w:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeAll writes what comes through the queue.
func (s *stream) writeAll(ctx context.Context) (err error) {
	var done, total int64
	for _, j := range s.plan.jobs {
		total += j.sourceBytes
	}
	disk := startWriteback(beginSync)
	defer func() { disk.end(err == nil) }()
	for w := range s.queue {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.valuesPlace.put(w.values, disk); err != nil {
			return err
		}
		if err := w.scalesPlace.put(w.scales, disk); err != nil {
			return err
		}
		if w.block != nil {
			s.free <- w.block
		}
		if done += w.done; w.done > 0 && s.plan.options.Progress != nil {
			s.plan.options.Progress(done, total)
		}
	}
	return nil
}

// put writes b at its place.
func (p place) put(b []byte, disk *writeback) error {
	if len(b) == 0 {
		return nil
	}
	if _, err := p.target.file.WriteAt(b, p.offset); err != nil {
		return failed(p.target.name, "write", err)
	}
	disk.wrote(p.target.file, p.offset, int64(len(b)))
	return nil
}

// plus is the place n bytes on.
func (p place) plus(n int) place { return place{p.target, p.offset + int64(n)} }

// write hands out the first n rows of the block, which are rows first… of the job.
func (b *block) write(j *job, first, n int) write {
	rowBytes, rowScales := len(b.values)/n, len(b.scales)/n
	return write{
		values: b.values, valuesPlace: j.values.plus(first * rowBytes),
		scales: b.scales, scalesPlace: j.scales.plus(first * rowScales),
		done:  int64(n) * int64(j.rowBytes()),
		block: b,
	}
}

// resize gives the block n rows of values and scales, of the given bytes each.
func (b *block) resize(n, values, scales int) {
	b.values = grow(b.values, n*values)
	b.scales = grow(b.scales, n*scales)
	b.errs = grow(b.errs, n)
	b.faults = grow(b.faults, n)
}

// grow returns a slice of length n, s itself where it is large enough.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// widen fills the block with n rows as F32, which have to be numbers.
func (b *block) widen(j *job, first, n int) error {
	b.resize(n, 4*j.cols, 0)
	for i := range n {
		row := j.row(first + i)
		if err := checkFinite(j.source, row.Data, (first+i)*j.cols); err != nil {
			return err
		}
		widenRow(b.values[4*i*j.cols:][:4*j.cols], row)
	}
	return nil
}

// widenRow sets dst to the F32 form of row, little-endian.
func widenRow(dst []byte, row quant.Floats) {
	var x [256]float32
	for from := 0; from < row.Len(); from += len(x) {
		part := x[:min(len(x), row.Len()-from)]
		row.Widen(part, from)
		for i, v := range part {
			binary.LittleEndian.PutUint32(dst[4*(from+i):], math.Float32bits(v))
		}
	}
}

// quantize fills the block with n rows as int8 and adds up their errors.
func (s *stream) quantize(j *job, b *block, first, n int) error {
	groups := j.cols / s.plan.group
	b.resize(n, j.cols, groups*j.scaleSize())
	s.pool.Run(n, rowChunk, &rowsTask{stream: s, job: j, block: b, first: first})
	for i := range n {
		if err := b.faults[i]; err != nil {
			return j.fault(first+i, err)
		}
		j.err.Add(b.errs[i])
	}
	return nil
}

// rowsTask quantizes rows of a block.
type rowsTask struct {
	stream *stream
	job    *job
	block  *block
	first  int // row of the job that comes first in the block
}

// Do quantizes rows lo…hi-1 of the block. It implements quant.Task.
func (t *rowsTask) Do(worker, lo, hi int) {
	j, b, group := t.job, t.block, t.stream.plan.group
	scaleBytes := j.cols / group * j.scaleSize()
	for i := lo; i < hi; i++ {
		row := j.row(t.first + i)
		if j.wideScales && row.Element != quant.F32 {
			wide := grow(t.stream.wide[worker], 4*j.cols)
			t.stream.wide[worker] = wide
			widenRow(wide, row)
			row = quant.Floats{Element: quant.F32, Data: wide}
		}
		q := b.values[i*j.cols:][:j.cols]
		b.errs[i], b.faults[i] = quant.QuantizeRows(q, b.scales[i*scaleBytes:][:scaleBytes], row, j.cols, group)
		if j.signed {
			toSigned(q)
		}
	}
}

// toSigned turns bytes q+128 into int8 q.
func toSigned(q []byte) {
	for i := range q {
		q[i] ^= 0x80
	}
}

// row is the source of output row r.
func (j *job) row(r int) quant.Floats {
	if j.order != nil {
		r = j.order(r)
	}
	n := j.rowBytes()
	return quant.Floats{Element: elements[j.source.DType], Data: j.source.Data[r*n:][:n]}
}

func (j *job) rowBytes() int { return j.cols * j.source.DType.Size() }

// scaleSize is the number of bytes of a scale.
func (j *job) scaleSize() int {
	if j.wideScales {
		return 4
	}
	return j.source.DType.Size()
}

// elements maps the loader's float types to quant's.
var elements = map[loader.DType]quant.Element{
	loader.F32:  quant.F32,
	loader.BF16: quant.BF16,
	loader.F16:  quant.F16,
}

// fault names the value that stopped output row r.
func (j *job) fault(r int, err error) error {
	var bad *quant.NotFiniteError
	if !errors.As(err, &bad) {
		return fmt.Errorf("convert: %s: tensor %s: %w", j.source.File, quote(j.source.Name), err)
	}
	if j.order != nil {
		r = j.order(r)
	}
	return notFinite(j.source, r*j.cols+bad.Column, bad.Value)
}
