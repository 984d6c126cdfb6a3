package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// compared are the flags that --compare can change; beside them cpu, which is OCTET_CPU.
var compared = []string{"model", "random", "weights", "threads", "activations", "quantize", "group-size", "head", "kv"}

// shared are the flags that both sides get as they are.
var shared = []string{"context", "prompt", "generate", "depth"}

// selfCommand is the command line of this program, without arguments. Only tests change it.
var selfCommand = func() ([]string, error) {
	self, err := os.Executable()
	return []string{self}, err
}

// comparedSides starts both sides: processes of their own, since the instruction set is
// chosen at start.
func (f *benchFlags) comparedSides(c *cobra.Command) ([]side, error) {
	changes, err := parseChanges(f.compare)
	if err != nil {
		return nil, err
	}
	var sides []side
	bar := newProgress(c.ErrOrStderr(), "starting both sides", 2, false)
	defer bar.Clear()
	for i, flags := range [][]string{sideFlags(c, nil), sideFlags(c, changes)} {
		cpu := ""
		if i == 1 {
			cpu = changes["cpu"]
		}
		s, notes, err := startSide(c.Context(), string(rune('A'+i)), flags, cpu)
		if err != nil {
			closeSides(sides)
			return nil, err
		}
		bar.Clear()
		io.WriteString(c.ErrOrStderr(), notes)
		sides = append(sides, s)
		bar.Add(1)
	}
	if err := sameTests(sides[0].tests(), sides[1].tests()); err != nil {
		closeSides(sides)
		return nil, err
	}
	return sides, nil
}

// parseChanges reads the values of --compare.
func parseChanges(list []string) (map[string]string, error) {
	changes := map[string]string{}
	for _, s := range list {
		name, value, ok := strings.Cut(s, "=")
		if !ok || value == "" || name != "cpu" && !slices.Contains(compared, name) {
			return nil, usageError("--compare: NAME=VALUE expected, where NAME is cpu, %s, found %q", strings.Join(compared, ", "), s)
		}
		if before, twice := changes[name]; twice {
			return nil, usageError("--compare: each NAME once expected, found %s=%s and %s", name, before, s)
		}
		changes[name] = value
	}
	return changes, nil
}

// sideFlags are the arguments of a side: the flags that were given, but for changes.
func sideFlags(c *cobra.Command, changes map[string]string) []string {
	args := []string{"bench", "--in-turns"}
	for _, name := range slices.Concat(shared, compared) {
		if value, ok := changes[name]; ok {
			args = append(args, "--"+name+"="+value)
		} else if c.Flags().Changed(name) && !replaced(c, name, changes) {
			args = append(args, "--"+name+"="+listed(c, name))
		}
	}
	return args
}

// replaced tells whether a flag of side A means nothing on B, where another model is, or other
// weights.
func replaced(c *cobra.Command, name string, changes map[string]string) bool {
	switch name {
	case "model", "quantize":
		return changes["random"] != ""
	case "random", "weights":
		return changes["model"] != ""
	case "group-size":
		weights := changes["weights"]
		return weights != "" && weights != "int8" ||
			changes["model"] != "" && changes["quantize"] == "" && c.Flags().Changed("random")
	}
	return false
}

// sameTests returns an error where the sides' contexts cut the tests differently.
func sameTests(a, b []benchResult) error {
	same := func(a, b benchResult) bool { return a.Test == b.Test && a.Depth == b.Depth }
	if slices.EqualFunc(a, b, same) {
		return nil
	}
	return errors.New("--compare: the same tests on both sides expected; one model's context is shorter: choose -p, -n and -d that fit both")
}

// otherSide is a side in another process. That one writes a greeting, and then an answer to
// each question, as JSON.
type otherSide struct {
	name      string
	process   *exec.Cmd
	questions io.WriteCloser
	answers   *json.Decoder
	stderr    bytes.Buffer // complete when the process has ended
	rows      []benchResult
}

// greeting is what a side says when it is ready.
type greeting struct {
	Tests []benchResult `json:"tests"`
	Notes string        `json:"notes"` // for the user
}

// answer is what a side answers to a question.
type answer struct {
	Figure float64 `json:"figure"`
}

// startSide starts a side with arguments and an instruction set ("": as this process), and
// waits until it is ready.
func startSide(ctx context.Context, name string, args []string, cpu string) (*otherSide, string, error) {
	self, err := selfCommand()
	if err != nil {
		return nil, "", err
	}
	self = append(self, args...)
	s := &otherSide{name: name, process: exec.CommandContext(ctx, self[0], self[1:]...)}
	s.process.Stderr = &s.stderr
	if cpu != "" {
		s.process.Env = append(os.Environ(), "OCTET_CPU="+cpu)
	}
	answers, err := s.process.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	s.answers = json.NewDecoder(answers)
	if s.questions, err = s.process.StdinPipe(); err != nil {
		return nil, "", err
	}
	if err := s.process.Start(); err != nil {
		return nil, "", err
	}
	var g greeting
	if err := s.hear(ctx, &g); err != nil {
		return nil, "", err
	}
	s.rows = g.Tests
	return s, g.Notes, nil
}

func (s *otherSide) tests() []benchResult { return s.rows }

func (s *otherSide) ask(ctx context.Context, q question) (float64, error) {
	if err := json.NewEncoder(s.questions).Encode(q); err != nil {
		return 0, s.ended(ctx, err)
	}
	var a answer
	err := s.hear(ctx, &a)
	return a.Figure, err
}

// hear waits for what the side says.
func (s *otherSide) hear(ctx context.Context, to any) error {
	if err := s.answers.Decode(to); err != nil {
		return s.ended(ctx, err)
	}
	return nil
}

// ended is the error of a side that said no more: what it wrote before its end, or how it
// ended.
func (s *otherSide) ended(ctx context.Context, err error) error {
	exit := s.close()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if exit != nil {
		err = exit
	}
	text, _, _ := strings.Cut(s.stderr.String(), "\n")
	text = strings.TrimPrefix(text, "octet: ")
	switch {
	case text == "interrupted": // it got the signal, too, and was faster
		return context.Canceled
	case text != "":
		err = errors.New(text)
	}
	err = fmt.Errorf("side %s: %w", s.name, err)
	if s.process.ProcessState.ExitCode() == exitUsage {
		return exitError{exitUsage, err}
	}
	return err
}

// close lets the process end and waits for that.
func (s *otherSide) close() error {
	s.questions.Close()
	return s.process.Wait()
}

// serve is the other end of an otherSide.
func (f *benchFlags) serve(c *cobra.Command) error {
	var notes bytes.Buffer
	c.SetErr(&notes)
	s, err := f.open(c)
	if err != nil {
		return err
	}
	defer s.close()
	out, in := json.NewEncoder(c.OutOrStdout()), json.NewDecoder(c.InOrStdin())
	if err := out.Encode(greeting{s.tests(), notes.String()}); err != nil {
		return err
	}
	for {
		var q question
		if err := in.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		figure, err := s.ask(c.Context(), q)
		if err != nil {
			return err
		}
		if err := out.Encode(answer{figure}); err != nil {
			return err
		}
	}
}
