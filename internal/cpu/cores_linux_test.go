package cpu

import (
	"fmt"
	"testing"
	"testing/fstest"
)

// siblings is a tree with thread_siblings_list of processors 0, 1, …; "" leaves one out.
func siblings(lists ...string) fstest.MapFS {
	tree := fstest.MapFS{}
	for i, list := range lists {
		if list != "" {
			tree[fmt.Sprintf("cpu%d/topology/thread_siblings_list", i)] = &fstest.MapFile{Data: []byte(list + "\n")}
		}
	}
	return tree
}

func TestCoresOf(t *testing.T) {
	for _, test := range []struct {
		name    string
		tree    fstest.MapFS
		allowed []int
		want    int
	}{
		{"one hardware thread a core", siblings("0", "1"), []int{0, 1}, 2},
		{"two, numbered apart", siblings("0,2", "1,3", "0,2", "1,3"), []int{0, 1, 2, 3}, 2},
		{"two, numbered together", siblings("0-1", "0-1", "2-3", "2-3"), []int{0, 1, 2, 3}, 2},
		{"a mask of both threads of one core", siblings("0-1", "0-1", "2-3", "2-3"), []int{2, 3}, 1},
		{"a mask of one thread of each core", siblings("0,2", "1,3", "0,2", "1,3"), []int{0, 3}, 2},
		{"cores of two kinds", siblings("0-1", "0-1", "2", "3"), []int{0, 1, 2, 3}, 3},
		{"nothing known of one", siblings("0", ""), []int{0, 1}, 2},
		{"empty files", siblings("\n", "\n"), []int{0, 1}, 2},
		{"nothing known", siblings(), []int{0, 1, 2, 3}, 4},
	} {
		if got := coresOf(test.tree, test.allowed); got != test.want {
			t.Errorf("%s: %d cores, want %d", test.name, got, test.want)
		}
	}
}
