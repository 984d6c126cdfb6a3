package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// ownCommands are the commands that octet defines, not those that cobra adds.
func ownCommands() []*cobra.Command { return newRootCommand().Commands() }

func TestHelp(t *testing.T) {
	for _, c := range ownCommands() {
		t.Run(c.Name(), func(t *testing.T) {
			if len(c.Long) <= len(c.Short) {
				t.Error("no long help")
			}
			for line := range strings.Lines(c.Example) {
				if !strings.Contains(line, "octet "+c.Name()) {
					t.Errorf("example %q does not show octet %s", line, c.Name())
				}
			}
			help := good(t, "", c.Name(), "--help")
			if c.Example == "" || !strings.Contains(help, c.Example) {
				t.Errorf("no example in the help:\n%s", help)
			}
		})
	}
}

func TestRootHelp(t *testing.T) {
	help := good(t, "")
	if help != good(t, "", "--help") {
		t.Error("octet and octet --help differ")
	}
	for _, c := range ownCommands() {
		if !strings.Contains(help, "  "+c.Name()+" ") {
			t.Errorf("%s is not in the help", c.Name())
		}
	}
}

func TestWrongUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string // the first line of stderr
	}{
		{[]string{"tokenise"}, `unknown command "tokenise" (did you mean tokenize?)`},
		{[]string{"--fast"}, "unknown flag: --fast"},
		{[]string{"inspect", "model"}, `unknown command "model" for "octet inspect"`},
		{[]string{"inspect", "-m"}, "flag needs an argument: 'm' in -m"},
		{[]string{"tokenize", "--skip-special"}, "--skip-special: only with --decode"},
		{[]string{"tokenize", "--decode", "--no-special"}, "if any flags in the group [decode no-special] are set none of the others can be; [decode no-special] were all set"},
		{[]string{"logits", "--ids", "1"}, `required flag(s) "out" not set`},
		{[]string{"logits", "--out", "x"}, "at least one of the flags in the group [ids text] is required"},
		{[]string{"logits", "--ids", "1", "--out", "x", "--activations", "int4"}, `invalid argument "int4" for "--activations" flag: one of int16, int8, float expected`},
		{[]string{"logits", "--ids", "1", "--out", "x", "--quantize", "int4"}, `invalid argument "int4" for "--quantize" flag: one of int8 expected`},
		{[]string{"logits", "--ids", "1", "--out", "x", "--group-size", "32"}, "--group-size: only with --quantize int8"},
		{[]string{"logits", "--ids", "1", "--out", "x", "--quantize", "int8", "--group-size", "48"}, "--group-size: 32, 64 or 128 expected, found 48"},
		{[]string{"logits", "--ids", "1", "--out", "x", "--threads", "-1"}, "--threads: 1 to 4096 expected, found -1"},
		{[]string{"logits", "--ids", "1", "--out", "x", "--context", "-1"}, "--context: a positive number expected, found -1"},
		{[]string{"bench", "-r", "0"}, "-p, -n and -d: no negative numbers, -r: at least 1 expected, found -p 512 -n 128 -d 0 -r 0"},
		{[]string{"bench", "-o", "xml"}, `invalid argument "xml" for "-o, --output" flag: one of table, json, csv expected`},
		{[]string{"template", "--file", "a", "--chat-template", "b"}, "if any flags in the group [file chat-template] are set none of the others can be; [chat-template file] were all set"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			got := octet(t, "", test.args...)
			first, rest, _ := strings.Cut(got.stderr, "\n")
			if got.code != exitUsage || got.stdout != "" || first != "octet: "+test.want {
				t.Errorf("exit code %d, stdout %q, stderr %q, want code %d and %q", got.code, got.stdout, got.stderr, exitUsage, test.want)
			}
			if strings.Count(rest, "\n") != 1 || !strings.Contains(rest, "--help") {
				t.Errorf("one line with a hint to --help expected after the error, found %q", rest)
			}
		})
	}
}

// TestUnreadableModel gives every command that takes a model ones that are none.
func TestUnreadableModel(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("no model"), 0o666); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"inspect"},
		{"bench"},
		{"tokenize"},
		{"template"},
		{"logits", "--ids", "1", "--out", filepath.Join(dir, "out")},
	} {
		for name, path := range map[string]string{"missing": filepath.Join(dir, "missing"), "empty directory": empty, "text file": text} {
			t.Run(command[0]+" "+name, func(t *testing.T) {
				got := octet(t, "{}", append(command, "-m", path)...)
				if got.code != exitFailed || got.stdout != "" {
					t.Errorf("exit code %d, stdout %q", got.code, got.stdout)
				}
				if !strings.HasPrefix(got.stderr, "octet: ") || strings.Count(got.stderr, "\n") != 1 {
					t.Errorf("one line of error expected, found %q", got.stderr)
				}
				t.Log(got.stderr)
			})
		}
	}
}
