package tokenizer

import "fmt"

// vocabulary is the table of all tokens, those of the model and the added ones.
type vocabulary struct {
	tokens  []string         // by id; "" in gaps
	ids     map[string]int32 // by spelling
	special map[int]bool
}

// sparse bounds how far ids may lie apart: tables are as long as the largest id.
const sparse = 1 << 16

// newVocabulary makes the table of a model's tokens. Ids may have gaps, but no two tokens one id.
func newVocabulary(ids map[string]int32) (vocabulary, error) {
	v := vocabulary{ids: ids, special: map[int]bool{}}
	size := 0
	for token, id := range ids {
		if id < 0 || int(id) > 2*len(ids)+sparse {
			return v, fmt.Errorf("%w: token %.40q has id %d in a vocabulary of %d", ErrFormat, token, id, len(ids))
		}
		size = max(size, int(id)+1)
	}
	v.tokens = make([]string, size)
	seen := make([]bool, size)
	for token, id := range ids {
		if seen[id] {
			a, b := min(token, v.tokens[id]), max(token, v.tokens[id])
			return v, fmt.Errorf("%w: tokens %.40q and %.40q both have id %d", ErrFormat, a, b, id)
		}
		seen[id], v.tokens[id] = true, token
	}
	return v, nil
}

// has says whether there is a token with this id: in range and no gap.
func (v *vocabulary) has(id int) bool {
	if id < 0 || id >= len(v.tokens) {
		return false
	}
	if v.tokens[id] != "" {
		return true
	}
	empty, ok := v.ids[""]
	return ok && int(empty) == id
}

// add appends a token that the model does not have and returns its id.
func (v *vocabulary) add(token string, id int) {
	for len(v.tokens) <= id {
		v.tokens = append(v.tokens, "")
	}
	v.tokens[id], v.ids[token] = token, int32(id)
}

// byteTokens finds <0x00> … <0xFF>; a byte without token has -1. any: at least one is there.
func (v *vocabulary) byteTokens() (table [256]int32, any bool) {
	for b := range table {
		table[b] = -1
		if id, ok := v.ids[fmt.Sprintf("<0x%02X>", b)]; ok {
			table[b], any = id, true
		}
	}
	return table, any
}
