package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// path is a flag's value that must not be empty: an empty one is a variable that was not set,
// not the wish for a default. It implements pflag.Value.
type path string

func (p *path) String() string { return string(*p) }

func (p *path) Type() string { return "string" }

func (p *path) Set(s string) error {
	if s == "" {
		return errors.New("it must not be empty")
	}
	*p = path(s)
	return nil
}

// registerPath adds a flag with one letter or none.
func registerPath(c *cobra.Command, to *string, name, letter, usage string) {
	c.Flags().VarP((*path)(to), name, letter, usage)
}
