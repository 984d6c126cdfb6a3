package quant

import (
	"fmt"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"octet/internal/cpu"
)

// countTask counts how often each item is done, and watches the workers' numbers.
type countTask struct {
	t       *testing.T
	threads int
	chunk   int
	items   []int32
	busy    []atomic.Bool
}

func newCountTask(t *testing.T, threads, n, chunk int) *countTask {
	return &countTask{t, threads, chunk, make([]int32, n), make([]atomic.Bool, threads)}
}

func (c *countTask) Do(w, lo, hi int) {
	if w < 0 || w >= c.threads || lo >= hi || lo%c.chunk != 0 {
		c.t.Errorf("Do(%d, %d, %d) with %d threads", w, lo, hi, c.threads)
		return
	}
	if !c.busy[w].CompareAndSwap(false, true) {
		c.t.Errorf("worker %d is two goroutines", w)
	}
	for i := lo; i < hi; i++ {
		c.items[i]++ // the race detector sees items that are done twice
	}
	c.busy[w].Store(false)
}

func (c *countTask) check() {
	c.t.Helper()
	for i, n := range c.items {
		if n != 1 {
			c.t.Fatalf("item %d done %d times", i, n)
		}
	}
}

func TestRunDoesEveryItemOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		p := newPool(t, threads)
		for _, n := range []int{0, 1, 2, 7, 64, 1000} {
			for _, chunk := range []int{1, 3, 64, 2000} {
				t.Run(fmt.Sprintf("threads %d items %d chunk %d", threads, n, chunk), func(t *testing.T) {
					c := newCountTask(t, threads, n, chunk)
					p.Run(n, chunk, c)
					c.check()
				})
			}
		}
	}
}

// queueTask has items that wait for all before them.
type queueTask struct{ done atomic.Int64 }

func (q *queueTask) Do(_, lo, hi int) {
	for q.done.Load() < int64(lo) {
		goruntime.Gosched()
	}
	q.done.Add(int64(hi - lo))
}

func TestRunInOrder(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 8} {
		p := newPool(t, threads)
		for n := range 100 {
			q := new(queueTask)
			p.RunInOrder(n, 3, q)
			if got := q.done.Load(); got != int64(n) {
				t.Fatalf("%d threads: %d of %d items done", threads, got, n)
			}
			c := newCountTask(t, threads, n, 2)
			p.Run(n, 2, c)
			c.check()
		}
	}
}

// Runs in quick succession meet workers that are still looking at the one before; pauses
// let them fall asleep.
func TestManyRuns(t *testing.T) {
	for _, threads := range []int{2, 5} {
		p := newPool(t, threads)
		for i := range 3000 {
			c := newCountTask(t, threads, 1+i%20, 1+i%3)
			p.Run(len(c.items), c.chunk, c)
			c.check()
			if i%500 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}
}

func TestRunsTakeTurns(t *testing.T) {
	const threads = 3
	p := newPool(t, threads)
	var running atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				c := newCountTask(t, threads, 40, 3)
				p.Run(40, 3, &turnTask{c, &running})
				c.check()
			}
		})
	}
	wg.Wait()
}

// turnTask fails when another task runs at the same time.
type turnTask struct {
	*countTask
	running *atomic.Int32
}

func (c *turnTask) Do(w, lo, hi int) {
	if c.running.Add(1) > int32(c.threads) {
		c.t.Error("two runs at once")
	}
	c.countTask.Do(w, lo, hi)
	c.running.Add(-1)
}

// meetTask returns when two chunks have begun: it needs two workers.
type meetTask struct{ sync.WaitGroup }

func (m *meetTask) Do(_, _, _ int) {
	m.Done()
	m.Wait()
}

func TestWorkersRunAtTheSameTime(t *testing.T) {
	p := newPool(t, 2)
	for i := range 100 {
		if i%10 == 0 {
			time.Sleep(time.Millisecond) // a sleeping worker must wake
		}
		m := new(meetTask)
		m.Add(2)
		p.Run(2, 1, m)
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	for _, threads := range []int{1, 3} {
		p := newPool(t, threads)
		c := newCountTask(t, threads, 100, 1)
		if allocs := testing.AllocsPerRun(100, func() { p.Run(100, 1, c) }); allocs != 0 {
			t.Errorf("threads %d: %v allocations", threads, allocs)
		}
	}
}

func TestThreads(t *testing.T) {
	tests := []struct{ threads, want int }{
		{0, cpu.Threads()},
		{-1, cpu.Threads()},
		{1, 1},
		{9, 9},
	}
	for _, tt := range tests {
		if got := newPool(t, tt.threads).Threads(); got != tt.want {
			t.Errorf("NewPool(%d): %d threads, want %d", tt.threads, got, tt.want)
		}
	}
}

func TestCloseEndsTheWorkers(t *testing.T) {
	before := goruntime.NumGoroutine()
	for _, pause := range []time.Duration{0, time.Millisecond} {
		p := NewPool(4)
		p.Run(10, 1, newCountTask(t, 4, 10, 1))
		time.Sleep(pause)
		p.Close()
		p.Close()
		requirePanic(t, func() { p.Run(1, 1, newCountTask(t, 4, 1, 1)) })
		requirePanic(t, func() { p.Run(10, 1, newCountTask(t, 4, 10, 1)) })
	}
	// Close returns when the workers are about to end; give them the time to.
	for range 1000 {
		if goruntime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", goruntime.NumGoroutine(), before)
}

func TestRunPanicsOnEmptyChunks(t *testing.T) {
	p := newPool(t, 2)
	requirePanic(t, func() { p.Run(3, 0, newCountTask(t, 2, 3, 1)) })
	c := newCountTask(t, 2, 3, 1)
	p.Run(3, 1, c) // the pool is as before
	c.check()
}
