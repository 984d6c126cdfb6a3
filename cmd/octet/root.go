package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// execute runs the command line args and returns the exit code. Errors are printed to
// stderr, once.
func execute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // a closed pipe is an error of Write then, and what was begun is cleaned up
	// After the first signal the next one is for the system again, and ends the process.
	context.AfterFunc(ctx, stop)

	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	return report(stderr, cmd, err)
}

// newRootCommand returns the command octet with all its subcommands.
func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "octet",
		Short: "Make language models int8, run them on CPUs, measure what it costs",
		Long: `octet takes a language model (a Hugging Face directory or a llama2.c .bin file), makes its
weights int8, runs it on the CPU and measures how far int8 is from float.

Without -m every command works on a small model that is embedded in the program.`,
		Example: `  octet demo
  octet convert ./SmolLM2-135M-Instruct ./SmolLM2-135M-int8
  octet chat -m ./SmolLM2-135M-int8`,
		Version:       version(),
		Args:          knownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(commands()...)
	markFailures(root)
	return root
}

func init() { cobra.EnableCommandSorting = false }

// version is that of the module, or of the commit, that the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	return info.Main.Version
}

// commands are the subcommands, in the order of the help: one line a command, one file each.
func commands() []*cobra.Command {
	return []*cobra.Command{
		newDemoCommand(),
		newConvertCommand(),
		newRunCommand(),
		newChatCommand(),
		newValidateCommand(),
		newBenchCommand(),
		newInspectCommand(),
		newTokenizeCommand(),
		newTemplateCommand(),
		newLogitsCommand(),
	}
}

// noArguments refuses arguments of a command that has none: most often a model without -m.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.Flags().Lookup("model") != nil {
		return usageError("unexpected argument %q: a model is named with -m", args[0])
	}
	return usageError("unexpected argument %q", args[0])
}

// knownCommand refuses arguments of the root command: they are misspelt commands.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		text += " (did you mean " + strings.Join(near, " or ") + "?)"
	}
	return usageError("%s", text)
}

// markFailures makes the errors that the commands themselves return failures (code 1) where
// they do not say otherwise. What cobra finds before it runs a command is wrong usage then.
func markFailures(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error { return failure(run(c, args)) }
	}
	for _, sub := range c.Commands() {
		markFailures(sub)
	}
}
