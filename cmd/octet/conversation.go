package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"octet/runtime"
	"octet/runtime/chat"
)

// conversation is a chat with a model: the messages so far, and a session that holds their
// keys and values as far as they were computed.
type conversation struct {
	model      *runtime.Model
	session    *runtime.Session
	template   *chat.Template
	options    runtime.GenerateOptions
	special    specialText
	messages   []chat.Message
	showPrompt io.Writer // nil: the prompts are not shown
}

// setSystem puts the system message text at the beginning, or removes it if text is empty.
func (v *conversation) setSystem(text string) {
	if len(v.messages) > 0 && v.messages[0].Role == "system" {
		v.messages = v.messages[1:]
	}
	if text != "" {
		v.messages = append([]chat.Message{{Role: "system", Content: text}}, v.messages...)
	}
}

// reply appends the user's turn and the model's answer to it, passing the text to show as it
// comes, without the space that begins it with some tokenizers. After an error the conversation
// is as before, except that an interrupted answer stays.
func (v *conversation) reply(ctx context.Context, text string, show func(string) error) (runtime.Result, error) {
	v.messages = append(v.messages, chat.Message{Role: "user", Content: text})
	begun := false
	r, err := v.generate(ctx, func(t runtime.Token) error {
		if !begun {
			begun = t.Text != ""
			t.Text = strings.TrimPrefix(t.Text, " ")
		}
		return show(t.Text)
	})
	if err != nil && r.Text == "" {
		v.messages = v.messages[:len(v.messages)-1]
		return r, err
	}
	v.messages = append(v.messages, chat.Message{Role: "assistant", Content: r.Text})
	return r, err
}

func (v *conversation) generate(ctx context.Context, emit func(runtime.Token) error) (runtime.Result, error) {
	request := chat.NewRequest(v.messages...)
	request.AddGenerationPrompt, request.BOS, request.EOS = true, v.special.bos.text, v.special.eos.text
	prompt, err := v.template.Render(request)
	if err != nil {
		return runtime.Result{}, err
	}
	if v.showPrompt != nil {
		fmt.Fprintln(v.showPrompt, prompt)
	}
	ids, err := v.special.encode(prompt)
	if err != nil {
		return runtime.Result{}, err
	}
	if len(ids) == 0 {
		return runtime.Result{}, errors.New("the chat template makes an empty prompt of the messages")
	}
	have := commonPrefix(v.session.IDs(), ids[:len(ids)-1])
	v.session.Truncate(have)
	return v.session.Generate(ctx, ids[have:], v.options, emit)
}

// commonPrefix is the number of ids at the beginning of both a and b.
func commonPrefix(a, b []int) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// undo takes the last answer and the user's turn before it back.
func (v *conversation) undo() error {
	n := len(v.messages)
	if n < 2 || v.messages[n-1].Role != "assistant" {
		return errors.New("nothing to undo")
	}
	v.messages = v.messages[:n-2]
	return nil
}

// reset forgets everything but the system message.
func (v *conversation) reset() {
	if len(v.messages) > 0 && v.messages[0].Role == "system" {
		v.messages = v.messages[:1]
		return
	}
	v.messages = nil
}

// save writes the messages (a line of JSON) and the session to path, which appears complete or
// not at all.
func (v *conversation) save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".octet-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = json.NewEncoder(f).Encode(v.messages)
	if err == nil {
		err = v.session.Save(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// maxMessages bounds the line of messages in a saved conversation.
const maxMessages = 64 << 20

// load continues a conversation that save wrote with the same model.
func (v *conversation) load(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	line, err := readLine(in, maxMessages)
	if err != nil {
		return fmt.Errorf("%s: no saved conversation: %w", path, err)
	}
	var messages []chat.Message
	if err := json.Unmarshal(line, &messages); err != nil {
		return fmt.Errorf("%s: no saved conversation: %w", path, err)
	}
	s, err := v.model.LoadSession(in)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	v.messages, v.session = messages, s
	return nil
}

// readLine reads up to and without a newline, limit bytes at most.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return nil, err
		case b == '\n':
			return line, nil
		case len(line) == limit:
			return nil, errors.New("its first line is too long")
		}
		line = append(line, b)
	}
}
