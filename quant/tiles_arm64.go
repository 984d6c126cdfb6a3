//go:build arm64 && !purego

package quant

import "unsafe"

const (
	fewTokens  = 4 // up to how many tokens meet the rows one by one
	quadRows   = 4 // rows that a primitive takes together
	blockQuads = 8 // quads that meet a tile, or a token, one after the other
	tileTokens = 8 // tokens whose activations are interleaved
	halfTile   = tileTokens / 2
)

// neon is the kernel for SDOT, which adds products of four signed bytes. Int16 activations
// are split into two of them. Its primitives are trusted: slices are cut here to the lengths
// that they read and write.
//
// A few tokens meet the rows one by one: weights stream past them. More are packed in tiles
// of 8, so that a register has four columns of four tokens. Four rows of weights are
// interleaved, 16 columns at a time, once for all tiles.
var neon = kernel{
	name:         "neon",
	rows:         blockQuads * quadRows,
	tile:         tileTokens,
	takes:        func(m *Matrix) bool { return m.group%32 == 0 && m.rows >= quadRows },
	quantize:     quantizeVector,
	maxBits:      maxBitsVector,
	roundWeights: roundWeightsVector,
	room:         neonRoom,
	pack:         neonPack,
	mul:          neonMul,
}

// tileCount is the number of tiles of n tokens.
func tileCount(n int) int { return (n + tileTokens - 1) / tileTokens }

// splits tells whether activations are split into two bytes; else they are one.
func splits(x *tokens) bool { return x.limit != Int8.limit() }

// bytesOf is the number of bytes of an activation.
func bytesOf(x *tokens) int {
	if splits(x) {
		return 2
	}
	return 1
}

// packedBytes returns n bytes of the packed tokens from index at.
func packedBytes(t *tokens, at, n int) []int8 {
	all := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(t.packed))), 8*len(t.packed))
	return all[at:][:n]
}

// neonRoom implements kernel.room. Tokens of the last tile that do not exist are zero.
func neonRoom(t *tokens) {
	n := t.n
	if n > fewTokens {
		n = tileCount(n) * tileTokens
		t.xq = grow(t.xq, n*t.cols)
		clear(t.xq[t.n*t.cols:])
		t.lanes = grow(t.lanes, n*t.groups)
	}
	t.packed = grow(t.packed, n*t.cols*bytesOf(t)/8)
}

// neonPack implements kernel.pack.
func neonPack(t *tokens, tile, g int) {
	if t.n > fewTokens {
		packLanes(t, tile, g)
		packTile(t, tile, g)
		return
	}
	for token := range t.n {
		packToken(t, token, g)
	}
}

// packToken writes the bytes of a token's group.
func packToken(t *tokens, token, g int) {
	at, size := token*t.cols+g*t.group, bytesOf(t)
	dst, xq := packedBytes(t, at*size, t.group*size), t.xq[at:][:t.group]
	if splits(t) {
		splitToken(&dst[0], &xq[0], t.group)
	} else {
		narrowToken(&dst[0], &xq[0], t.group)
	}
}

// packTile writes the bytes of a tile's group.
func packTile(t *tokens, tile, g int) {
	size := bytesOf(t)
	at := tile*tileTokens*t.cols + g*t.group
	dst := packedBytes(t, (at+g*t.group*(tileTokens-1))*size, tileTokens*t.group*size)
	for half := range 2 {
		xq := t.xq[at+half*halfTile*t.cols:][:(halfTile-1)*t.cols+t.group]
		if splits(t) {
			splitTokens(&dst[half*halfTile*16], &xq[0], 2*t.cols, t.group)
		} else {
			narrowTokens(&dst[half*halfTile*16], &xq[0], 2*t.cols, t.group)
		}
	}
}

// packLanes writes the scales of a tile's group: zeros for tokens that do not exist.
func packLanes(t *tokens, tile, g int) {
	lanes := t.lanes[(tile*t.groups+g)*tileTokens:][:tileTokens]
	for i := range lanes {
		lanes[i] = 0
		if token := tile*tileTokens + i; token < t.n {
			lanes[i] = t.scales[token*t.groups+g]
		}
	}
}

// neonMul implements kernel.mul.
func neonMul(m *Matrix, x *tokens, dst []float32, lo, hi int, s *scratch) {
	s.scales = grow(s.scales, blockQuads*quadRows*x.groups)
	for r := lo; r < hi; {
		first, quads := nextQuads(m, r, hi)
		end := min(first+quads*quadRows, hi)
		quadScales(s.scales, m, first, quads)
		if x.n <= fewTokens {
			mulRows(m, x, dst, first, r, end, quads, s)
		} else {
			mulTiles(m, x, dst, first, r, end, quads, s)
		}
		r = end
	}
}

