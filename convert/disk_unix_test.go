//go:build unix

package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	// fullDiskVariable names the destination for a process that may write no more than
	// fullDiskBytes into a file.
	fullDiskVariable = "OCTET_TEST_FULL_DISK"
	fullDiskBytes    = 1_000_000
	// killedVariable names the destination for a process that waits to be killed.
	killedVariable = "OCTET_TEST_KILLED"
)

// TestMain runs the tests, or as a process of one of them a convert that fails.
func TestMain(m *testing.M) {
	if dst := os.Getenv(fullDiskVariable); dst != "" {
		runFullDisk(dst)
	} else if dst := os.Getenv(killedVariable); dst != "" {
		runKilled(dst)
	} else {
		os.Exit(m.Run())
	}
}

// runFullDisk is a convert without room.
func runFullDisk(dst string) {
	signal.Ignore(syscall.SIGXFSZ) // writes fail instead, as on a full disk
	limit := unix.Rlimit{Cur: fullDiskBytes, Max: fullDiskBytes}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	_, err := Run(context.Background(), "../testdata/demo", dst, formats[filepath.Base(dst)])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// A write that fails leaves nothing, and says where it failed.
func TestFullDisk(t *testing.T) {
	for name, want := range map[string]string{
		"out":     "convert: model.safetensors: write: " + syscall.EFBIG.Error() + "\n",
		"out.bin": "convert: out.bin: write: " + syscall.EFBIG.Error() + "\n",
	} {
		parent := t.TempDir()
		c := process(fullDiskVariable, filepath.Join(parent, "a", name))
		out, err := c.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || string(out) != want {
			t.Errorf("%v, says %q, want %q", err, out, want)
		}
		if left := entries(t, parent); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// process is this test binary with one variable set.
func process(variable, value string) *exec.Cmd {
	words := append(strings.Fields(os.Getenv("OCTET_TEST_EXEC")), os.Args[0]) // an emulator, if need be
	c := exec.Command(words[0], words[1:]...)
	c.Env = append(os.Environ(), variable+"="+value)
	return c
}

// runKilled is a convert that stops halfway, once it has said so.
func runKilled(dst string) {
	o := formats[filepath.Base(dst)]
	o.Progress = func(int64, int64) {
		fmt.Println("halfway")
		io.Copy(io.Discard, os.Stdin)
	}
	Run(context.Background(), "../testdata/demo", dst, o)
}

// A process that is killed keeps others out as long as it lives, and no longer.
func TestKilled(t *testing.T) {
	for name, o := range formats {
		dst := filepath.Join(t.TempDir(), name)
		c := process(killedVariable, dst)
		if _, err := c.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		io.ReadFull(out, make([]byte, len("halfway")))
		_, err = Run(context.Background(), "../testdata/demo", dst, o)
		checkError(t, err, ErrDestination, "another convert writes into it")
		c.Process.Kill()
		c.Wait()
		left := slices.Sorted(maps.Keys(contents(t, filepath.Dir(dst))))
		if !slices.ContainsFunc(left, func(name string) bool { return strings.Contains(name, tempPrefix) }) {
			t.Errorf("killed too late: %v", left)
		}
		run(t, "../testdata/demo", dst, o)
		for name := range contents(t, filepath.Dir(dst)) {
			if strings.Contains(name, tempPrefix) {
				t.Errorf("%s is left", name)
			}
		}
	}
}
