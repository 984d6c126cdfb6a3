package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"octet/runtime/chat"
	"octet/testdata/demo"
)

// templateFlags are the flags of octet template.
type templateFlags struct {
	modelFlags
	file, chatTemplate string
}

func newTemplateCommand() *cobra.Command {
	f := &templateFlags{}
	c := &cobra.Command{
		Use:   "template",
		Short: "Render a conversation with a chat template",
		Long: `template reads a conversation as JSON from stdin and prints the prompt that a chat template
makes of it, exactly, with no newline added.

The JSON object has messages (a list of {"role", "content"}), and where wanted tools,
add_generation_prompt, bos_token, eos_token and now (the time that the template sees). What is
absent of bos_token and eos_token is taken from the model.

--chat-template is one of ` + strings.Join(chat.BuiltinNames(), ", ") + `, or a file.`,
		Example: `  echo '{"messages": [{"role": "user", "content": "Hello"}], "add_generation_prompt": true}' | octet template
  octet template -m ./SmolLM2-135M-Instruct < conversation.json
  octet template --file llama3.jinja < conversation.json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.registerModel(c)
	registerPath(c, &f.file, "file", "", "Jinja template `FILE`, without a model")
	registerPath(c, &f.chatTemplate, "chat-template", "", "template `NAME|FILE` instead of the model's own")
	c.MarkFlagsMutuallyExclusive("file", "model")
	c.MarkFlagsMutuallyExclusive("file", "chat-template")
	return c
}

func (f *templateFlags) run(c *cobra.Command) error {
	t, fsys, err := f.open()
	if err != nil {
		return err
	}
	in, err := readInput(c)
	if err != nil {
		return err
	}
	r, err := parseRequest(in, fsys)
	if err != nil {
		return err
	}
	text, err := t.Render(r)
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.OutOrStdout(), text)
	return err
}

// open returns the template, and the model's files if a model is used.
func (f *templateFlags) open() (*chat.Template, fs.FS, error) {
	if f.file != "" {
		t, err := readTemplate(f.file)
		return t, nil, err
	}
	fsys, err := modelFiles(f.model)
	if err != nil {
		return nil, nil, err
	}
	t, err := openTemplate(fsys, f.chatTemplate)
	return t, fsys, err
}

// modelFiles is the directory of the model at path: the embedded one for "", the directory
// that a file lies in.
func modelFiles(path string) (fs.FS, error) {
	if path == "" {
		return demo.FS, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		path = filepath.Dir(path)
	}
	return os.DirFS(path), nil
}

// openTemplate returns the chat template called name, built in or a file, or for "" that of
// the model whose files are in fsys. There is no default.
func openTemplate(fsys fs.FS, name string) (*chat.Template, error) {
	if slices.Contains(chat.BuiltinNames(), name) {
		return chat.Builtin(name)
	}
	if name != "" {
		return readTemplate(name)
	}
	t, err := chat.Load(fsys)
	if errors.Is(err, chat.ErrNoTemplate) {
		err = fmt.Errorf("%w: name one with --chat-template %s|FILE", err, strings.Join(chat.BuiltinNames(), "|"))
	}
	return t, err
}

// maxTemplate bounds a template's size in bytes, as in a model directory.
const maxTemplate = 1 << 20

func readTemplate(path string) (*chat.Template, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("chat template: %w", err)
	}
	defer f.Close()
	source, err := readAll(f, maxTemplate)
	if err != nil {
		return nil, fmt.Errorf("chat template %s: %w", path, err)
	}
	t, err := chat.Parse(string(source))
	if err != nil {
		return nil, fmt.Errorf("chat template %s: %w", path, err)
	}
	return t, nil
}

// parseRequest reads a conversation. Special tokens that it does not name are the model's,
// whose files are in fsys; without a model they are empty.
func parseRequest(in []byte, fsys fs.FS) (chat.Request, error) {
	r, err := chat.ParseRequest(in)
	if err != nil || fsys == nil {
		return r, err
	}
	var named struct {
		BOS *string `json:"bos_token"`
		EOS *string `json:"eos_token"`
	}
	if err := json.Unmarshal(in, &named); err != nil {
		return r, fmt.Errorf("conversation: %w", err)
	}
	bos, eos, err := chat.SpecialTokens(fsys)
	if named.BOS == nil {
		r.BOS = bos
	}
	if named.EOS == nil {
		r.EOS = eos
	}
	return r, err
}
