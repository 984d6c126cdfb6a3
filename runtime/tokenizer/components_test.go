package tokenizer

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// components are what the tokenizers library makes of texts with single components; the file and
// the script that made it are in testdata.
type components struct {
	Base  map[string]json.RawMessage `json:"base"`
	Cases []struct {
		Tokenizer  map[string]json.RawMessage `json:"tokenizer"` // where it differs from the base
		Vectors    []componentVector          `json:"vectors"`
		DecodeOnly []vector                   `json:"decode_only"`
	} `json:"cases"`
}

type componentVector struct {
	vector
	Normalized *string `json:"normalized"`
}

func readComponents(t testing.TB) (c components) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testdata, "components.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Cases) < 60 {
		t.Fatalf("%d cases", len(c.Cases))
	}
	return c
}

func (c components) with(t testing.TB, change map[string]json.RawMessage) []byte {
	t.Helper()
	fields := maps.Clone(c.Base)
	maps.Copy(fields, change)
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestComponents(t *testing.T) {
	all := readComponents(t)
	for _, c := range all.Cases {
		name, _ := json.Marshal(c.Tokenizer)
		t.Run(string(name[:min(len(name), 150)]), func(t *testing.T) {
			tok, err := parseJSON(all.with(t, c.Tokenizer))
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range c.Vectors {
				checkEncode(t, tok, v.Text, false, v.IDs)
				checkEncode(t, tok, v.Text, true, v.IDsSpecial)
				checkDecode(t, tok, v.IDs, false, v.Decode)
				checkParts(t, tok, v)
			}
			for _, v := range c.DecodeOnly {
				checkDecode(t, tok, v.IDs, false, v.Decode)
			}
		})
	}
}

// checkParts checks the normalizer and the pre-tokenizers by themselves.
func checkParts(t *testing.T, tok *Tokenizer, v componentVector) {
	t.Helper()
	if v.Normalized != nil {
		if got, err := tok.normalize(&newScratch().budget, v.Text); err != nil || got != *v.Normalized {
			t.Errorf("normalize(%q) = %q, %v, want %q", v.Text, got, err, *v.Normalized)
		}
	}
	if v.Pre == nil {
		return
	}
	if got := pieces(t, tok, v.Text); !slices.Equal(got, v.Pre) {
		t.Errorf("pieces of %q = %q, want %q", v.Text, got, v.Pre)
	}
}
