package tokenizer

// behavior says what becomes of the matches of a Split.
type behavior string

const (
	isolated           behavior = "Isolated"           // each match a piece of its own
	removed            behavior = "Removed"            // matches are dropped
	mergedWithPrevious behavior = "MergedWithPrevious" // a match ends the piece before it
	mergedWithNext     behavior = "MergedWithNext"     // a match begins the piece after it
	contiguous         behavior = "Contiguous"         // neighbouring matches are one piece
)

func (b behavior) known() bool {
	switch b {
	case isolated, removed, mergedWithPrevious, mergedWithNext, contiguous:
		return true
	}
	return false
}

// group merges and drops spans, in place.
func (b behavior) group(spans []span) []span {
	switch b {
	case removed:
		return keep(spans)
	case contiguous:
		return mergeForward(spans, func(before, now bool) bool { return before == now })
	case mergedWithPrevious:
		return mergeForward(spans, func(before, now bool) bool { return now && !before })
	case mergedWithNext:
		return mergeBackward(spans)
	}
	return spans
}

func keep(spans []span) []span {
	kept := spans[:0]
	for _, s := range spans {
		if !s.match {
			kept = append(kept, s)
		}
	}
	return kept
}

// mergeForward extends the span before where join says so of the two match flags.
func mergeForward(spans []span, join func(before, now bool) bool) []span {
	merged, before := spans[:0], false
	for _, s := range spans {
		now := s.match
		if len(merged) > 0 && join(before, now) {
			merged[len(merged)-1].end = s.end
		} else {
			merged = append(merged, s)
		}
		before = now
	}
	return merged
}

// mergeBackward gives each match to the span after it, unless that is a match too.
func mergeBackward(spans []span) []span {
	at, after := len(spans), false // spans[at:] is done
	for i := len(spans) - 1; i >= 0; i-- {
		s := spans[i]
		if s.match && !after && at < len(spans) {
			spans[at].start = s.start
		} else {
			at--
			spans[at] = s
		}
		after = s.match
	}
	return spans[at:]
}
