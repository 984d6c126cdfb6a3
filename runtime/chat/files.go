package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// ErrNoTemplate says that a model directory has no chat template.
var ErrNoTemplate = errors.New("chat: no chat template")

// Limits of the files read: a template, and a JSON file whose list of added tokens may be long.
const (
	maxTemplateBytes = 1 << 20
	maxConfigBytes   = 64 << 20
)

// Names of the two templates of a list that mean something to transformers.
const (
	defaultName = "default"
	toolsName   = "tool_use"
)

// Load finds the template of the model directory fsys: chat_template.jinja (with
// additional_chat_templates/tool_use.jinja), else chat_template in tokenizer_config.json, which is a
// string or a list of named templates; of those, "tool_use" serves requests with tools, "default" the
// others. The error is [ErrNoTemplate] when there is none.
func Load(fsys fs.FS) (*Template, error) {
	source, err := readFile(fsys, "chat_template.jinja", maxTemplateBytes)
	if err == nil {
		return loadJinja(fsys, source)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	config, err := readTokenizerConfig(fsys)
	if err != nil {
		return nil, err
	}
	named, err := config.templates()
	if err != nil {
		return nil, fmt.Errorf("chat: tokenizer_config.json: %w", err)
	}
	return parseNamed("tokenizer_config.json", named)
}

func loadJinja(fsys fs.FS, source []byte) (*Template, error) {
	named := map[string]string{defaultName: string(source)}
	const additional = "additional_chat_templates/" + toolsName + ".jinja"
	tools, err := readFile(fsys, additional, maxTemplateBytes)
	switch {
	case err == nil:
		named[toolsName] = string(tools)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	return parseNamed("chat_template.jinja", named)
}

// parseNamed compiles the default template, which may be missing, and that for tools.
func parseNamed(file string, named map[string]string) (*Template, error) {
	if len(named) == 0 {
		return nil, ErrNoTemplate
	}
	t := &Template{}
	for name, program := range map[string]**program{defaultName: &t.main, toolsName: &t.tools} {
		source, ok := named[name]
		if !ok {
			continue
		}
		p, err := compile(source)
		if err != nil {
			return nil, fmt.Errorf("chat: %s: template %q: %w", file, name, err)
		}
		*program = p
	}
	if t.main == nil && t.tools == nil {
		return nil, fmt.Errorf("chat: %s: no template named %q or %q", file, defaultName, toolsName)
	}
	return t, nil
}

// tokenizerConfig is what this package wants of tokenizer_config.json.
type tokenizerConfig struct {
	ChatTemplate json.RawMessage `json:"chat_template"`
	BOS          json.RawMessage `json:"bos_token"`
	EOS          json.RawMessage `json:"eos_token"`
}

// readTokenizerConfig returns the zero value if there is no such file.
func readTokenizerConfig(fsys fs.FS) (c tokenizerConfig, err error) {
	return c, readJSON(fsys, "tokenizer_config.json", &c)
}

// templates returns the chat templates by name, none if there is none.
func (c tokenizerConfig) templates() (map[string]string, error) {
	if isNull(c.ChatTemplate) {
		return nil, nil
	}
	var single string
	if json.Unmarshal(c.ChatTemplate, &single) == nil {
		return map[string]string{defaultName: single}, nil
	}
	var list []struct {
		Name     string `json:"name"`
		Template string `json:"template"`
	}
	if err := json.Unmarshal(c.ChatTemplate, &list); err != nil {
		return nil, fmt.Errorf("chat_template: a string or a list of {name, template} expected, found %.60s", c.ChatTemplate)
	}
	named := map[string]string{}
	for _, entry := range list {
		named[entry.Name] = entry.Template
	}
	return named, nil
}

// SpecialTokens returns the texts of bos_token and eos_token in tokenizer_config.json or, where
// it lacks them, special_tokens_map.json: "" for a token that neither names.
func SpecialTokens(fsys fs.FS) (bos, eos string, err error) {
	config, err := readTokenizerConfig(fsys)
	if err != nil {
		return "", "", err
	}
	var mapped tokenizerConfig
	if err := readJSON(fsys, "special_tokens_map.json", &mapped); err != nil {
		return "", "", err
	}
	if bos, err = tokenText("bos_token", config.BOS, mapped.BOS); err != nil {
		return "", "", err
	}
	eos, err = tokenText("eos_token", config.EOS, mapped.EOS)
	return bos, eos, err
}

// tokenText reads the first spelling that is there: a string or {"content": string}.
func tokenText(name string, spellings ...json.RawMessage) (string, error) {
	for _, raw := range spellings {
		if isNull(raw) {
			continue
		}
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text, nil
		}
		var added struct {
			Content *string `json:"content"`
		}
		if err := json.Unmarshal(raw, &added); err != nil || added.Content == nil {
			return "", fmt.Errorf("chat: %s: a string or an object with \"content\" expected, found %.60s", name, raw)
		}
		return *added.Content, nil
	}
	return "", nil
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// readJSON leaves v as it is if there is no such file.
func readJSON(fsys fs.FS, name string, v any) error {
	data, err := readFile(fsys, name, maxConfigBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("chat: %s: %w", name, jsonFault(err))
	}
	return nil
}

// jsonFault says without Go's type names what is wrong with a file that an object is read from.
func jsonFault(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("a JSON object expected, at byte %d: %w", syntax.Offset, err)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("a JSON object expected, found %.60s", kind.Value)
	}
	return err
}

// readFile reads a regular file of at most limit bytes. The file is looked at before it is opened:
// opening a pipe would wait for its other end.
func readFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("chat: %w", err)
	}
	if err := readable(info, limit); err != nil {
		return nil, fmt.Errorf("chat: %s: %w", name, err)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("chat: %w", err)
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil { // that of the file now open
		err = readable(info, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("chat: %s: %w", name, err)
	}
	var data bytes.Buffer
	data.Grow(int(max(0, info.Size())) + bytes.MinRead)
	n, err := data.ReadFrom(io.LimitReader(f, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("at most %d bytes expected, found more", limit)
	}
	if err != nil {
		return nil, fmt.Errorf("chat: %s: %w", name, err)
	}
	return data.Bytes(), nil
}

func readable(info fs.FileInfo, limit int64) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return errors.New("a regular file expected, found a directory")
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("a regular file expected, found a pipe")
	case !mode.IsRegular():
		return errors.New("a regular file expected, found a special one")
	}
	if info.Size() > limit {
		return fmt.Errorf("at most %d bytes expected, found %d", limit, info.Size())
	}
	return nil
}
