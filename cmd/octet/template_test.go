package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const hello = `{"messages": [{"role": "user", "content": "Hello"}], "add_generation_prompt": true}`

func TestTemplate(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.jinja")
	if err := os.WriteFile(file, []byte("{{ bos_token }}{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}\n\n\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const own = `{"messages": [{"role": "user", "content": "Hi"}], "bos_token": "", "eos_token": "E"}`
	for _, test := range []struct {
		name, stdin, want string
		args              []string
	}{
		{"the model's own", hello, "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n", nil},
		{"built in", hello, "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n", []string{"--chat-template", "chatml"}},
		{"file without a model", hello, "Hello\n", []string{"--file", file}},
		{"tokens of the model", hello, "<|endoftext|>Hello<|im_end|>\n", []string{"--chat-template", file}},
		{"tokens of the conversation", own, "HiE\n", []string{"--chat-template", file}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := good(t, test.stdin, append([]string{"template"}, test.args...)...); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTemplateFails(t *testing.T) {
	dir := t.TempDir()
	raises := filepath.Join(dir, "raises.jinja")
	if err := os.WriteFile(raises, []byte("{{ raise_exception('Only one user, please') }}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, stdin, want string
		args              []string
	}{
		{"no JSON", "Hello", "chat: request", nil},
		{"no messages", "{}", "messages", nil},
		{"an array", "[]", "object expected", nil},
		{"no template", hello, "--chat-template", []string{"-m", dir}},
		{"missing file", hello, "no such file", []string{"--file", filepath.Join(dir, "missing.jinja")}},
		{"missing file instead of the model's", hello, "no such file", []string{"--chat-template", "chatlm"}},
		{"the template refuses", hello, "Only one user, please", []string{"--file", raises}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := octet(t, test.stdin, append([]string{"template"}, test.args...)...)
			if got.code != exitFailed || got.stdout != "" || !strings.Contains(got.stderr, test.want) {
				t.Errorf("found %+v, want exit code 1 and %q", got, test.want)
			}
		})
	}
}
