package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"octet/runtime"
	"octet/runtime/chat"
	"octet/testdata/demo"
)

func TestChatLines(t *testing.T) {
	o := octet(t, "What is 4 + 5?\nWhat is the opposite of hot?\n", "chat", "--show-prompt")
	if o.code != exitGood || o.stdout != "4 plus 5 is 9.\nThe opposite of hot is cold.\n" {
		t.Errorf("%+v", o)
	}
	if !strings.Contains(o.stderr, "<|im_start|>user\nWhat is the opposite of hot?<|im_end|>\n<|im_start|>assistant\n") {
		t.Errorf("prompt shown: %q", o.stderr)
	}
}

func TestChatErrors(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.jinja")
	if err := os.WriteFile(bad, []byte("{% if %}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"-m", "../../testdata/models/llama"}, exitFailed, "--chat-template"},
		{[]string{"--chat-template", "no/such.jinja"}, exitFailed, "no/such.jinja"},
		{[]string{"--chat-template", bad}, exitFailed, "bad.jinja"},
		{[]string{"--context", "4"}, exitFailed, "context full"},
	} {
		o := octet(t, "hello\n", append([]string{"chat"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.stderr, c.stderr) {
			t.Errorf("%v: %+v", c.args, o)
		}
	}
}

// TestConversation saves, goes back and loads; the answers stay the same.
func TestConversation(t *testing.T) {
	m, err := runtime.LoadFS(demo.FS, runtime.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	template, err := chat.Load(demo.FS)
	if err != nil {
		t.Fatal(err)
	}
	v := &conversation{model: m, session: m.NewSession(), template: template}
	if v.special, err = newSpecialText(m); err != nil {
		t.Fatal(err)
	}
	say := func(text string) string {
		t.Helper()
		r, err := v.reply(t.Context(), text, func(string) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return r.Text
	}
	first := say("What is 4 + 5?")
	path := filepath.Join(t.TempDir(), "saved")
	if err := v.save(path); err != nil {
		t.Fatal(err)
	}
	second := say("Tell me a story about a hedgehog.")
	if err := v.undo(); err != nil || len(v.messages) != 2 {
		t.Fatalf("undo: %v, %d messages", err, len(v.messages))
	}
	if again := say("Tell me a story about a hedgehog."); again != second {
		t.Errorf("after undo: %q, before %q", again, second)
	}
	v.reset()
	if err := v.load(path); err != nil || len(v.messages) != 2 || v.messages[1].Content != first {
		t.Fatalf("load: %v, %v", err, v.messages)
	}
	if again := say("Tell me a story about a hedgehog."); again != second {
		t.Errorf("after load: %q, before %q", again, second)
	}
	if err := v.load("../../go.mod"); err == nil || v.undo() != nil {
		t.Errorf("loading a file that is no conversation: %v", err)
	}
}

// TestSpecialText encodes prompts with a tokenizer that knows special tokens by their text,
// and with one that does not.
func TestSpecialText(t *testing.T) {
	for _, c := range []struct {
		model, bos, eos string
		bosID, eosID    int
	}{
		{"../../testdata/demo", "<|endoftext|>", "<|im_end|>", 0, 2},
		{"../../testdata/llama2c/llama2c_shared/model_v0.bin", "<s>", "</s>", 1, 2},
	} {
		m, err := runtime.Load(c.model, runtime.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		s, err := newSpecialText(m)
		if err != nil {
			t.Fatal(err)
		}
		word, err := m.Tokenizer().Encode("fox", false)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Concat([]int{c.bosID}, word, []int{c.eosID, c.bosID}, word)
		ids, err := s.encode(c.bos + "fox" + c.eos + c.bos + "fox")
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("%s: %v, %v, want %v", c.model, ids, err, want)
		}
	}
}
