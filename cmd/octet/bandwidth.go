package main

import (
	"sync"
	"time"
)

// readBandwidth measures how many bytes a second threads goroutines read from a buffer of
// size bytes together: the best of passes. It is what decode could reach at most if the
// weights did not fit into the caches.
func readBandwidth(threads, size, passes int) float64 {
	buf := make([]uint64, size/8)
	for i := range buf {
		buf[i] = uint64(i) // a page that was never written may have no memory of its own
	}
	best := 0.0
	for range passes {
		start := time.Now()
		sumParallel(buf, threads)
		seconds := max(time.Since(start).Seconds(), 1e-9)
		best = max(best, float64(8*len(buf))/seconds)
	}
	return best
}

// sumParallel sums buf with threads goroutines.
func sumParallel(buf []uint64, threads int) uint64 {
	sums := make([]uint64, threads)
	var wg sync.WaitGroup
	for i := range threads {
		part := buf[len(buf)*i/threads : len(buf)*(i+1)/threads]
		wg.Go(func() { sums[i] = sum(part) })
	}
	wg.Wait()
	return sum(sums)
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
