package chat

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func dir(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return fsys
}

func TestLoad(t *testing.T) {
	const (
		config = "tokenizer_config.json"
		jinja  = "chat_template.jinja"
		extra  = "additional_chat_templates/tool_use.jinja"
	)
	cases := []struct {
		name      string
		files     map[string]string
		plain     string // what a request without tools renders
		withTools string
	}{
		{"string", map[string]string{config: `{"chat_template": "S{{ bos_token }}"}`}, "S<s>", "S<s>"},
		{"list", map[string]string{config: `{"chat_template": [{"name": "default", "template": "D"}, {"name": "tool_use", "template": "T"}, {"name": "rag", "template": "{{ broken"}]}`}, "D", "T"},
		{"list without tools", map[string]string{config: `{"chat_template": [{"name": "default", "template": "D"}]}`}, "D", "D"},
		{"file before config", map[string]string{jinja: "F", config: `{"chat_template": "S"}`}, "F", "F"},
		{"file and tools", map[string]string{jinja: "F", extra: "T"}, "F", "T"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			template, err := Load(dir(c.files))
			if err != nil {
				t.Fatal(err)
			}
			r := Request{BOS: "<s>"}
			if got, err := template.Render(r); err != nil || got != c.plain {
				t.Errorf("%q, %v, want %q", got, err, c.plain)
			}
			r.Tools = []any{}
			if got, err := template.Render(r); err != nil || got != c.withTools {
				t.Errorf("with tools: %q, %v, want %q", got, err, c.withTools)
			}
		})
	}
}

func TestLoadWithoutTemplate(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"empty":     {},
		"no key":    {"tokenizer_config.json": `{"bos_token": "<s>"}`},
		"null":      {"tokenizer_config.json": `{"chat_template": null}`},
		"empty one": {"tokenizer_config.json": `{"chat_template": []}`},
	} {
		if _, err := Load(dir(files)); !errors.Is(err, ErrNoTemplate) {
			t.Errorf("%s: %v, want ErrNoTemplate", name, err)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	cases := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"broken JSON", map[string]string{"tokenizer_config.json": `{`}, "chat: tokenizer_config.json: "},
		{"empty", map[string]string{"tokenizer_config.json": ``}, "a JSON object expected, at byte 0"},
		{"list", map[string]string{"tokenizer_config.json": `[1]`}, "a JSON object expected, found array"},
		{"template in entry", map[string]string{"tokenizer_config.json": `{"chat_template": [{"name": 7}]}`}, `expected, found [{"name": 7}]`},
		{"number", map[string]string{"tokenizer_config.json": `{"chat_template": 5}`}, "a string or a list of {name, template} expected"},
		{"syntax", map[string]string{"chat_template.jinja": "a\n{{ x"}, `chat: chat_template.jinja: template "default": line 2: TemplateSyntaxError`},
		{"too long", map[string]string{"chat_template.jinja": strings.Repeat("x", maxTemplateBytes+1)}, "at most 1048576 bytes expected, found 1048577"},
		{"strange names", map[string]string{"tokenizer_config.json": `{"chat_template": [{"name": "rag", "template": "x"}]}`}, `no template named "default"`},
	}
	for _, c := range cases {
		if _, err := Load(dir(c.files)); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	template, err := Load(dir(map[string]string{"tokenizer_config.json": `{"chat_template": [{"name": "tool_use", "template": "x"}]}`}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := template.Render(Request{}); err == nil || !strings.Contains(err.Error(), "only requests with tools") {
		t.Error(err)
	}
}

// closed is a directory in which nothing may be opened.
type closed struct {
	fstest.MapFS
	t *testing.T
}

func (c closed) Open(name string) (fs.File, error) {
	c.t.Errorf("%s was opened", name)
	return c.MapFS.Open(name)
}

// Opening a pipe would wait for ever.
func TestLoadOnlyRegularFiles(t *testing.T) {
	for _, name := range []string{"tokenizer_config.json", "chat_template.jinja", "special_tokens_map.json"} {
		for _, mode := range []fs.FileMode{fs.ModeNamedPipe, fs.ModeDevice, fs.ModeSocket, fs.ModeDir} {
			fsys := closed{fstest.MapFS{name: {Mode: mode}}, t}
			_, err := Load(fsys)
			if name == "special_tokens_map.json" {
				_, _, err = SpecialTokens(fsys)
			}
			if err == nil || !strings.Contains(err.Error(), name+": a regular file expected") {
				t.Errorf("%s, %v: %v", name, mode, err)
			}
		}
	}
}

func TestSpecialTokens(t *testing.T) {
	const config, tokens = "tokenizer_config.json", "special_tokens_map.json"
	cases := []struct {
		name     string
		files    map[string]string
		bos, eos string
		fails    bool
	}{
		{"none", map[string]string{}, "", "", false},
		{"strings", map[string]string{config: `{"bos_token": "<s>", "eos_token": "</s>"}`}, "<s>", "</s>", false},
		{"objects", map[string]string{config: `{"bos_token": {"content": "<b>", "lstrip": false}, "eos_token": {"content": ""}}`}, "<b>", "", false},
		{"null", map[string]string{config: `{"bos_token": null}`, tokens: `{"eos_token": "<e>"}`}, "", "<e>", false},
		{"config first", map[string]string{config: `{"bos_token": "<1>"}`, tokens: `{"bos_token": "<2>", "eos_token": {"content": "<e>"}}`}, "<1>", "<e>", false},
		{"number", map[string]string{config: `{"bos_token": 5}`}, "", "", true},
		{"no content", map[string]string{config: `{"bos_token": {"x": 1}}`}, "", "", true},
		{"broken", map[string]string{tokens: `{`}, "", "", true},
	}
	for _, c := range cases {
		bos, eos, err := SpecialTokens(dir(c.files))
		if bos != c.bos || eos != c.eos || (err != nil) != c.fails {
			t.Errorf("%s: %q, %q, %v", c.name, bos, eos, err)
		}
	}
}

func TestDemoModel(t *testing.T) {
	fsys := os.DirFS("../../testdata/demo")
	template, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	bos, eos, err := SpecialTokens(fsys)
	if err != nil || bos != "<|endoftext|>" || eos != "<|im_end|>" {
		t.Errorf("%q, %q, %v", bos, eos, err)
	}
	text, err := template.Render(NewRequest(Message{"user", "Hi <b>"}))
	if want := "<|im_start|>user\nHi <b><|im_end|>\n<|im_start|>assistant\n"; err != nil || text != want {
		t.Errorf("%q, %v, want %q", text, err, want)
	}
}
