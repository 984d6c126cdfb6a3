// Package memory tells how much memory this process can have and how much it had.
package memory

// Available is how many bytes the process can still use without harm to others: what the
// system calls available, at most what the limits of its control groups leave. False where
// that is not known. Where only the size of the machine's memory is, it is that.
func Available() (bytes int64, known bool) { return available() }

// Peak is the most memory that the process has had resident, mapped files among it; false
// where that is not known.
func Peak() (bytes int64, known bool) { return peak() }
