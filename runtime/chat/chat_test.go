package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBuiltins(t *testing.T) {
	system, user := Message{"system", "Be terse."}, Message{"user", " Hi\n"}
	answer, again := Message{"assistant", " Hello. "}, Message{"user", "Bye"}
	cases := []struct {
		name     string
		messages []Message
		want     string
	}{
		{"llama2", []Message{user}, "<s>[INST] Hi [/INST]"},
		{"llama2", []Message{system, user}, "<s>[INST] <<SYS>>\nBe terse.\n<</SYS>>\n\nHi [/INST]"},
		{"llama2", []Message{system, user, answer, again},
			"<s>[INST] <<SYS>>\nBe terse.\n<</SYS>>\n\nHi [/INST] Hello. </s><s>[INST] Bye [/INST]"},
		{"chatml", []Message{system, user},
			"<|im_start|>system\nBe terse.<|im_end|>\n<|im_start|>user\n Hi\n<|im_end|>\n<|im_start|>assistant\n"},
		{"zephyr", []Message{system, again, answer, again},
			"<|system|>\nBe terse.</s>\n<|user|>\nBye</s>\n<|assistant|>\n Hello. </s>\n<|user|>\nBye</s>\n<|assistant|>\n"},
	}
	for _, c := range cases {
		template, err := Builtin(c.name)
		if err != nil {
			t.Fatal(err)
		}
		r := NewRequest(c.messages...)
		r.BOS, r.EOS = "<s>", "</s>"
		if text, err := template.Render(r); err != nil || text != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, text, err, c.want)
		}
	}
}

func TestBuiltinErrors(t *testing.T) {
	if _, err := Builtin("alpaca"); err == nil || !strings.Contains(err.Error(), "chatml, llama2, zephyr") {
		t.Error(err)
	}
	template, err := Builtin("llama2")
	if err != nil {
		t.Fatal(err)
	}
	for _, messages := range [][]Message{
		{{"assistant", "x"}},
		{{"user", "x"}, {"user", "y"}},
		{{"user", "x"}, {"system", "y"}},
	} {
		if _, err := template.Render(NewRequest(messages...)); err == nil || !strings.HasPrefix(err.Error(), "chat: template: llama2: ") {
			t.Errorf("%v: %v", messages, err)
		}
	}
}

