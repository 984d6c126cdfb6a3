package main

import (
	"fmt"
	"slices"
	"strings"
)

// choice is a flag whose value is one of a few words. It implements pflag.Value.
type choice struct {
	value   string
	allowed []string
}

// newChoice returns a choice of the allowed words whose default is the first.
func newChoice(allowed ...string) choice {
	return choice{value: allowed[0], allowed: allowed}
}

func (c *choice) String() string { return c.value }

func (c *choice) Type() string { return strings.Join(c.allowed, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("one of %s expected", strings.Join(c.allowed, ", "))
	}
	c.value = s
	return nil
}
