package runtime

import (
	"fmt"

	"octet/loader"
)

// spec is what distinguishes the blocks of one family from those of another.
type spec struct {
	qkNorm                 bool // RMSNorm of each head of q and k, before RoPE
	attentionBias, mlpBias bool
	rope                   rope
}

// families is the table of architectures that runtime knows: config.json's
// "architectures" entry (or "llama2.c") and how its config becomes a spec.
var families = map[string]func(loader.Config) spec{
	"LlamaForCausalLM": llama,
	"Qwen3ForCausalLM": qwen3,
	"llama2.c":         llama,
}

func llama(c loader.Config) spec {
	return spec{attentionBias: c.AttentionBias, mlpBias: c.MLPBias}
}

// qwen3 follows transformers' Qwen3Attention: q_norm and k_norm over head_dim.
func qwen3(c loader.Config) spec {
	return spec{qkNorm: true, attentionBias: c.AttentionBias}
}

// newSpec finds the family of c and refuses by name what it does not implement.
func newSpec(c loader.Config) (spec, error) {
	family, ok := families[c.Architecture]
	if !ok {
		return spec{}, fmt.Errorf("%w: architectures: %q", ErrUnsupported, c.Architecture)
	}
	if c.HiddenAct != "silu" {
		return spec{}, fmt.Errorf("%w: hidden_act: %q (silu is)", ErrUnsupported, c.HiddenAct)
	}
	if err := refuseWindows(c); err != nil {
		return spec{}, err
	}
	s := family(c)
	var err error
	s.rope, err = newRoPE(c)
	return s, err
}

// refuseWindows refuses layers that see only a part of the sequence.
func refuseWindows(c loader.Config) error {
	if use, _ := c.Raw["use_sliding_window"].(bool); use {
		return fmt.Errorf("%w: use_sliding_window: true", ErrUnsupported)
	}
	types, _ := c.Raw["layer_types"].([]any)
	for _, t := range types {
		if t != "full_attention" {
			return fmt.Errorf("%w: layer_types: %v (full_attention is)", ErrUnsupported, t)
		}
	}
	return nil
}
