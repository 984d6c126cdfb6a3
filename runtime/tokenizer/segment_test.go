package tokenizer

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// setSegments makes a tokenizer merge in segments or not, and says how it did.
func setSegments(tok *Tokenizer, to segmenter) (was segmenter) {
	var at *segmenter
	switch m := tok.model.(type) {
	case *bpe:
		at = &m.segments
	case *spm:
		at = &m.segments
	case *llama2c:
		at = &m.segments
	}
	was, *at = *at, to
	return was
}

func TestSegmentsChangeNothing(t *testing.T) {
	for _, file := range []string{"sentencepiece/tokenizer.model", "sentencepiece/tokenizer.bin", "llama2", "phi3", "mistral", "gemma"} {
		tok, whole := load(t, file), load(t, file)
		if was := setSegments(whole, ""); was == "" {
			t.Errorf("%s: no segments", file)
		}
		var all strings.Builder
		for _, v := range readVectors(t, "llama3").Vectors {
			all.WriteString(v.Text)
			want, err := whole.Encode(v.Text, false)
			if err != nil {
				t.Fatal(err)
			}
			checkEncode(t, tok, v.Text, false, want)
		}
		want, err := whole.Encode(all.String(), false)
		if err != nil {
			t.Fatal(err)
		}
		checkEncode(t, tok, all.String(), false, want)
	}
}

// Where unknown characters are dropped, what they stood between can be merged.
func TestNoSegmentsWithoutUnknown(t *testing.T) {
	tok, err := parseJSON([]byte(`{"model":{"type":"BPE","vocab":{"a":0,"▁":1,"▁▁":2,"▁▁a":3},"merges":["▁ ▁","▁▁ a"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	checkEncode(t, tok, "▁é▁aé▁", false, []int{3, 1})
}

func TestSegmenter(t *testing.T) {
	for _, c := range []struct {
		known  bool
		tokens []string
		want   segmenter
	}{
		{true, []string{"▁a", "a", "▁", "▁▁", "▁▁a"}, "▁"},
		{true, nil, "▁"},
		{false, []string{"▁a"}, ""},
		{true, []string{"a▁"}, ""},
		{true, []string{"▁a▁b"}, ""},
	} {
		if got := newSegmenter(spaceSymbol, c.known, slices.Values(c.tokens)); got != c.want {
			t.Errorf("newSegmenter(%v, %q) = %q, want %q", c.known, c.tokens, got, c.want)
		}
	}
	for text, want := range map[string][]string{
		"▁a▁▁b▁":   {"▁a", "▁▁b", "▁"},
		"a▁b":      {"a", "▁b"},
		"▁▁":       {"▁▁"},
		"ab":       {"ab"},
		"é▁\u2581": {"é", "▁▁"},
	} {
		var got []string
		for segment := ""; text != ""; {
			segment, text = segmenter(spaceSymbol).cut(text)
			got = append(got, segment)
		}
		if !slices.Equal(got, want) {
			t.Errorf("segments %q, want %q", got, want)
		}
	}
	if segment, rest := segmenter("").cut("a▁b"); segment != "a▁b" || rest != "" {
		t.Errorf("cut = %q, %q", segment, rest)
	}
	if got := newSegmenter(" ", true, maps.Keys(map[string]int{"a b": 1})); got != "" {
		t.Errorf("newSegmenter = %q", got)
	}
}
