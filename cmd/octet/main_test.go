package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// asProgram makes the test binary behave as octet.
const asProgram = "OCTET_TEST_AS_PROGRAM"

// testExec names the emulator that runs the test binary, if it is of another machine.
const testExec = "OCTET_TEST_EXEC"

func TestMain(m *testing.M) {
	selfCommand = func() ([]string, error) {
		self, err := os.Executable()
		return append(strings.Fields(os.Getenv(testExec)), self), err
	}
	bandwidthBuffer = 1 << 20 // many tests run bench, none looks at how fast memory is
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// outcome is what a command line did.
type outcome struct {
	stdout, stderr string
	code           int
}

// octet runs a command line in process.
func octet(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := execute(args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{stdout.String(), stderr.String(), code}
}

// good runs a command line that must succeed and returns its stdout.
func good(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	o := octet(t, stdin, args...)
	if o.code != exitGood {
		t.Fatalf("octet %s: exit code %d: %s", strings.Join(args, " "), o.code, o.stderr)
	}
	return o.stdout
}

// goodJSON is good for a command line that prints JSON.
func goodJSON[T any](t *testing.T, stdin string, args ...string) (out T) {
	t.Helper()
	text := good(t, stdin, args...)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("octet %s: %v in %s", strings.Join(args, " "), err, text)
	}
	return out
}

// programCommand is a command line to run in a process of its own.
func programCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	words, err := selfCommand()
	if err != nil {
		t.Fatal(err)
	}
	words = append(words, args...)
	c := exec.Command(words[0], words[1:]...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// program runs a command line in a process of its own.
func program(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := programCommand(t, args...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

func TestProgram(t *testing.T) {
	missing := t.TempDir() + "/no such model"
	for _, test := range []struct {
		name  string
		stdin string
		args  []string
		want  outcome
	}{
		{"good", "", []string{"tokenize", "--decode"}, outcome{}},
		{"failed", "", []string{"inspect", "-m", missing},
			outcome{"", "octet: loader: " + missing + ": no such file or directory\n", exitFailed}},
		{"wrong usage", "", []string{"inspect", "--speed"},
			outcome{"", "octet: unknown flag: --speed\nRun \"octet inspect --help\" for how to call it.\n", exitUsage}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := program(t, test.stdin, test.args...); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
