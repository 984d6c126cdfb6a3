package cpu

import (
	"os"
	"runtime"
)

// Threads is how many goroutines should compute at the same time: the physical cores that
// the process may run on, at most GOMAXPROCS, which honours limits of containers. The
// hardware threads of a core share its arithmetic and its way to memory: what keeps one of
// them busy gains nothing from two. A GOMAXPROCS in the environment is the user's word and
// is returned as it is.
func Threads() int { return threads(os.Getenv("GOMAXPROCS"), runtime.GOMAXPROCS(0), cores()) }

// threads is Threads for the value of the environment variable, GOMAXPROCS and the number
// of cores, 0 where that is not known.
func threads(environment string, procs, cores int) int {
	if environment != "" || cores == 0 {
		return procs
	}
	return min(procs, cores)
}
