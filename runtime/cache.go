package runtime

// cache holds the keys (after RoPE) and values of a session's positions, for one layer.
type cache struct {
	k, v []float32 // [kvHeads, room, headDim]
}

// reserve makes room for n positions, used of which are taken. All layers grow together,
// at least by doubling, so that decode seldom does.
func (s *Session) reserve(n int) {
	if n <= s.room {
		return
	}
	room := min(max(n, 2*s.room, 256), s.model.context)
	c := s.model.config
	for i := range s.caches {
		s.caches[i].k = regrow(s.caches[i].k, c.NumKVHeads, s.room*c.HeadDim, room*c.HeadDim, len(s.ids)*c.HeadDim)
		s.caches[i].v = regrow(s.caches[i].v, c.NumKVHeads, s.room*c.HeadDim, room*c.HeadDim, len(s.ids)*c.HeadDim)
	}
	s.room = room
}

// regrow moves rows of old values each, the first used of which count, to rows of size values.
func regrow(x []float32, rows, old, size, used int) []float32 {
	y := make([]float32, rows*size)
	for r := range rows {
		copy(y[r*size:], x[r*old:][:used])
	}
	return y
}

// store sets the keys and values k and v [kvHeads, headDim] of position pos.
func (c *cache) store(k, v []float32, pos, headDim, room int) {
	for to := pos * headDim; len(k) > 0; to += room * headDim {
		copy(c.k[to:], k[:headDim])
		copy(c.v[to:], v[:headDim])
		k, v = k[headDim:], v[headDim:]
	}
}
