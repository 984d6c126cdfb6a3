package runtime

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"testing"
)

// TestAfterAnInterrupt continues a session whose last tokens came only through some layers,
// because the context was cancelled or OnHidden panicked: nothing of them is left.
func TestAfterAnInterrupt(t *testing.T) {
	for kv := KVF32; kv <= KVInt8; kv++ {
		m := load(t, "demo", Options{KV: kv, Threads: 3})
		for _, first := range []int{0, 1, 17} {
			for _, n := range []int{1, 20, 150} {
				t.Run(fmt.Sprintf("%v, %d tokens after %d", kv, n, first), func(t *testing.T) {
					checkAfterAnInterrupt(t, m, first, n)
				})
			}
		}
	}
}

func checkAfterAnInterrupt(t *testing.T, m *Model, first, n int) {
	ids := sequence(first+n, m.config.VocabSize)
	want := slices.Clone(eval(t, m, ids, 1))
	s := m.NewSession()
	if _, err := s.Eval(t.Context(), ids[:first], 0); err != nil {
		t.Fatal(err)
	}
	wrong := slices.Clone(ids[first:])
	slices.Reverse(wrong)
	ctx, cancel := context.WithCancel(t.Context())
	s.OnHidden = func(layer, _ int, _ []float32) {
		if layer == 1 {
			cancel()
		}
	}
	if _, err := s.Eval(ctx, wrong, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s.OnHidden = func(layer, _ int, _ []float32) {
		if layer == 2 {
			panic("stop")
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		s.Eval(t.Context(), wrong, 1)
	}()
	s.OnHidden = nil
	if s.Len() != first {
		t.Errorf("%d tokens, want %d", s.Len(), first)
	}
	got, err := s.Eval(t.Context(), ids[first:], 1)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("other logits (%v)", err)
	}
}

// TestMoreWorkersThanProcessors takes turns on one processor: workers that wait for others must
// let them run. Spans begin anywhere in a tile of keys.
func TestMoreWorkersThanProcessors(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	for kv := KVF32; kv <= KVInt8; kv++ {
		one, four := load(t, "demo", Options{KV: kv, Threads: 1}), load(t, "demo", Options{KV: kv, Threads: 4})
		ids := sequence(300, one.config.VocabSize)
		want := eval(t, one, ids, len(ids))
		s, got := four.NewSession(), []float32(nil)
		for _, part := range [][]int{ids[:7], ids[7:140], ids[140:290], ids[290:291], ids[291:]} {
			logits, err := s.Eval(t.Context(), part, len(part))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, logits...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: other logits", kv)
		}
	}
}
