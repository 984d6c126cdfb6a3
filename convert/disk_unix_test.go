//go:build unix

package convert

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// fullDiskVariable names the destination for a process that may write no more than
// fullDiskBytes into a file.
const (
	fullDiskVariable = "OCTET_TEST_FULL_DISK"
	fullDiskBytes    = 1_000_000
)

// TestMain runs the tests, or as a process of TestFullDisk a convert without room.
func TestMain(m *testing.M) {
	dst := os.Getenv(fullDiskVariable)
	if dst == "" {
		os.Exit(m.Run())
	}
	signal.Ignore(syscall.SIGXFSZ) // writes fail instead, as on a full disk
	limit := unix.Rlimit{Cur: fullDiskBytes, Max: fullDiskBytes}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	o := Options{}
	if filepath.Ext(dst) == ".bin" {
		o.Format = Llama2C
	}
	_, err := Run(context.Background(), "../testdata/demo", dst, o)
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
		words := append(strings.Fields(os.Getenv("OCTET_TEST_EXEC")), os.Args[0]) // an emulator, if need be
		c := exec.Command(words[0], words[1:]...)
		c.Env = append(os.Environ(), fullDiskVariable+"="+filepath.Join(parent, "a", name))
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
