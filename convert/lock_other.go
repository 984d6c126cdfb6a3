//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package convert

import "os"

// lockFile locks nothing: these systems have no lock that ends with the open file.
func lockFile(*os.File) error { return nil }
