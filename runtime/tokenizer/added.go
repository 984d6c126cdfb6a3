package tokenizer

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is an entry of added_tokens: a token that is cut out of the text before the model sees it.
type addedToken struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only where no word character touches it
	LStrip     bool   `json:"lstrip"`      // takes the white space on its left with it
	RStrip     bool   `json:"rstrip"`      // and on its right
	Normalized bool   `json:"normalized"`  // looked for in the normalized text
	Special    bool   `json:"special"`
}

// addedTokens are the added tokens of a tokenizer in their two sets.
type addedTokens struct {
	raw        matcher // looked for in the text as given
	normalized matcher // looked for in normalized text; contents are normalized
}

// maxAdded bounds the length of an added token in bytes, and so the steps a byte of text can cost.
const maxAdded = 1024

// add gives each token its id and files it. As the Hugging Face library does it, an id is the
// vocabulary's where that has the token, and else the next free one; the id in the file is not used.
// It returns the normalized spellings of tokens where they differ; they are what is decoded.
func (a *addedTokens) add(v *vocabulary, list []addedToken, norm normalizer) (spelled map[int]string, err error) {
	byID := map[int]addedToken{} // of several entries for one token the last holds
	next := len(v.ids)
	for i, t := range list {
		if t.Content == "" {
			continue
		}
		if len(t.Content) > maxAdded {
			return nil, fmt.Errorf("added_tokens[%d]: %w: %d bytes, at most %d", i, ErrUnsupported, len(t.Content), maxAdded)
		}
		if t.ID, err = addedID(v, t.Content, &next); err != nil {
			return nil, fmt.Errorf("added_tokens[%d]: %w", i, err)
		}
		if t.Special {
			v.special[t.ID] = true
		}
		byID[t.ID] = t
	}
	return a.file(byID, norm)
}

// file puts tokens into their sets, normalized where they are looked for in normalized text.
func (a *addedTokens) file(byID map[int]addedToken, norm normalizer) (spelled map[int]string, err error) {
	spelled = map[int]string{}
	b := newBudget()
	for id, t := range byID {
		if !t.Normalized {
			a.raw.tokens = append(a.raw.tokens, t)
			continue
		}
		content := t.Content
		if norm != nil {
			if t.Content, err = norm.normalize(&b, content); err != nil {
				return nil, fmt.Errorf("added_tokens: %q: %w", content, err)
			}
		}
		if t.Content != content {
			spelled[id] = t.Content
		}
		a.normalized.tokens = append(a.normalized.tokens, t)
	}
	a.raw.build()
	a.normalized.build()
	return spelled, nil
}

func addedID(v *vocabulary, content string, next *int) (int, error) {
	if id, ok := v.ids[content]; ok {
		return int(id), nil
	}
	id := *next
	if v.has(id) {
		return 0, fmt.Errorf("%w: %.40q would get id %d, which is that of %.40q (ids have gaps)", ErrFormat, content, id, v.tokens[id])
	}
	*next++
	v.add(content, id)
	return id, nil
}

// matcher finds the tokens of a set in a text: leftmost first, then longest.
type matcher struct {
	tokens []addedToken // sorted by content
	first  [257]int32   // tokens[first[c]:first[c+1]] begin with byte c
}

// build makes the tables. Tokens that normalization made empty are left out, and of those that it
// made the same the first is kept.
func (m *matcher) build() {
	byContent := func(a, b addedToken) int {
		return cmp.Or(strings.Compare(a.Content, b.Content), cmp.Compare(a.ID, b.ID))
	}
	m.tokens = slices.DeleteFunc(m.tokens, func(t addedToken) bool { return t.Content == "" })
	slices.SortFunc(m.tokens, byContent)
	m.tokens = slices.CompactFunc(m.tokens, func(a, b addedToken) bool { return a.Content == b.Content })
	for c := range m.first {
		m.first[c] = int32(sort.Search(len(m.tokens), func(i int) bool { return int(m.tokens[i].Content[0]) >= c }))
	}
}

// longest returns the longest token that s begins with, nil if there is none. s is not empty.
func (m *matcher) longest(s string) (found *addedToken) {
	lo, hi := int(m.first[s[0]]), int(m.first[int(s[0])+1])
	for d := 1; lo < hi; d++ { // tokens[lo:hi] agree with s in d bytes
		if len(m.tokens[lo].Content) == d {
			found = &m.tokens[lo]
			lo++
		}
		if d == len(s) {
			break
		}
		c, from, n := s[d], lo, hi-lo
		lo = from + sort.Search(n, func(i int) bool { return m.tokens[from+i].Content[d] >= c })
		hi = from + sort.Search(n, func(i int) bool { return m.tokens[from+i].Content[d] > c })
	}
	return found
}

// part is a stretch of text: an added token, or what lies between (id -1).
type part struct {
	start, end, id int
}

// split calls yield for each added token in text and for the parts between them, none of them
// empty, until yield returns false.
func (m *matcher) split(text string, yield func(part) bool) {
	done := 0 // the text before is dealt with
	for at := 0; at < len(text) && len(m.tokens) > 0; {
		t := m.next(text, &at)
		if t == nil {
			break
		}
		start, end := at, at+len(t.Content)
		at = end
		if t.SingleWord && !singleWord(text, start, end) {
			continue
		}
		if t.LStrip { // but not into what an earlier token took
			start = max(len(strings.TrimRightFunc(text[:start], unicode.IsSpace)), done)
		}
		if t.RStrip {
			end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
		}
		if done < start && !yield(part{done, start, -1}) {
			return
		}
		if start < end && !yield(part{start, end, t.ID}) { // else all of it was white space that is taken
			return
		}
		done = end
	}
	if done < len(text) {
		yield(part{done, len(text), -1})
	}
}

// next moves at to the first place where a token is, and returns the token.
func (m *matcher) next(text string, at *int) *addedToken {
	for ; *at < len(text); *at++ {
		c := int(text[*at])
		if m.first[c] == m.first[c+1] {
			continue
		}
		if t := m.longest(text[*at:]); t != nil {
			return t
		}
	}
	return nil
}

func singleWord(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return (start == 0 || !isWord(before)) && (end == len(text) || !isWord(after))
}

// isWord is \w of Unicode regular expressions: alphabetic, mark, decimal digit, connector, joiner.
func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}