// nextQuads returns how many quads of rows, at most blockQuads, to take next of r … hi-1 and
// where they start: the last quad of a matrix may begin before r.
func nextQuads(m *Matrix, r, hi int) (first, count int) {
	if r+quadRows > hi {
		return min(r, m.rows-quadRows), 1
	}
	return r, min((hi-r)/quadRows, blockQuads)
}

// quadScales widens the scales of quads of rows from r to dst [quads, groups, 4].
func quadScales(dst []float32, m *Matrix, r, quads int) {
	groups := m.cols / m.group
	for q := range quads {
		scalesOfQuad(dst[q*quadRows*groups:][:quadRows*groups], m, r+q*quadRows, groups)
	}
}

// scalesOfQuad widens the scales of four rows from r to dst [groups, 4]: four groups at a
// time, the last of which may have been among those before.
func scalesOfQuad(dst []float32, m *Matrix, r, groups int) {
	const fours = 4
	if groups < fours {
		var row [fours]float32
		for i := range quadRows {
			m.scales.Widen(row[:groups], (r+i)*groups)
			for g, scale := range row[:groups] {
				dst[g*quadRows+i] = scale
			}
		}
		return
	}
	widen := scalesOf(m.scales.Element)
	size := m.scales.Element.Size()
	src := m.scales.Data[r*groups*size:][:quadRows*groups*size]
	widen(&dst[0], &src[0], groups*size, groups/fours)
	if last := groups - fours; groups%fours != 0 {
		widen(&dst[last*quadRows], &src[last*size], groups*size, 1)
	}
}

// scalesOf returns the primitive that widens scales of the type.
func scalesOf(e Element) func(dst *float32, src *byte, stride, fours int) {
	switch e {
	case F32:
		return scalesF32
	case BF16:
		return scalesBF16
	}
	return scalesF16
}

// mulRows multiplies rows lo … hi-1, which are in quads from row first, with tokens one by one.
func mulRows(m *Matrix, x *tokens, dst []float32, first, lo, hi, quads int, s *scratch) {
	s.acc = grow(s.acc, blockQuads*quadRows)
	f := rowsInt8
	if splits(x) {
		f = rowsInt16
	}
	size := bytesOf(x)
	w := m.data[first*m.cols:][:quads*quadRows*m.cols]
	for t := range x.n {
		xt := packedBytes(x, t*x.cols*size, x.cols*size)
		sx := x.scales[t*x.groups:][:x.groups]
		f(&s.acc[0], &w[0], m.cols, m.group, x.groups, &xt[0], &sx[0], &s.scales[0], quads)
		copy(dst[t*m.rows+lo:t*m.rows+hi], s.acc[lo-first:])
	}
}

// mulTiles multiplies rows lo … hi-1, which are in quads from row first, with all tiles.
func mulTiles(m *Matrix, x *tokens, dst []float32, first, lo, hi, quads int, s *scratch) {
	s.acc = grow(s.acc, blockQuads*quadRows*tileTokens)
	s.tiles = grow(s.tiles, blockQuads*quadRows*m.cols/8)
	width := quads * quadRows
	w := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(s.tiles))), width*m.cols)
	signQuads(w, m, first, quads)
	for from := 0; from < x.n; from += tileTokens {
		count := min(tileTokens, x.n-from)
		if count == tileTokens && hi-lo == width {
			mulTile(x, dst[from*m.rows+lo:][:(tileTokens-1)*m.rows+width], m.rows, w, s.scales, from, quads)
			continue
		}
		mulTile(x, s.acc, width, w, s.scales, from, quads)
		for t := range count {
			copy(dst[(from+t)*m.rows+lo:][:hi-lo], s.acc[t*width+lo-first:])
		}
	}
}

// signQuads puts the weights of quads of rows into w [quads, cols/16, 4, 16].
func signQuads(w []int8, m *Matrix, first, quads int) {
	size := quadRows * m.cols
	for q := range quads {
		src := m.data[first*m.cols+q*size:][:size]
		signQuad(&w[q*size], &src[0], m.cols, m.cols)
	}
}

// mulTile multiplies quads of rows with the tile that starts at token from. Its tokens' rows
// in dst are stride values apart.
func mulTile(x *tokens, dst []float32, stride int, w []int8, sw []float32, from, quads int) {
	f := tileInt8
	if splits(x) {
		f = tileInt16
	}
	size := bytesOf(x)
	xt := packedBytes(x, from*x.cols*size, tileTokens*x.cols*size)
	sx := x.lanes[from*x.groups:][:tileTokens*x.groups]
	f(&dst[0], 4*stride, &w[0], &xt[0], &sw[0], &sx[0], x.group, x.groups, quads)
}