// TestSmolLM2 has the form of SmolLM2's template: ChatML with a system message of its own.
func TestSmolLM2(t *testing.T) {
	template, err := Parse("{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
	if err != nil {
		t.Fatal(err)
	}
	text, err := template.Render(NewRequest(Message{"user", "Hi"}))
	want := "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n" +
		"<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
	if err != nil || text != want {
		t.Errorf("%q, %v", text, err)
	}
}

func TestParseRequest(t *testing.T) {
	r, err := ParseRequest([]byte(`{
		"messages": [{"role": "user", "z": 1, "a": 1.0, "m": [1e2, 123456789012345678901234567890, true, null]}],
		"tools": [], "documents": [{}], "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>",
		"now": "2026-01-02T03:04:05", "chat_template_kwargs": {"enable_thinking": false}, "other": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	template, err := Parse(`{{ messages | tojson }}{{ messages[0] }}{{ tools }}{{ documents }}{{ add_generation_prompt }}{{ bos_token }}{{ eos_token }}{{ strftime_now('%H:%M') }}{{ enable_thinking }}{{ other }}`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := template.Render(r)
	want := `[{"role": "user", "z": 1, "a": 1.0, "m": [100.0, 123456789012345678901234567890, true, null]}]` +
		`{'role': 'user', 'z': 1, 'a': 1.0, 'm': [100.0, 123456789012345678901234567890, True, None]}` +
		`[][{}]True<s></s>03:04False`
	if err != nil || text != want {
		t.Errorf("%v\n%s, want\n%s", err, text, want)
	}
}

func TestParseRequestErrors(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`{`, "a JSON value expected, found the end"},
		{``, "a JSON value expected, found the end"},
		{`[]`, "object expected, found list"},
		{`{}`, `no "messages"`},
		{`{"messages": {}}`, `"messages": list expected, found object`},
		{`{"messages": [], "bos_token": 5}`, `"bos_token": string expected, found number`},
		{`{"messages": [], "now": "noon"}`, `"now": date and time expected, found "noon"`},
		{`{"messages": []} x`, "more text"},
		{`{"messages": []} {}`, "more text"},
		{`{"messages": ` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`, "nested deeper than 100"},
		{`{"messages": [` + strings.Repeat("1", 5000) + `]}`, "integer of 5000 digits"},
	} {
		if _, err := ParseRequest([]byte(c.json)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: %v, want %q", c.json, err, c.want)
		}
	}
}

// TestGoValues: a request may hold any value that encoding/json can write.
func TestGoValues(t *testing.T) {
	type call struct {
		Name string         `json:"name"`
		Args map[string]any `json:"arguments"`
	}
	template, err := Parse(`{{ messages | tojson }}{{ extra }}`)
	if err != nil {
		t.Fatal(err)
	}
	r := Request{
		Messages: []any{Message{"user", "x"}, map[string]any{"role": "assistant", "calls": []call{{"f", map[string]any{"b": 1, "a": 2.0}}}}},
		Extra:    map[string]any{"extra": int32(5)},
	}
	text, err := template.Render(r)
	want := `[{"role": "user", "content": "x"}, {"calls": [{"name": "f", "arguments": {"a": 2, "b": 1}}], "role": "assistant"}]5`
	if err != nil || text != want {
		t.Errorf("%s, %v", text, err)
	}
	r.Extra["extra"] = func() {}
	if _, err := template.Render(r); err == nil {
		t.Error("no error for a function")
	}
}

func TestDeepGoValue(t *testing.T) {
	var v any
	for range 1000 {
		v = []any{v}
	}
	template, err := Parse("x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := template.Render(Request{Messages: []any{v}}); err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Error(err)
	}
}

// TestLongConversations: the limits leave room for any conversation that a model can read.
func TestLongConversations(t *testing.T) {
	files, err := filepath.Glob(templates + "/*.jinja")
	if err != nil {
		t.Fatal(err)
	}
	var r Request
	for i := range 500 {
		r.Messages = append(r.Messages,
			Message{"user", fmt.Sprintf("Question %d. ", i) + strings.Repeat("why? ", 30)},
			Message{"assistant", strings.Repeat("because ", 30)})
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		template, err := Parse(string(source))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := template.Render(r); err != nil && strings.Contains(err.Error(), "limit:") {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
}

func TestOutputIsLimited(t *testing.T) {
	template, err := Parse("{{ messages[0].content }}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := template.Render(NewRequest(Message{"user", strings.Repeat("x", MaxOutput)})); err != nil {
		t.Error(err)
	}
	if _, err := template.Render(NewRequest(Message{"user", strings.Repeat("x", MaxOutput+1)})); err == nil {
		t.Error("no error beyond the limit")
	}
}

func TestNowDefaults(t *testing.T) {
	template, err := Parse("{{ strftime_now('%Y') }}")
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now().Year()
	text, err := template.Render(Request{})
	years := []string{fmt.Sprint(before), fmt.Sprint(time.Now().Year())}
	if err != nil || !slices.Contains(years, text) {
		t.Errorf("%q, %v", text, err)
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(`{"messages": [{"role": "user", "content": [1, 1.5, null, {"a": []}]}], "now": "2026-01-02"}`))
	template, err := Parse(`{{ messages | tojson }}{{ messages }}`)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRequest(data)
		if err != nil {
			return
		}
		if _, err := template.Render(r); err != nil && strings.Contains(err.Error(), "engine failed") {
			t.Fatal(err)
		}
	})
}

// What the package comment says of text that goes in.
func TestMessagesAreNotEscaped(t *testing.T) {
	template, err := Builtin("chatml")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseRequest([]byte(`{"messages": [{"role": "user", "content": "a<|im_end|>` + "\xff\xfe" + `b"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := template.Render(r)
	if want := "<|im_start|>user\na<|im_end|>\uFFFD\uFFFDb<|im_end|>\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
