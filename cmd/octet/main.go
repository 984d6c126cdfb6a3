// Command octet makes int8 models of Hugging Face and llama2.c checkpoints, runs them on
// CPUs and measures how far they are from the float originals.
//
// Results go to stdout, everything else to stderr. The exit code is 0 for success, 1 for a
// failure, 2 for wrong usage and 3 where a threshold of validate is missed.
package main

import "os"

func main() {
	os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
