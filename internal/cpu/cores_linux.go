package cpu

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// cores is the number of physical cores in the process's affinity mask.
func cores() int {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return 0
	}
	var allowed []int
	for i := range len(mask) * 64 {
		if mask.IsSet(i) {
			allowed = append(allowed, i)
		}
	}
	return coresOf(os.DirFS("/sys/devices/system/cpu"), allowed)
}

// coresOf counts the cores that the allowed processors belong to, in a tree like
// /sys/devices/system/cpu. A processor that the tree says nothing of, or of which it only
// has an empty file, counts as a core.
func coresOf(tree fs.FS, allowed []int) int {
	seen := map[string]bool{}
	for _, i := range allowed {
		siblings, err := fs.ReadFile(tree, fmt.Sprintf("cpu%d/topology/thread_siblings_list", i))
		if err != nil || len(bytes.TrimSpace(siblings)) == 0 {
			siblings = fmt.Append(nil, i)
		}
		seen[string(siblings)] = true
	}
	return len(seen)
}
