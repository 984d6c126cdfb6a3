package loader

import (
	"fmt"
	"strings"
)

// maxListed is how many names of tensors an error lists.
const maxListed = 8

// CheckUsed returns an error that wraps ErrUnsupported and lists the tensors that are not in
// used: the model has parts that its reader does not know. Left-overs that mean nothing are
// passed over: rotary_emb.inv_freq, and lm_head.weight where it is tied to the embeddings.
func (c *Checkpoint) CheckUsed(used map[string]bool) error {
	var left []string
	for _, name := range c.Names() {
		stray := strings.HasSuffix(name, "rotary_emb.inv_freq") || c.Config.TieWordEmbeddings && name == "lm_head.weight"
		if !used[name] && !stray {
			left = append(left, fmt.Sprintf("%q", name))
		}
	}
	if len(left) == 0 {
		return nil
	}
	more := ""
	if len(left) > maxListed {
		more = fmt.Sprintf(" and %d more", len(left)-maxListed)
		left = left[:maxListed]
	}
	return unsupported(configFile, "tensors that no layer of %s uses: %s%s", c.Config.Architecture, strings.Join(left, ", "), more)
}
