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

// rowsMul is the product of a token with rows: see rowsInt16SDOT.
type rowsMul func(dst *float32, w *byte, stride, group, groups int, x *int8, sx, sw *float32, quads int)

// tileMul is the product of a tile with rows: see tileInt16.
type tileMul func(dst *float32, dstStride int, w, x *int8, sw, sx *float32, group, groups, quads int)

// bytesKernel makes a kernel of an instruction set's primitives, which multiply signed bytes:
// Int16 activations are split into two of them. Primitives are trusted: slices are cut here
// to the lengths that they read and write.
//
// A few tokens meet the rows one by one: weights stream past them. More are packed in tiles
// of 8, so that a register has four columns of four tokens. Four rows of weights are
// interleaved, 16 columns at a time, once for all tiles.
type bytesKernel struct {
	rows [2]rowsMul // for activations of one byte, of two
	tile [2]tileMul // without them all tokens meet the rows one by one
}

// kernel returns the kernel.
func (p *bytesKernel) kernel(name string) *kernel {
	return &kernel{
		name:         name,
		rows:         blockQuads * quadRows,
		tile:         tileTokens,
		takes:        func(m *Matrix) bool { return m.group%32 == 0 && m.rows >= quadRows },
		quantize:     quantizeVector,
		maxBits:      maxBitsVector,
		roundWeights: roundWeightsVector,
		room:         p.room,
		pack:         p.pack,
		mul:          p.mul,
	}
}

// tiled tells whether tokens are packed in tiles.
func (p *bytesKernel) tiled(x *tokens) bool { return p.tile[0] != nil && x.n > fewTokens }

// tileCount is the number of tiles of n tokens.
func tileCount(n int) int { return (n + tileTokens - 1) / tileTokens }

// bytesOf is the number of bytes of an activation: Int16 ones are split into two.
func bytesOf(x *tokens) int {
	if x.limit == Int8.limit() {
		return 1
	}
	return 2
}

// packedBytes returns n bytes of the packed tokens from index at.
func packedBytes(t *tokens, at, n int) []int8 {
	all := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(t.packed))), 8*len(t.packed))
	return all[at:][:n]
}

// room implements kernel.room. Tokens of the last tile that do not exist are zero.
func (p *bytesKernel) room(t *tokens) {
	n := t.n
	if p.tiled(t) {
		n = tileCount(n) * tileTokens
		t.xq = grow(t.xq, n*t.cols)
		clear(t.xq[t.n*t.cols:])
		t.lanes = grow(t.lanes, n*t.groups)
	}
	t.packed = grow(t.packed, n*t.cols*bytesOf(t)/8)
}

// pack implements kernel.pack.
func (p *bytesKernel) pack(t *tokens, tile, g int) {
	if p.tiled(t) {
		packLanes(t, tile, g)
		packTile(t, tile, g)
		return
	}
	first := tile * tileTokens
	for token := first; token < min(first+tileTokens, t.n); token++ {
		packToken(t, token, g)
	}
}

