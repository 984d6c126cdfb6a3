package main

import (
	"sync"
	"time"

	"octet/cmd/octet/internal/memory"
)

const bandwidthPasses = 5

// bandwidthBuffer is the least size of the buffer in bytes, and a quarter of it that of a
// thread's part: more than the caches hold, the largest of which have 16 MiB a core. Only
// tests change it.
var bandwidthBuffer = 256 << 20

// bandwidthBytes is the size of the buffer for threads threads on procs processors; 0
// threads are as many as there are.
func bandwidthBytes(threads, procs int) int {
	if threads <= 0 || threads > procs {
		threads = procs
	}
	size := int64(max(bandwidthBuffer, threads*(bandwidthBuffer/4)))
	if available, known := memory.Available(); known {
		size = min(size, max(available/4, 1<<20))
	}
	return int(size) &^ 63
}

// readBandwidth measures how many bytes a second threads goroutines read from a buffer of
// size bytes together: the best of passes and of two ways to read. It is what decode could
// reach at most if the weights did not fit into the caches.
func readBandwidth(threads, size, passes int) float64 {
	buf := make([]uint64, size/8)
	// A page that was never written may have no memory of its own, and one that another
	// processor wrote may lie far away.
	inParallel(buf, threads, fill)
	best := 0.0
	for range passes {
		for _, read := range []func([]uint64) uint64{sum, sumLines} {
			start := time.Now()
			inParallel(buf, threads, read)
			seconds := max(time.Since(start).Seconds(), 1e-9)
			best = max(best, float64(8*len(buf))/seconds)
		}
	}
	return best
}

// inParallel lets each of threads goroutines do a part of buf, and adds what they return.
func inParallel(buf []uint64, threads int, do func([]uint64) uint64) uint64 {
	sums := make([]uint64, threads)
	var wg sync.WaitGroup
	for i := range threads {
		part := buf[len(buf)*i/threads : len(buf)*(i+1)/threads]
		wg.Go(func() { sums[i] = do(part) })
	}
	wg.Wait()
	return sum(sums)
}

func fill(x []uint64) uint64 {
	for i := range x {
		x[i] = uint64(i)
	}
	return 0
}

// sum adds with eight sums at a time, so that the processor waits for memory and not for the
// additions.
func sum(x []uint64) (total uint64) {
	var a, b, c, d, e, f, g, h uint64
	for ; len(x) >= 8; x = x[8:] {
		a += x[0]
		b += x[1]
		c += x[2]
		d += x[3]
		e += x[4]
		f += x[5]
		g += x[6]
		h += x[7]
	}
	for _, v := range x {
		total += v
	}
	return total + a + b + c + d + e + f + g + h
}

// sumLines adds one of every eight values, so that all cache lines of 64 bytes are read with
// the fewest instructions.
func sumLines(x []uint64) (total uint64) {
	var a, b, c, d uint64
	for ; len(x) >= 32; x = x[32:] {
		a += x[0]
		b += x[8]
		c += x[16]
		d += x[24]
	}
	for i := 0; i < len(x); i += 8 {
		total += x[i]
	}
	return total + a + b + c + d
}
