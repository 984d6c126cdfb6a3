package memory

import "golang.org/x/sys/unix"

func available() (int64, bool) {
	n, err := unix.SysctlUint64("hw.memsize")
	return int64(n), err == nil
}

func peak() (int64, bool) {
	var u unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &u)
	return u.Maxrss, err == nil
}
