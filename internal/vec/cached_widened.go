//go:build !amd64 || purego

package vec

func weighCached[T Cached](dst, w []float32, stride int, v []T, cols, lo, hi int) {
	if x, ok := any(v).([]float32); ok {
		weigh(dst, w, stride, x, cols, lo, hi)
		return
	}
	weighWidened(dst, w, stride, v, cols, lo, hi)
}
