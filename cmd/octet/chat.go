package main

import (
	"strings"

	"github.com/spf13/cobra"

	"octet/runtime/chat"
)

func newChatCommand() *cobra.Command {
	var (
		model      modelFlags
		sampling   samplingFlags
		template   string
		system     string
		showPrompt bool
	)
	c := &cobra.Command{
		Use:   "chat",
		Short: "Talk with a model",
		Long: `Talks with a model in the format that it was trained for: its own chat template. Models
without one (llama2.c bins, base models) need --chat-template; none is guessed.

On a terminal, lines that begin with "/" are commands (/help lists them), and Ctrl-C stops an
answer. If stdin is no terminal, each line is a user turn and only the answers go to stdout.`,
		Example: `  octet chat -m ./SmolLM2-135M-int8
  octet chat --system "Answer in one sentence." --temperature 0.7
  echo "What is the opposite of hot?" | octet chat`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if _, err := sampling.given(); err != nil {
				return err
			}
			m, err := model.load(c)
			if err != nil {
				return err
			}
			defer m.Close()
			o, err := sampling.options(c, m.Checkpoint().Generation)
			if err != nil {
				return err
			}
			t, err := openTemplate(m.Checkpoint().FS(), template)
			if err != nil {
				return err
			}
			o.Stop = append(o.Stop, builtinStops[template]...)
			v := &conversation{model: m, session: m.NewSession(), template: t, options: o}
			if v.special, err = newSpecialText(m); err != nil {
				return err
			}
			v.setSystem(system)
			if showPrompt {
				v.showPrompt = c.ErrOrStderr()
			}
			return newTalk(c, v).run()
		},
	}
	model.registerAll(c)
	sampling.register(c, 0)
	registerPath(c, &template, "chat-template", "", "`NAME|FILE`: "+strings.Join(chat.BuiltinNames(), ", ")+" or a Jinja file, instead of the model's own")
	c.Flags().StringVar(&system, "system", "", "system message `TEXT`")
	c.Flags().BoolVar(&showPrompt, "show-prompt", false, "write the prompt of each turn to stderr, as the model gets it")
	return c
}

// builtinStops end an answer where a model's own end tokens do not know the template.
var builtinStops = map[string][]string{
	"llama2": {"</s>", "[INST]"},
	"chatml": {"<|im_end|>"},
	"zephyr": {"</s>", "<|user|>"},
}
