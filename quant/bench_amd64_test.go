//go:build amd64 && !purego

package quant

import (
	"fmt"
	"testing"
	"unsafe"
)

// BenchmarkTiles multiplies a group of a block of rows with four tiles, all of it in the
// first-level cache: what VNNI's products of tiles reach at most.
func BenchmarkTiles(b *testing.B) {
	if !hasVNNI {
		b.Skip("no AVX-512 with VNNI")
	}
	const group, width = 64, blockTiles * tileTokens
	for i, size := range []int{2, 1} { // bytes of a value
		b.Run(fmt.Sprintf("%d bytes", size), func(b *testing.B) {
			var (
				x      [width * group * 2]byte
				w      [blockRows * group * 2]byte
				acc    [blockRows * width]float32
				sw     [blockRows]float32
				sx     [width]float32
				biases [width]int32
			)
			for b.Loop() {
				vnni.mul4[i](&acc[0], unsafe.Pointer(&x), unsafe.Pointer(&w), &sw[0], &sx[0], &biases[0],
					group*size/4, blockQuads, quadRows*group*size, 4*quadRows)
			}
			b.ReportMetric(blockRows*width*group*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}
