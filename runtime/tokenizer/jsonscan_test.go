package tokenizer

import (
	"encoding/json"
	"maps"
	"reflect"
	"testing"
)

// checkRawObject compares rawObject with encoding/json, which decides what is an object.
func checkRawObject(t *testing.T, data []byte) {
	t.Helper()
	var want map[string]any
	if json.Unmarshal(data, &want) != nil || want == nil {
		return
	}
	raw, err := rawObject(data)
	if err != nil {
		t.Fatalf("rawObject(%q): %v", data, err)
	}
	got := map[string]any{}
	for key, value := range raw {
		var v any
		if err := json.Unmarshal(value, &v); err != nil {
			t.Fatalf("rawObject(%q): %q: %q: %v", data, key, value, err)
		}
		got[key] = v
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("rawObject(%q) = %v, want %v", data, got, want)
	}
}

func TestRawObject(t *testing.T) {
	for _, style := range styles {
		checkRawObject(t, read(t, style, "tokenizer.json"))
	}
	for _, data := range []string{`{}`, ` { } `, `{"a":1,"a":[2]}`, `{"\"}":"]\\","b" : {"c":[{}, "}"]} , "d":-1.5e3}`, `{"\u00e9\ud83d\ude00":null}`} {
		checkRawObject(t, []byte(data))
	}
	for _, data := range []string{``, `[]`, `{`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1,}`, `{"a":1}}`, `{"a":1} x`, `{a:1}`, `{"a":[`, `{"a":"`, "{\"a\x01\":1}", `{"\x":1}`} {
		if got, err := rawObject([]byte(data)); err == nil {
			t.Errorf("rawObject(%q) = %q", data, got)
		}
	}
}

func TestVocabularyEscapes(t *testing.T) {
	data := `{"a":0, "\u0120b" : 1,"\"\\\/\b\f\n\r\t":2,"\ud83d\ude00":3,"😀é":4,"\ud800":5, "": 6, "Ġ": 1e1}`
	if _, err := parseVocabulary(field{raw: []byte(data)}); err == nil {
		t.Error("an exponent in an id")
	}
	v, err := parseVocabulary(field{raw: []byte(data[:len(data)-4] + " 7\n}")})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int32{"a": 0, "Ġb": 1, "\"\\/\b\f\n\r\t": 2, "😀": 3, "😀é": 4, "\uFFFD": 5, "": 6, "Ġ": 7}
	if !maps.Equal(v.ids, want) {
		t.Errorf("%v, want %v", v.ids, want)
	}
}

func FuzzRawObject(f *testing.F) {
	f.Add([]byte(`{"\"}":"]\\","b" : {"c":[{}, "}"]} , "d":-1.5e3}`))
	f.Fuzz(func(t *testing.T, data []byte) { checkRawObject(t, data) })
}
