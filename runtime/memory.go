package runtime

import (
	"math"

	"octet/internal/cpu"
	"octet/loader"
)

// CacheBytes is the memory of a position's keys and values in all layers.
func (m *Model) CacheBytes() int64 { return cacheBytes(m.config, m.kv) }

func cacheBytes(c loader.Config, kv KV) int64 {
	return int64(2*c.NumLayers) * int64(c.NumKVHeads) * int64(kv.width(c.HeadDim))
}

// SessionBytes is about what a session takes that holds as many tokens as it can, of a model
// of the config loaded with those options: its cache and the scratch memory of a batch. It
// is known before the model is. More than an int64 holds is the largest one.
func SessionBytes(c loader.Config, o Options) int64 {
	positions := contextLimit(c, o)
	threads := o.Threads
	if threads <= 0 {
		threads = cpu.Threads()
	}
	n := min(batch, positions)
	onTheWay := threads * spanSize(n, threads)
	if onTheWay == 0 {
		onTheWay = n
	}
	heads, kvHeads := c.NumHeads*c.HeadDim, c.NumKVHeads*c.HeadDim
	// Inputs are kept quantized as well, in the order in which they came and as kernels
	// read them: at most two float32 a value.
	inputs := 2 * max(c.HiddenSize, heads, c.IntermediateSize)
	tokens := n*(c.HiddenSize+heads) + onTheWay*(c.HiddenSize+heads+2*kvHeads+2*c.IntermediateSize+inputs)
	rows := max(queryRows, c.NumHeads/max(c.NumKVHeads, 1))
	scores := float64(threads) * max(float64(rows)*float64(positions), scoreBytes/4)
	kv, _ := chooseKV(c, o) // what is wrong with the options, New says
	sum := float64(cacheBytes(c, kv))*float64(positions) + 4*(float64(tokens)+scores+float64(c.VocabSize))
	if sum >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(sum)
}

// MemoryBytes is what the weights take in memory, pages of mapped files among them: those
// that a forward pass reads, and the embeddings.
func (m *Model) MemoryBytes() int64 {
	n := m.WeightBytes()
	if m.embed != m.head {
		n += m.embed.Bytes()
	}
	return n
}
