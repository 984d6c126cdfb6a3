package main

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"octet/testdata/demo"
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
		{[]string{"inspect", "model"}, `unexpected argument "model": a model is named with -m`},
		{[]string{"inspect", "-m"}, "flag needs an argument: 'm' in -m"},
		{[]string{"tokenize", "--skip-special"}, "--skip-special: only with --decode"},
		{[]string{"tokenize", "--decode", "--no-special"}, "if any flags in the group [decode no-special] are set none of the others can be; [decode no-special] were all set"},
		{[]string{"logits", "--ids", "1"}, `required flag(s) "out" not set`},
		{[]string{"logits", "--out", "x"}, "at least one of the flags in the group [ids text] is required"},
		{[]string{"run", "--kv", "bf16", "a"}, `invalid argument "bf16" for "--kv" flag: one of f32, f16, int8 expected`},
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

// unreadable returns paths of what is no model, or a damaged one, by what is wrong with them.
func unreadable(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	paths := map[string]string{"missing": filepath.Join(dir, "missing")}
	for name, damage := range map[string]func(dir string) error{
		"empty directory": os.RemoveAll,
		"truncated shard": func(dir string) error {
			return os.Truncate(filepath.Join(dir, "model-00002-of-00002.safetensors"), 1_000_000)
		},
		"missing shard": func(dir string) error { return os.Remove(filepath.Join(dir, "model-00001-of-00002.safetensors")) },
		"text for a config": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "config.json"), []byte("no model"), 0o666)
		},
		"config without layers": func(dir string) error {
			return replaceIn(filepath.Join(dir, "config.json"), "num_hidden_layers", "layers")
		},
	} {
		path := filepath.Join(dir, name)
		if err := cmp.Or(os.CopyFS(path, demo.FS), damage(path), os.MkdirAll(path, 0o777)); err != nil {
			t.Fatal(err)
		}
		paths[name] = path
	}
	paths["text file"] = filepath.Join(paths["text for a config"], "config.json")
	return paths
}

// replaceIn replaces text in a file.
func replaceIn(path, old, new string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, bytes.ReplaceAll(b, []byte(old), []byte(new)), 0o666)
}

// TestUnreadableModel gives models that cannot be read to every command that reads one.
func TestUnreadableModel(t *testing.T) {
	paths := unreadable(t)
	out := filepath.Join(t.TempDir(), "out")
	for _, command := range [][]string{
		{"inspect", "-m"},
		{"bench", "-m"},
		{"run", "Hello", "-m"},
		{"chat", "-m"},
		{"validate", "-m"},
		{"logits", "--ids", "1", "--out", out, "-m"},
		{"convert"},
	} {
		for name, path := range paths {
			t.Run(command[0]+" "+name, func(t *testing.T) {
				args := append(slices.Clone(command), path)
				if command[0] == "convert" {
					args = []string{"convert", path, out}
				}
				checkFailure(t, octet(t, "", args...))
			})
		}
	}
	for _, command := range []string{"tokenize", "template"} { // which need no weights
		for _, name := range []string{"missing", "empty directory"} {
			t.Run(command+" "+name, func(t *testing.T) { checkFailure(t, octet(t, hello, command, "-m", paths[name])) })
		}
	}
}

// checkFailure checks that a command failed with one line of error and nothing else.
func checkFailure(t *testing.T, got outcome) {
	t.Helper()
	if got.code != exitFailed || got.stdout != "" {
		t.Errorf("exit code %d, stdout %q", got.code, got.stdout)
	}
	if !strings.HasPrefix(got.stderr, "octet: ") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("one line of error expected, found %q", got.stderr)
	}
}
