package main

import (
	"sync"
	"sync/atomic"
	"time"

	"octet/cmd/octet/internal/memory"
)

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

// newReadBuffer returns a buffer of size bytes for readBandwidth.
func newReadBuffer(threads, size int) []uint64 {
	buf := make([]uint64, size/8)
	// A page that was never written may have no memory of its own, and one that another
	// processor wrote may lie far away.
	inParallel(buf, threads, part(buf, threads), fill)
	return buf
}

// readBandwidth measures how many bytes a second threads goroutines read from buf together,
// in the best of several ways. It is what decode could reach at most if the weights did not
// fit into the caches.
func readBandwidth(buf []uint64, threads int) float64 {
	best := 0.0
	for _, way := range []struct {
		piece int
		read  func([]uint64) uint64
	}{
		{part(buf, threads), sum},
		{part(buf, threads), sumLines},
		{readPiece, sum}, // whoever is ready takes the next piece: nobody waits for one that was held up
	} {
		start := time.Now()
		inParallel(buf, threads, way.piece, way.read)
		seconds := max(time.Since(start).Seconds(), 1e-9)
		best = max(best, float64(8*len(buf))/seconds)
	}
	return best
}

// readPiece is 4 MiB.
const readPiece = 1 << 19

// part is the length of a thread's part of buf.
func part(buf []uint64, threads int) int { return max(1, (len(buf)+threads-1)/threads) }

// inParallel lets threads goroutines do buf, a piece at a time, and adds what they return.
func inParallel(buf []uint64, threads, piece int, do func([]uint64) uint64) uint64 {
	var next, total atomic.Uint64
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			for {
				hi := next.Add(uint64(piece))
				lo := hi - uint64(piece)
				if lo >= uint64(len(buf)) {
					return
				}
				total.Add(do(buf[lo:min(hi, uint64(len(buf)))]))
			}
		})
	}
	wg.Wait()
	return total.Load()
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
