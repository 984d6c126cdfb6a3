//go:build race

package convert

// raceDetector: under it sync.Pool drops a part of what it is given, so that allocations say nothing.
const raceDetector = true
