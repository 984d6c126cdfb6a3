package main

import (
	"context"
	"fmt"
	goruntime "runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"octet/cmd/octet/internal/memory"
	"octet/quant"
	"octet/runtime"
)

// side is a model that is measured: in this process, or in another one.
type side interface {
	// tests are the rows of the results, without what is measured.
	tests() []benchResult
	// ask does what the question says and returns a figure.
	ask(ctx context.Context, q question) (float64, error)
	close() error
}

// question is what a side is asked to do.
type question struct {
	Do   string `json:"do"`
	Test int    `json:"test,omitempty"` // of askRun: its index
}

// The things that a side can do.
const (
	askRun  = "run"  // run a test once; tokens a second
	askRead = "read" // the read test; bytes a second
	askPeak = "peak" // the most memory that was resident, in bytes; 0 where not known
)

func closeSides(sides []side) {
	for _, s := range sides {
		s.close()
	}
}

// benchTest is one kind of measurement.
type benchTest struct {
	name  string
	n     int // tokens
	depth int // tokens before them
	eval  func(context.Context, *runtime.Session, []int) error
}

func evalAtOnce(ctx context.Context, s *runtime.Session, ids []int) error {
	_, err := s.Eval(ctx, ids, 1)
	return err
}

func evalOneByOne(ctx context.Context, s *runtime.Session, ids []int) error {
	for i := range ids {
		if _, err := s.Eval(ctx, ids[i:i+1], 1); err != nil {
			return err
		}
	}
	return nil
}

// ownSide is a side in this process.
type ownSide struct {
	model   *runtime.Model
	session *runtime.Session
	ids     []int // tokens of the longest test, with those before it
	all     []benchTest
	rows    []benchResult
	buffer  []uint64 // of the read test; nil before the first
}

// open opens the model that the flags name, or makes one, and takes it to its first token.
func (f *benchFlags) open(c *cobra.Command) (*ownSide, error) {
	load := f.openModel
	if f.random != "" {
		load = f.openRandom
	}
	s, start, err := load(c)
	if err != nil {
		return nil, err
	}
	s.ids = benchIDs(max(1, longest(s.all)), s.model.Config().VocabSize)
	s.session = s.model.NewSession()
	if _, err := s.session.Eval(c.Context(), s.ids[:1], 1); err != nil {
		s.close()
		return nil, err
	}
	loaded := time.Since(start).Seconds()
	for _, t := range s.all {
		s.rows = append(s.rows, f.row(s.model, t, loaded))
	}
	return s, nil
}

// openModel opens the model of -m. Start is when it began.
func (f *benchFlags) openModel(c *cobra.Command) (s *ownSide, start time.Time, err error) {
	start = time.Now()
	m, err := f.load(c)
	if err != nil {
		return nil, start, err
	}
	return &ownSide{model: m, all: f.testsWithin(c.ErrOrStderr(), m.Context())}, start, nil
}

// longest is the most tokens that a test holds.
func longest(tests []benchTest) (n int) {
	for _, t := range tests {
		n = max(n, t.depth+t.n)
	}
	return n
}

// benchIDs returns n tokens scattered over the vocabulary, the same each time.
func benchIDs(n, vocab int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = (i*7919 + 17) % vocab
	}
	return ids
}

// row describes a test of a model.
func (f *benchFlags) row(m *runtime.Model, t benchTest, loaded float64) benchResult {
	c := m.Config()
	r := benchResult{
		Model:         f.title(),
		Backend:       quant.Backend(),
		Activations:   f.activations.value,
		Weights:       "int8",
		KV:            m.KV().String(),
		Threads:       m.Threads(),
		Test:          t.name + strconv.Itoa(t.n),
		Depth:         t.depth,
		BytesPerToken: m.WeightBytes() / int64(t.n),
		MemoryBytes:   m.MemoryBytes() + m.CacheBytes()*int64(t.depth+t.n),
		LoadSeconds:   loaded,
	}
	if t.name == "tg" {
		// A token reads the keys and values up to itself: on average those of the middle one.
		r.BytesPerToken = m.WeightBytes() + m.CacheBytes()*int64(2*t.depth+t.n+1)/2
	}
	if f.quantize.value == "" && c.Quantization == nil {
		r.Weights, r.Activations = strings.ToLower(c.DType.String()), "float"
	}
	return r
}

// title names the model in the results.
func (f *benchFlags) title() string {
	if f.random != "" {
		return "random " + f.random
	}
	return f.name()
}

func (s *ownSide) tests() []benchResult { return s.rows }

func (s *ownSide) close() error { return s.model.Close() }

func (s *ownSide) ask(ctx context.Context, q question) (float64, error) {
	switch q.Do {
	case askRun:
		if q.Test < 0 || q.Test >= len(s.all) {
			return 0, fmt.Errorf("test %d of %d", q.Test, len(s.all))
		}
		return s.run(ctx, s.all[q.Test])
	case askRead:
		threads := s.model.Threads()
		if s.buffer == nil {
			s.buffer = newReadBuffer(threads, bandwidthBytes(threads, goruntime.GOMAXPROCS(0)))
		}
		return readBandwidth(s.buffer, threads), ctx.Err()
	case askPeak:
		n, _ := memory.Peak()
		return float64(n), nil
	}
	return 0, fmt.Errorf("question %q", q.Do)
}

// run runs a test once.
func (s *ownSide) run(ctx context.Context, t benchTest) (float64, error) {
	if err := s.fill(ctx, t.depth); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := t.eval(ctx, s.session, s.ids[t.depth:][:t.n]); err != nil {
		return 0, err
	}
	return float64(t.n) / max(time.Since(start).Seconds(), 1e-9), nil
}

// fill makes the session hold the first depth tokens. Tokens are the same in all tests, so
// that what it holds already can stay.
func (s *ownSide) fill(ctx context.Context, depth int) error {
	if s.session.Len() >= depth {
		s.session.Truncate(depth)
		return nil
	}
	_, err := s.session.Eval(ctx, s.ids[s.session.Len():depth], 0)
	return err
}
