package chat

import (
	"errors"
	"fmt"
	"time"

	"octet/runtime/chat/internal/jinja"
)

// MaxOutput limits the bytes of a rendered prompt.
const MaxOutput = jinja.MaxOutput

// Template is a compiled chat template.
type Template struct {
	main  *program // serves all requests that tools does not; nil if only tools is there
	tools *program // serves requests with tools; nil: main does
}

// Parse compiles a template.
func Parse(source string) (*Template, error) {
	p, err := compile(source)
	if err != nil {
		return nil, fmt.Errorf("chat: %w", err)
	}
	return &Template{main: p}, nil
}

// Source returns the text of the template; of two, that for requests without tools.
func (t *Template) Source() string {
	if t.main == nil {
		return t.tools.source
	}
	return t.main.source
}

// Render returns the prompt for r. An error that the template itself raises, as many do for
// a conversation in the wrong order, ends with its message.
func (t *Template) Render(r Request) (string, error) {
	variables, err := r.variables()
	if err != nil {
		return "", fmt.Errorf("chat: request: %w", err)
	}
	p := t.main
	if r.Tools != nil && t.tools != nil {
		p = t.tools
	}
	if p == nil {
		return "", errors.New("chat: the model's template serves only requests with tools")
	}
	now := r.Now
	if now.IsZero() {
		now = time.Now()
	}
	text, err := p.template.Render(variables, now)
	if err != nil {
		return "", fmt.Errorf("chat: template: %w", err)
	}
	return text, nil
}

// program is a template with its text.
type program struct {
	source   string
	template *jinja.Template
}

func compile(source string) (*program, error) {
	t, err := jinja.Compile(source)
	if err != nil {
		return nil, err
	}
	return &program{source, t}, nil
}

// variables are what apply_chat_template passes, with the same names; what is not given is
// None there, not undefined.
func (r Request) variables() (*jinja.Dict, error) {
	v := jinja.NewDict()
	v.Set("messages", anyList(r.Messages))
	v.Set("tools", optional(r.Tools))
	v.Set("documents", optional(r.Documents))
	v.Set("add_generation_prompt", r.AddGenerationPrompt)
	v.Set("bos_token", r.BOS)
	v.Set("eos_token", r.EOS)
	for name, value := range r.Extra {
		v.Set(name, value)
	}
	normal, err := normalize(v, 0)
	if err != nil {
		return nil, err
	}
	return normal.(*jinja.Dict), nil
}

func anyList(list []any) []any {
	if list == nil {
		return []any{}
	}
	return list
}

func optional(list []any) any {
	if list == nil {
		return nil
	}
	return list
}
