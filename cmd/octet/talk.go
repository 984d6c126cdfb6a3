package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"octet/runtime"
)

// talk reads turns and shows answers.
type talk struct {
	conversation *conversation
	out, err     io.Writer
	terminal     bool // a person types; otherwise only answers are written
	lines        <-chan string
	readError    func() error // why lines was closed
	interrupts   chan os.Signal
	done         context.Context // ends with the program
}

func newTalk(c *cobra.Command, v *conversation) *talk {
	t := &talk{
		conversation: v,
		out:          c.OutOrStdout(),
		err:          c.ErrOrStderr(),
		terminal:     isTerminal(c.InOrStdin()),
		done:         c.Context(),
	}
	t.lines, t.readError = readLines(c.InOrStdin())
	return t
}

// maxLine bounds a user's turn.
const maxLine = 16 << 20

// readLines sends the lines of r, so that waiting for one can be interrupted.
func readLines(r io.Reader) (<-chan string, func() error) {
	lines := make(chan string)
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	go func() {
		defer close(lines)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return lines, scanner.Err
}

func (t *talk) run() error {
	if !t.terminal {
		return t.answerLines()
	}
	// Ctrl-C ends an answer here, not the program, which the command's context would.
	done, stop := signal.NotifyContext(context.WithoutCancel(t.done), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	t.done = done
	t.interrupts = make(chan os.Signal, 1)
	signal.Notify(t.interrupts, os.Interrupt)
	defer signal.Stop(t.interrupts)
	fmt.Fprintln(t.err, "Type a message, or /help. Ctrl-C stops an answer, Ctrl-D ends.")
	for {
		fmt.Fprint(t.err, "> ")
		select {
		case <-t.done.Done():
			fmt.Fprintln(t.err)
			return t.done.Err()
		case <-t.interrupts:
			fmt.Fprintln(t.err)
			return nil
		case line, ok := <-t.lines:
			if !ok {
				fmt.Fprintln(t.err)
				return t.readError()
			}
			if t.command(line) {
				return nil
			}
		}
	}
}

// answerLines takes each line as a user's turn and writes only the answers.
func (t *talk) answerLines() error {
	for {
		select {
		case <-t.done.Done():
			return t.done.Err()
		case line, ok := <-t.lines:
			if !ok {
				return t.readError()
			}
			if _, err := t.conversation.reply(t.done, line, t.show); err != nil {
				return err
			}
			fmt.Fprintln(t.out)
		}
	}
}

func (t *talk) show(text string) error {
	_, err := io.WriteString(t.out, text)
	return err
}

const talkHelp = `/undo         take back the last turn and its answer
/reset        begin again
/system TEXT  set the system message; without TEXT remove it
/save FILE    save the conversation
/load FILE    continue a saved one
/exit         end`

// command handles a line that was typed; exit says that it was the last.
func (t *talk) command(line string) (exit bool) {
	word, argument, _ := strings.Cut(strings.TrimSpace(line), " ")
	argument = strings.TrimSpace(argument)
	v, err := t.conversation, error(nil)
	switch word {
	case "":
	case "/exit", "/quit", "/bye":
		return true
	case "/help", "/?":
		fmt.Fprintln(t.err, talkHelp)
	case "/undo":
		if err = v.undo(); err == nil {
			t.note("the last turn is taken back")
		}
	case "/reset":
		v.reset()
		t.note("begun again")
	case "/system":
		v.setSystem(argument)
		t.note("system message %q", argument)
	case "/save", "/load":
		if err = t.file(word, argument); err == nil {
			t.note("%d messages in %s", len(v.messages), argument)
		}
	default:
		if strings.HasPrefix(word, "/") {
			err = fmt.Errorf("unknown command %s; /help lists them", word)
			break
		}
		err = t.answer(line)
	}
	if err != nil {
		fmt.Fprintln(t.err, "octet:", err)
	}
	return false
}

// note tells the person something that is not part of the conversation.
func (t *talk) note(format string, args ...any) { fmt.Fprintf(t.err, "["+format+"]\n", args...) }

func (t *talk) file(word, path string) error {
	switch {
	case path == "":
		return fmt.Errorf("%s FILE expected", word)
	case word == "/save":
		return t.conversation.save(path)
	}
	return t.conversation.load(path)
}

// answer shows the model's answer to line; Ctrl-C ends it, and what was said is kept.
func (t *talk) answer(line string) error {
	ctx, cancel := context.WithCancel(t.done)
	defer cancel()
	finished := make(chan struct{})
	defer close(finished)
	go func() {
		select {
		case <-t.interrupts:
			cancel()
		case <-finished:
		}
	}()
	r, err := t.conversation.reply(ctx, line, t.show)
	if len(r.Tokens) > 0 {
		fmt.Fprintf(t.out, "\n")
		t.note("%s", summary(r))
	}
	switch {
	case errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, runtime.ErrContext):
		return fmt.Errorf("%w; /undo or /reset make room, or begin with a larger --context", err)
	}
	return err
}
