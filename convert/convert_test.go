package convert

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"octet/loader"
	"octet/quant"
	"octet/testdata/demo"
)

// run converts and fails the test on an error.
func run(t *testing.T, src, dst string, o Options) *Summary {
	t.Helper()
	s, err := Run(context.Background(), src, dst, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every float model in the test data, and the group size that its widths allow of 128.
var sources = map[string]int{
	"demo":                 64,
	"models/llama":         32, // F16, untied
	"models/llama31":       128,
	"models/llama_bias":    32,
	"models/llama_dynamic": 128,
	"models/llama_headdim": 64,
	"models/llama_linear":  64,
	"models/llama_yarn":    32,
	"quantized/llama_base": 64, // zero groups, negative largest values, tiny rows, outliers
	"quantized/qwen3_base": 64,
}

func TestEveryValueIsWithinHalfAScale(t *testing.T) {
	for name, group := range sources {
		t.Run(name, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "out")
			s := run(t, "../testdata/"+name, dst, Options{GroupSize: 128})
			if s.GroupSize != group || s.GroupAsked != 128 {
				t.Errorf("group %d of %d asked, want %d", s.GroupSize, s.GroupAsked, group)
			}
			source, made := open(t, "../testdata/"+name), open(t, dst)
			if len(s.Matrices) != 7*source.Config.NumLayers {
				t.Errorf("%d matrices quantized in %d layers", len(s.Matrices), source.Config.NumLayers)
			}
			for _, m := range s.Matrices {
				checkMatrix(t, source, made, m)
			}
			checkOthers(t, source, made, s)
		})
	}
}

// checkMatrix compares a matrix with what it was made of: with the bytes that quant
// makes of it as a whole, and value by value.
func checkMatrix(t *testing.T, source, made *loader.Checkpoint, m MatrixError) {
	t.Helper()
	name := strings.TrimSuffix(m.Name, ".weight")
	was, err := source.Weight(name, m.Rows, m.Cols)
	if err != nil {
		t.Fatal(err)
	}
	is, err := made.Weight(name, m.Rows, m.Cols)
	if err != nil {
		t.Fatal(err)
	}
	if is.Scales.DType != was.Values.DType {
		t.Errorf("%s: scales are %v, weights were %v", name, is.Scales.DType, was.Values.DType)
	}
	q, scales := make([]byte, m.Rows*m.Cols), make([]byte, len(is.Scales.Data))
	want, err := quant.QuantizeRows(q, scales, floats(was.Values), m.Cols, is.Group)
	if err != nil {
		t.Fatal(err)
	}
	if string(q) != string(is.Values.Data) || string(scales) != string(is.Scales.Data) {
		t.Errorf("%s: other bytes than quant.QuantizeRows makes", name)
	}
	if math.Abs(m.RelativeRMSError-want.Relative()) > 1e-12 || m.MaxError != want.Max {
		t.Errorf("%s: errors %g, %g, want %g, %g", name, m.RelativeRMSError, m.MaxError, want.Relative(), want.Max)
	}
	checkValues(t, was, is)
}

func floats(t loader.Tensor) quant.Floats {
	return quant.Floats{Element: elements[t.DType], Data: t.Data}
}

// checkValues checks |w - q·s| ≤ s·(1/2 + 2^-18): w/s is rounded twice, first to
// float32, where values below 128 are 2^-17 apart, and then to a whole number. That the
// scale was rounded to its type does not add to it: a scale that became smaller, by at
// most 2^-8 of itself in BF16, leaves at most 127/256 of it above 127·s. Only an F16
// scale below 2^-14 can be off by more: 2^-25.
func checkValues(t *testing.T, was, is loader.Weight) {
	t.Helper()
	w, s := make([]float32, was.Cols), make([]float32, was.Cols/is.Group)
	for r := range was.Rows {
		floats(was.Values).Widen(w, r*was.Cols)
		floats(is.Scales).Widen(s, r*len(s))
		for c, v := range w {
			scale := float64(s[c/is.Group])
			bound := scale * (0.5 + 0x1p-18)
			if is.Scales.DType == loader.F16 && scale < 0x1p-14 {
				bound += 127 * 0x1p-25
			}
			q := int(is.Values.Data[r*was.Cols+c]) - 128
			if diff := math.Abs(float64(v) - float64(q)*scale); diff > bound || q < -127 {
				t.Fatalf("%s [%d, %d]: %g became %d·%g", was.Name, r, c, v, q, scale)
			}
		}
	}
}