// packToken writes the bytes of a token's group.
func packToken(t *tokens, token, g int) {
	at, size := token*t.cols+g*t.group, bytesOf(t)
	dst, xq := packedBytes(t, at*size, t.group*size), t.xq[at:][:t.group]
	if size == 2 {
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
		if size == 2 {
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

// quadBlock is a block of rows to multiply.
type quadBlock struct {
	lo, hi int // rows
	first  int // row from which they are in quads: those at a matrix's end may begin before lo
	quads  int // at most blockQuads
}

// nextBlock returns the block to take next of rows r … hi-1.
func nextBlock(m *Matrix, r, hi int) quadBlock {
	if r+quadRows > hi {
		return quadBlock{lo: r, hi: hi, first: min(r, m.rows-quadRows), quads: 1}
	}
	quads := min((hi-r)/quadRows, blockQuads)
	return quadBlock{lo: r, hi: r + quads*quadRows, first: r, quads: quads}
}

// rows is the number of rows in quads.
func (b quadBlock) rows() int { return b.quads * quadRows }

// mul implements kernel.mul.
func (p *bytesKernel) mul(m *Matrix, x *tokens, dst []float32, lo, hi int, s *scratch) {
	s.scales = grow(s.scales, blockQuads*quadRows*x.groups)
	for lo < hi {
		b := nextBlock(m, lo, hi)
		quadScales(s.scales, m, b)
		if p.tiled(x) {
			p.mulTiles(m, x, dst, b, s)
		} else {
			p.mulRows(m, x, dst, b, s)
		}
		lo = b.hi
	}
}

// quadScales widens the scales of a block to dst [quads, groups, 4].
func quadScales(dst []float32, m *Matrix, b quadBlock) {
	groups := m.cols / m.group
	for q := range b.quads {
		scalesOfQuad(dst[q*quadRows*groups:][:quadRows*groups], m, b.first+q*quadRows, groups)
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

// mulRows multiplies a block with tokens one by one.
func (p *bytesKernel) mulRows(m *Matrix, x *tokens, dst []float32, b quadBlock, s *scratch) {
	s.acc = grow(s.acc, blockQuads*quadRows)
	size := bytesOf(x)
	w := m.data[b.first*m.cols:][:b.rows()*m.cols]
	for t := range x.n {
		xt := packedBytes(x, t*x.cols*size, x.cols*size)
		sx := x.scales[t*x.groups:][:x.groups]
		p.rows[size-1](&s.acc[0], &w[0], m.cols, m.group, x.groups, &xt[0], &sx[0], &s.scales[0], b.quads)
		copy(dst[t*m.rows+b.lo:t*m.rows+b.hi], s.acc[b.lo-b.first:])
	}
}

// mulTiles multiplies a block with all tiles. What is not all of a tile and the block goes
// through s.acc.
func (p *bytesKernel) mulTiles(m *Matrix, x *tokens, dst []float32, b quadBlock, s *scratch) {
	s.acc = grow(s.acc, blockQuads*quadRows*tileTokens)
	s.tiles = grow(s.tiles, blockQuads*quadRows*m.cols/8)
	rows := b.rows()
	w := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(s.tiles))), rows*m.cols)
	signQuads(w, m, b)
	for from := 0; from < x.n; from += tileTokens {
		count := min(tileTokens, x.n-from)
		if count == tileTokens && b.hi-b.lo == rows {
			p.mulTile(x, dst[from*m.rows+b.lo:][:(tileTokens-1)*m.rows+rows], m.rows, w, s.scales, from, b.quads)
			continue
		}
		p.mulTile(x, s.acc, rows, w, s.scales, from, b.quads)
		for t := range count {
			at := (from + t) * m.rows
			copy(dst[at+b.lo:at+b.hi], s.acc[t*rows+b.lo-b.first:])
		}
	}
}

// signQuads puts the weights of a block into w [quads, cols/16, 4, 16].
func signQuads(w []int8, m *Matrix, b quadBlock) {
	size := quadRows * m.cols
	for q := range b.quads {
		src := m.data[b.first*m.cols+q*size:][:size]
		signQuad(&w[q*size], &src[0], m.cols, m.cols)
	}
}

// mulTile multiplies quads of rows with the tile that starts at token from. Its tokens' rows
// in dst are stride values apart.
func (p *bytesKernel) mulTile(x *tokens, dst []float32, stride int, w []int8, sw []float32, from, quads int) {
	size := bytesOf(x)
	xt := packedBytes(x, from*x.cols*size, tileTokens*x.cols*size)
	sx := x.lanes[from*x.groups:][:tileTokens*x.groups]
	p.tile[size-1](&dst[0], 4*stride, &w[0], &xt[0], &sw[0], &sx[0], x.group, x.groups, quads)
}
