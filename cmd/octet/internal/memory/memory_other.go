//go:build !linux && !darwin

package memory

func available() (int64, bool) { return 0, false }

func peak() (int64, bool) { return 0, false }