// checkOthers checks that all other tensors are the same, and that there are no more.
func checkOthers(t *testing.T, source, made *loader.Checkpoint, s *Summary) {
	t.Helper()
	want := make(map[string]bool)
	for _, name := range source.Names() {
		want[name] = true
	}
	for _, m := range s.Matrices {
		delete(want, m.Name)
		for _, suffix := range []string{"_packed", "_scale", "_shape"} {
			want[m.Name+suffix] = true
		}
	}
	if names := slices.Sorted(maps.Keys(want)); !slices.Equal(names, made.Names()) {
		t.Fatalf("tensors %v, want %v", made.Names(), names)
	}
	for _, name := range source.Names() {
		a, _ := source.Tensor(name)
		b, err := made.Tensor(name)
		if err != nil {
			continue // quantized
		}
		if a.DType != b.DType || !slices.Equal(a.Shape, b.Shape) || string(a.Data) != string(b.Data) {
			t.Errorf("%s is not what it was", name)
		}
	}
}

// The bytes of the demo model in int8 are fixed: the same on every machine, for any
// number of threads. numpy makes the same values and scales.
func TestDemoGolden(t *testing.T) {
	const want = "0987cc9b0f8840950da4c4a179da2587d97fc8dfdd94fa953ed03183b064ff2d"
	for _, threads := range []int{1, 3} {
		dst := t.TempDir()
		run(t, "../testdata/demo", dst, Options{Threads: threads})
		sum := sha256.Sum256([]byte(contents(t, dst)[weightsFile]))
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%d threads: SHA-256 %s, want %s", threads, got, want)
		}
	}
}

func TestEmbedded(t *testing.T) {
	ck, err := loader.OpenFS(demo.FS)
	if err != nil {
		t.Fatal(err)
	}
	defer ck.Close()
	dst, other := t.TempDir(), t.TempDir()
	s, err := RunCheckpoint(context.Background(), ck, dst, Options{})
	if err != nil {
		t.Fatal(err)
	}
	run(t, "../testdata/demo", other, Options{})
	if !maps.Equal(contents(t, dst), contents(t, other)) {
		t.Error("the embedded model becomes other files than the one on disk")
	}
	if s.Source != "" || s.Destination != dst {
		t.Errorf("source %q, destination %q", s.Source, s.Destination)
	}
}

// A matrix of several blocks is the same as one quantized at once, and takes no more
// memory than the blocks.
func TestBlocks(t *testing.T) {
	src := newModel(blockBytes/64 + 32).save(t)
	source := open(t, src)
	var first map[string]string
	for _, threads := range []int{1, 3} {
		dst := t.TempDir()
		var s *Summary
		if n := allocated(func() { s = run(t, src, dst, Options{Threads: threads}) }); n > 2*numBlocks*blockBytes && !raceDetector {
			t.Errorf("%d threads: %d bytes allocated for %d blocks of %d", threads, n, numBlocks, blockBytes)
		}
		for _, m := range s.Matrices {
			checkMatrix(t, source, open(t, dst), m)
		}
		files := contents(t, dst)
		if first != nil && !maps.Equal(first, files) {
			t.Errorf("%d threads: other bytes", threads)
		}
		first = files
	}
}

// allocated is the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	f()
	goruntime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestProgress(t *testing.T) {
	var last, total int64
	s := run(t, "../testdata/demo", t.TempDir(), Options{Progress: func(d, n int64) {
		if d <= last || d > n {
			t.Errorf("progress from %d to %d of %d", last, d, n)
		}
		last, total = d, n
	}})
	if last != total || total != s.SourceBytes {
		t.Errorf("progress ends at %d of %d, source has %d bytes", last, total, s.SourceBytes)
	}
}

