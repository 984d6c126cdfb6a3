package tokenizer

import "math/bits"

// A merge is packed as rank<<32 | id: smaller is to be done sooner, and the id is the token that
// the pair becomes. noMerge is larger than all of them.
const noMerge = ^uint64(0)

func packMerge(rank int, id int32) uint64 { return uint64(rank)<<32 | uint64(uint32(id)) }

// pairTable maps pairs of ids to merges: open addressing, linear probing, at most 2/3 full.
type pairTable struct {
	slots []pairSlot
	shift int
}

type pairSlot struct {
	pair  uint64 // left<<32 | right, plus 1 so that 0 is an empty slot
	merge uint64
}

func newPairTable(n int) pairTable {
	size := bits.Len(uint(n + n/2 + 1))
	return pairTable{slots: make([]pairSlot, 1<<size), shift: 64 - size}
}

func pairKey(left, right int32) uint64 { return (uint64(uint32(left))<<32 | uint64(uint32(right))) + 1 }

// slot is where key is, or where it belongs.
func (t *pairTable) slot(key uint64) *pairSlot {
	i := key * 0x9E3779B97F4A7C15 >> t.shift
	for {
		s := &t.slots[i&uint64(len(t.slots)-1)]
		if s.pair == key || s.pair == 0 {
			return s
		}
		i++
	}
}

// set stores a merge; a later one for the same pair wins.
func (t *pairTable) set(left, right int32, merge uint64) {
	*t.slot(pairKey(left, right)) = pairSlot{pairKey(left, right), merge}
}

// get returns the merge of a pair, or noMerge.
func (t *pairTable) get(left, right int32) uint64 {
	s := t.slot(pairKey(left, right))
	if s.pair == 0 {
		return noMerge
	}
	return s.merge
}
