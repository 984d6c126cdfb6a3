package chat

import (
	"errors"
	"fmt"
	"time"

	"octet/runtime/chat/internal/jinja"
)

// Message is one turn of a conversation, for callers that need no more than text.
type Message struct {
	Role    string `json:"role"` // "system", "user", "assistant"; some templates know more
	Content string `json:"content"`
}

// Request is what a template renders. Its values may be Messages, maps, slices, or anything
// that encoding/json can write; maps lose their order (they are taken sorted), structs and what
// [ParseRequest] decodes keep it.
type Request struct {
	Messages            []any
	Tools               []any // nil: none; an empty list is not the same for every template
	Documents           []any // for retrieval; nil: none
	AddGenerationPrompt bool  // end with what opens the assistant's answer
	BOS, EOS            string
	Now                 time.Time      // what strftime_now tells; zero: the current time
	Extra               map[string]any // more variables, such as enable_thinking
}

// NewRequest asks for the prompt that continues messages with an answer.
func NewRequest(messages ...Message) Request {
	r := Request{AddGenerationPrompt: true}
	for _, m := range messages {
		r.Messages = append(r.Messages, m)
	}
	return r
}

// ParseRequest decodes a JSON object with the keys messages, tools, documents,
// add_generation_prompt, bos_token, eos_token, now ("2026-01-02T03:04:05", with or without a
// zone) and chat_template_kwargs, all optional but messages. Other keys are ignored. The order of
// keys and the kind of numbers (1 or 1.0) stay as they are.
func ParseRequest(data []byte) (Request, error) {
	v, err := decodeJSON(data)
	if err != nil {
		return Request{}, fmt.Errorf("chat: request: %w", err)
	}
	o, ok := v.(*jinja.Dict)
	if !ok {
		return Request{}, fmt.Errorf("chat: request: object expected, found %s", kind(v))
	}
	d := requestDecoder{object: o}
	r := Request{
		Messages:            field[[]any](&d, "messages"),
		Tools:               field[[]any](&d, "tools"),
		Documents:           field[[]any](&d, "documents"),
		AddGenerationPrompt: field[bool](&d, "add_generation_prompt"),
		BOS:                 field[string](&d, "bos_token"),
		EOS:                 field[string](&d, "eos_token"),
		Now:                 d.time("now"),
	}
	if extra := field[*jinja.Dict](&d, "chat_template_kwargs"); extra != nil {
		r.Extra = map[string]any{}
		extra.Each(func(key string, value any) { r.Extra[key] = value })
	}
	if r.Messages == nil && d.err == nil {
		d.err = errors.New("chat: request: no \"messages\"")
	}
	return r, d.err
}

// requestDecoder keeps the first error of several fields.
type requestDecoder struct {
	object *jinja.Dict
	err    error
}

// field returns the value of key, or zero where it is null or missing.
func field[T any](d *requestDecoder, key string) (value T) {
	v := d.object.Get(key)
	if v == nil {
		return value
	}
	value, ok := v.(T)
	if !ok && d.err == nil {
		d.err = fmt.Errorf("chat: request: %q: %s expected, found %s", key, kind(value), kind(v))
	}
	return value
}

func (d *requestDecoder) time(key string) time.Time {
	text := field[string](d, key)
	if text == "" {
		return time.Time{}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	if d.err == nil {
		d.err = fmt.Errorf("chat: request: %q: date and time expected, found %q", key, text)
	}
	return time.Time{}
}

// kind names the JSON type of a decoded value.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "list"
	case *jinja.Dict:
		return "object"
	}
	return "number"
}