func TestSummary(t *testing.T) {
	dst := t.TempDir()
	s := run(t, "../testdata/demo", dst, Options{})
	if size := int64(len(contents(t, dst)[weightsFile])); s.DestinationBytes != size {
		t.Errorf("%d bytes in the summary, %d in the file", s.DestinationBytes, size)
	}
	want := []string{
		"chat_template.jinja", "generation_config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json",
	}
	if !slices.Equal(s.Copied, want) {
		t.Errorf("copied %v, want %v", s.Copied, want)
	}
	// A uniform error of up to half a step, a step of 1/127 of a group's largest value,
	// which is some three times the root mean square: about 3/127/√12.
	if s.RelativeRMSError < 0.003 || s.RelativeRMSError > 0.012 {
		t.Errorf("relative error %g", s.RelativeRMSError)
	}
}

func TestFilesAreCopied(t *testing.T) {
	m := newModel(64)
	m.files = map[string]string{
		"tokenizer.json": "1", "tokenizer.model": "2", "vocab.json": "3", "merges.txt": "4", "added_tokens.json": "5",
		"additional_chat_templates/tools.jinja": "6", "chat_template.jinja": "7", "LICENSE.txt": "8",
		"generation_config.json": `{"eos_token_id": 2}`,
	}
	want := maps.Clone(m.files)
	for _, name := range []string{"README.md", "pytorch_model.bin", "tokenizer.safetensors", "notes.txt", "original/tokenizer.model"} {
		m.files[name] = "no"
	}
	dst := t.TempDir()
	run(t, m.save(t), dst, Options{})
	files := contents(t, dst)
	delete(files, configFile)
	delete(files, weightsFile)
	if !maps.Equal(files, want) {
		t.Errorf("copied %v, want %v", files, want)
	}
}

func TestShards(t *testing.T) {
	whole, split := t.TempDir(), t.TempDir()
	run(t, "../testdata/demo", whole, Options{})
	s := run(t, "../testdata/demo", split, Options{MaxShardBytes: 1_000_000})
	want := []string{
		"model-00001-of-00004.safetensors", "model-00002-of-00004.safetensors",
		"model-00003-of-00004.safetensors", "model-00004-of-00004.safetensors",
	}
	if !slices.Equal(s.Files, want) {
		t.Errorf("files %v, want %v", s.Files, want)
	}
	a, b := open(t, whole), open(t, split)
	if !slices.Equal(a.Names(), b.Names()) {
		t.Fatal("shards hold other tensors than one file")
	}
	for _, name := range a.Names() {
		x, _ := a.Tensor(name)
		y, _ := b.Tensor(name)
		if string(x.Data) != string(y.Data) {
			t.Errorf("%s differs", name)
		}
	}
	for name, text := range contents(t, split) {
		if strings.HasPrefix(name, "model-") && len(text) > 1_000_000+1<<16 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
}

// Mapped weights are read as they lie: matrices begin on a cache line, the rest on a
// multiple of its element's size.
func TestAlignment(t *testing.T) {
	for name := range sources {
		dst := t.TempDir()
		run(t, "../testdata/"+name, dst, Options{})
		ck := open(t, dst)
		file := contents(t, dst)[weightsFile]
		for _, tensor := range ck.Names() {
			x, _ := ck.Tensor(tensor)
			align := x.DType.Size()
			if len(x.Data)%lineSize == 0 {
				align = lineSize
			}
			if !aligned(file, x.Data, align) {
				t.Errorf("%s: %s does not lie on a multiple of %d", name, tensor, align)
			}
		}
	}
}

// aligned reports whether data occurs in file at a multiple of align.
func aligned(file string, data []byte, align int) bool {
	for at := 0; ; {
		i := strings.Index(file[at:], string(data))
		if i < 0 {
			return false
		}
		if at += i; at%align == 0 {
			return true
		}
		at++
	}
}
