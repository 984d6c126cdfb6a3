package convert

import "os"

// writebackBytes is how much of a file is written before the system is asked to bring it to
// the disk.
const writebackBytes = 64 << 20

// writeback has the disk work while later parts of a file are made: at the end, where the
// file must be on the disk, little is left to wait for.
type writeback struct {
	file     *os.File
	low      int64 // offset of what was written and not asked for yet
	high     int64 // its end
	requests chan request
	done     chan struct{}
}

// request is a part of a file to bring to the disk.
type request struct {
	file  *os.File
	at, n int64
}

// startWriteback starts the goroutine that asks: the system may let it wait for the disk.
func startWriteback(begin func(request)) *writeback {
	w := &writeback{requests: make(chan request, 64), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for r := range w.requests {
			begin(r)
		}
	}()
	return w
}

// wrote notes that n bytes of f were written at an offset.
func (w *writeback) wrote(f *os.File, at, n int64) {
	if f != w.file {
		w.ask()
		w.file, w.low, w.high = f, at, at
	}
	w.low, w.high = min(w.low, at), max(w.high, at+n)
	if w.high-w.low >= writebackBytes {
		w.ask()
	}
}

// ask hands over what was noted.
func (w *writeback) ask() {
	if w.high > w.low {
		w.requests <- request{w.file, w.low, w.high - w.low}
	}
	w.low = w.high
}

// end waits until all is asked for; files may then be closed. Where complete is false they
// are of no use, and what waits for its turn is dropped.
func (w *writeback) end(complete bool) {
	if complete {
		w.ask()
	} else {
		w.drop()
	}
	close(w.requests)
	<-w.done
}

// drop forgets the requests that wait.
func (w *writeback) drop() {
	for {
		select {
		case <-w.requests:
		default:
			return
		}
	}
}
