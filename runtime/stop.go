package runtime

import "strings"

// stopper holds text back while it could be the beginning of a stop string.
type stopper struct {
	stops []string
	held  string
}

// push adds text and returns what may be shown; found says that a stop string has come, and
// out is then all the text before it.
func (s *stopper) push(text string) (out string, found bool) {
	s.held += text
	if at := s.first(); at >= 0 {
		out, s.held = s.held[:at], ""
		return out, true
	}
	keep := s.prefixLen()
	out, s.held = s.held[:len(s.held)-keep], s.held[len(s.held)-keep:]
	return out, false
}

// flush returns what is held back, when no more text comes.
func (s *stopper) flush() string {
	out := s.held
	s.held = ""
	return out
}

// first returns where the earliest stop string begins in held, or -1.
func (s *stopper) first() int {
	first := -1
	for _, stop := range s.stops {
		if at := strings.Index(s.held, stop); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// prefixLen is the length of held's longest end that begins a stop string.
func (s *stopper) prefixLen() int {
	longest := 0
	for _, stop := range s.stops {
		for n := min(len(stop)-1, len(s.held)); n > longest; n-- {
			if strings.HasSuffix(s.held, stop[:n]) {
				longest = n
			}
		}
	}
	return longest
}
