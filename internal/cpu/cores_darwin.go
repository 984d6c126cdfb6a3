package cpu

import "golang.org/x/sys/unix"

// cores is the number of performance cores where the machine has two kinds: work in equal
// parts would wait for the slow ones. Otherwise it is the number of all cores.
func cores() int {
	for _, name := range []string{"hw.perflevel0.physicalcpu", "hw.physicalcpu"} {
		if n, err := unix.SysctlUint32(name); err == nil && n > 0 {
			return int(n)
		}
	}
	return 0
}
