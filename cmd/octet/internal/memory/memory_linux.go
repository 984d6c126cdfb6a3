package memory

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

func available() (int64, bool) { return availableIn(os.DirFS("/")) }

func peak() (int64, bool) {
	kB, ok := field(os.DirFS("/"), "proc/self/status", "VmHWM:")
	return kB << 10, ok
}

// availableIn is Available on a system with that file tree.
func availableIn(root fs.FS) (int64, bool) {
	kB, known := field(root, "proc/meminfo", "MemAvailable:")
	if !known {
		return 0, false
	}
	least := kB << 10
	for _, g := range groups(root) {
		if left, limited := g.left(root); limited {
			least = min(least, left)
		}
	}
	return max(least, 0), true
}

// group is a control group that limits memory.
type group struct {
	dir string
	*layout
}

// layout names the files of a version of control groups.
type layout struct{ limit, usage, inactive string }

var (
	layout1 = layout{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
	layout2 = layout{"memory.max", "memory.current", "inactive_file"}
)

// groups lists the control groups of this process and those that hold them. In a container
// the path may be one of the host, which is not there: its parents remain.
func groups(root fs.FS) (list []group) {
	b, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(b)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch {
		case parts[0] == "0" && parts[1] == "":
			list = append(list, above("sys/fs/cgroup", parts[2], &layout2)...)
		case parts[1] == "memory":
			list = append(list, above("sys/fs/cgroup/memory", parts[2], &layout1)...)
		}
	}
	return list
}

// above lists the group called name within the mount point and its parents.
func above(mount, name string, l *layout) (list []group) {
	for name = path.Clean("/" + name); ; name = path.Dir(name) {
		list = append(list, group{path.Join(mount, name), l})
		if name == "/" {
			return list
		}
	}
}

// left is what the group's limit leaves. Cached files that nobody uses make room when it is
// needed.
func (g group) left(root fs.FS) (int64, bool) {
	limit, ok := number(root, path.Join(g.dir, g.limit))
	if !ok || limit >= math.MaxInt64>>1 { // no limit, in the first version
		return 0, false
	}
	used, ok := number(root, path.Join(g.dir, g.usage))
	if !ok {
		return 0, false
	}
	inactive, _ := field(root, path.Join(g.dir, "memory.stat"), g.inactive)
	return limit - max(used-inactive, 0), true
}

// number reads a file that holds a number; false for one that holds a word: "max".
func number(root fs.FS, name string) (int64, bool) {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	return n, err == nil
}

// field is the number after a name at the start of a line.
func field(root fs.FS, file, name string) (int64, bool) {
	b, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, false
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) >= 2 && words[0] == name {
			n, err := strconv.ParseInt(words[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
