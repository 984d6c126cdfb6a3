package chat

import (
	"fmt"
	"time"
)

// Limits of one rendering.
const (
	MaxOutput = 1 << 20         // bytes
	MaxTime   = 5 * time.Second // wall clock
)

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
		return "", fmt.Errorf("chat: the model's template serves only requests with tools")
	}
	text, err := p.render(variables)
	if err != nil {
		return "", fmt.Errorf("chat: template: %w", err)
	}
	return text, nil
}

// variables are what apply_chat_template passes, with the same names; what is not given is
// None there, not undefined.
func (r Request) variables() (*object, error) {
	v := newObject()
	v.set("messages", anyList(r.Messages))
	v.set("tools", optional(r.Tools))
	v.set("documents", optional(r.Documents))
	v.set("add_generation_prompt", r.AddGenerationPrompt)
	v.set("bos_token", r.BOS)
	v.set("eos_token", r.EOS)
	for name, value := range r.Extra {
		v.set(name, value)
	}
	normal, err := normalize(v, 0)
	if err != nil {
		return nil, err
	}
	o := normal.(*object)
	o.set(nowVariable, r.now())
	return o, nil
}

func (r Request) now() time.Time {
	if r.Now.IsZero() {
		return time.Now()
	}
	return r.Now
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
