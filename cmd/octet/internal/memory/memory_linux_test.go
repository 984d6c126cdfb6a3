package memory

import (
	"testing"
	"testing/fstest"
)

// tree is a file system of names and contents in turns, beside a machine with 4 GiB available.
func tree(files ...string) fstest.MapFS {
	fsys := fstest.MapFS{"proc/meminfo": {Data: []byte("MemTotal:  8388608 kB\nMemFree: 1024 kB\nMemAvailable:    4194304 kB\n")}}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return fsys
}

func TestAvailable(t *testing.T) {
	const gib = 1 << 30
	for _, test := range []struct {
		name string
		tree fstest.MapFS
		want int64
	}{
		{"no groups", tree(), 4 * gib},
		{"version 2 without limit", tree("proc/self/cgroup", "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max", "max\n", "sys/fs/cgroup/a/b/memory.current", "77\n"), 4 * gib},
		{"version 2", tree("proc/self/cgroup", "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max", "2147483648\n", "sys/fs/cgroup/a/b/memory.current", "1073741824\n"), gib},
		{"files in the cache make room", tree("proc/self/cgroup", "0::/a\n",
			"sys/fs/cgroup/a/memory.max", "2147483648\n", "sys/fs/cgroup/a/memory.current", "2147483648\n",
			"sys/fs/cgroup/a/memory.stat", "anon 1\nactive_file 5\ninactive_file 1073741824\n"), gib},
		{"a parent's limit", tree("proc/self/cgroup", "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max", "3221225472\n", "sys/fs/cgroup/a/b/memory.current", "0\n",
			"sys/fs/cgroup/a/memory.max", "2147483648\n", "sys/fs/cgroup/a/memory.current", "0\n"), 2 * gib},
		{"a container that does not see its path", tree("proc/self/cgroup", "0::/host/path\n",
			"sys/fs/cgroup/memory.max", "1073741824\n", "sys/fs/cgroup/memory.current", "0\n"), gib},
		{"more used than allowed", tree("proc/self/cgroup", "0::/\n",
			"sys/fs/cgroup/memory.max", "10\n", "sys/fs/cgroup/memory.current", "20\n"), 0},
		{"version 1", tree("proc/self/cgroup", "5:devices:/\n4:memory:/x\n0::/\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes", "2147483648\n", "sys/fs/cgroup/memory/x/memory.usage_in_bytes", "1073741824\n",
			"sys/fs/cgroup/memory/x/memory.stat", "inactive_file 1\ntotal_inactive_file 536870912\n"), gib + gib/2},
		{"version 1 without limit", tree("proc/self/cgroup", "4:memory:/x\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n", "sys/fs/cgroup/memory/x/memory.usage_in_bytes", "1\n"), 4 * gib},
		{"a damaged list", tree("proc/self/cgroup", "nonsense\n"), 4 * gib},
	} {
		if got, known := availableIn(test.tree); got != test.want || !known {
			t.Errorf("%s: %d, %v, want %d", test.name, got, known, test.want)
		}
	}
	if got, known := availableIn(fstest.MapFS{}); known {
		t.Errorf("without meminfo: %d", got)
	}
}

func TestHere(t *testing.T) {
	if n, known := Available(); !known || n <= 0 {
		t.Errorf("available: %d, %v", n, known)
	}
	if n, known := Peak(); !known || n <= 0 {
		t.Errorf("peak: %d, %v", n, known)
	}
}
