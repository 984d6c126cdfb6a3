package quant

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"octet/internal/cpu"
)

// Task is work that a Pool hands out.
type Task interface {
	// Do handles items lo ≤ i < hi on worker 0 ≤ w < Threads. Calls with different w may
	// run at the same time. It must not call Run of the same pool.
	Do(w, lo, hi int)
}

// Pool is a fixed set of workers. Run may be called by several goroutines; the calls
// take turns. A Pool that is no longer used must be closed.
type Pool struct {
	turn    sync.Mutex // held by Run and Close
	closed  bool
	spins   int
	workers []worker
	done    sync.WaitGroup // of the workers' goroutines

	// The run in progress. Who takes a chunk (left of a share goes from k to k-1 ≥ 0) may
	// read the other fields until it has counted the chunk as finished.
	task     Task
	n, chunk int
	chunks   int
	divided  int          // shares that the chunks are divided into
	shares   []share      // for each worker
	finished atomic.Int64 // chunks done
	runs     atomic.Int64 // runs started

	waiting atomic.Bool   // the caller of Run sleeps
	ended   chan struct{} // wakes it
	stop    atomic.Bool
}

// worker is one goroutine's place to sleep.
type worker struct {
	parked atomic.Bool
	wake   chan struct{}
	_      [48]byte // a cache line each
}

// share is the chunks that are a worker's, one after the other, unless it is late: who has
// done its own takes those of others.
type share struct {
	left atomic.Int64 // not yet taken, or less than 0
	_    [56]byte     // a cache line each
}

// NewPool starts threads-1 workers (the caller of Run is the last); 0 means one for
// each physical core that the process may use, at most GOMAXPROCS; a GOMAXPROCS in the
// environment is taken as it is.
func NewPool(threads int) *Pool {
	if threads <= 0 {
		threads = cpu.Threads()
	}
	p := &Pool{workers: make([]worker, threads-1), shares: make([]share, threads), ended: make(chan struct{}, 1)}
	if threads <= goruntime.GOMAXPROCS(0) {
		p.spins = spins
	}
	for i := range p.workers {
		p.workers[i].wake = make(chan struct{}, 1)
		p.done.Go(func() { p.work(i) })
	}
	return p
}

// Threads is the number of workers, the caller of Run among them.
func (p *Pool) Threads() int { return len(p.workers) + 1 }

// Close ends the workers, after the run in progress. Closing again does nothing.
func (p *Pool) Close() {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.closed = true
	p.stop.Store(true)
	p.wake(len(p.workers))
	p.done.Wait()
}

// Run calls t.Do for all of 0…n-1 in chunks and returns when all are done. Each worker
// begins with chunks that follow each other. It panics on a closed pool.
func (p *Pool) Run(n, chunk int, t Task) { p.start(n, chunk, p.Threads(), t) }

// RunInOrder is Run with chunks taken in order, so that one may wait for those before it,
// though not for those behind.
func (p *Pool) RunInOrder(n, chunk int, t Task) { p.start(n, chunk, 1, t) }

func (p *Pool) start(n, chunk, divided int, t Task) {
	p.turn.Lock()
	defer p.turn.Unlock()
	switch {
	case p.closed:
		panic("quant: Run of a closed Pool")
	case chunk < 1:
		panic("quant: Run with an empty chunk")
	case n <= 0:
	case n <= chunk || len(p.workers) == 0:
		t.Do(0, 0, n)
	default:
		p.run(n, chunk, divided, t)
	}
}

// run shares more than one chunk with the workers.
func (p *Pool) run(n, chunk, divided int, t Task) {
	p.task, p.n, p.chunk, p.divided = t, n, chunk, divided
	p.chunks = (n + chunk - 1) / chunk
	p.finished.Store(0)
	for i := range divided {
		p.shares[i].left.Store(int64(p.shareEnd(i) - p.shareEnd(i-1)))
	}
	p.runs.Add(1)
	p.wake(min(p.chunks-1, len(p.workers)))
	for p.step(len(p.workers)) {
	}
	p.await()
	p.task = nil
}

// shareEnd is the number of chunks in shares up to i.
func (p *Pool) shareEnd(i int) int { return p.chunks * (i + 1) / p.divided }

// wake wakes those of the first count workers that sleep: the others look for work themselves.
func (p *Pool) wake(count int) {
	for i := range count {
		if w := &p.workers[i]; w.parked.CompareAndSwap(true, false) {
			w.wake <- struct{}{}
		}
	}
}

// step takes a chunk and does it as worker w, or returns false when none is left.
func (p *Pool) step(w int) bool {
	for i := range p.shares {
		i = (w + i) % len(p.shares)
		if left := &p.shares[i].left; left.Load() > 0 {
			if n := left.Add(-1); n >= 0 {
				p.do(w, p.shareEnd(i)-1-int(n))
				return true
			}
		}
	}
	return false
}

// do does a chunk.
func (p *Pool) do(w, i int) {
	chunks := int64(p.chunks)
	p.task.Do(w, i*p.chunk, min((i+1)*p.chunk, p.n))
	if p.finished.Add(1) == chunks && p.waiting.CompareAndSwap(true, false) {
		p.ended <- struct{}{}
	}
}

// await returns when all chunks are finished.
func (p *Pool) await() {
	all := func() bool { return p.finished.Load() == int64(p.chunks) }
	if spin(p.spins, all) {
		return
	}
	for !all() {
		// Each success of exchanging waiting from true to false by a worker is one
		// message. It may come from the last run's last worker: then look again.
		p.waiting.Store(true)
		if all() && p.waiting.CompareAndSwap(true, false) {
			return
		}
		<-p.ended
	}
}

// work is the life of worker i.
func (p *Pool) work(i int) {
	w := &p.workers[i]
	for !p.stop.Load() {
		seen := p.runs.Load()
		ready := func() bool { return p.runs.Load() != seen || p.stop.Load() }
		for p.step(i) {
		}
		if spin(p.spins, ready) {
			continue
		}
		w.parked.Store(true)
		if ready() && w.parked.CompareAndSwap(true, false) {
			continue
		}
		<-w.wake
	}
}

// spins is how long to look for work before sleeping: some 20 µs, the time between two
// layers' products.
const spins = 100

// spin looks repeatedly whether ready is true, and returns false when it did not become so.
func spin(rounds int, ready func() bool) bool {
	for range rounds {
		for range 64 {
			if ready() {
				return true
			}
		}
		goruntime.Gosched()
	}
	return ready()
}
