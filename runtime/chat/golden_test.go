package chat

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const templates = "../../testdata/templates"

// golden is one file of testdata/templates: conversations rendered by transformers.
type golden struct {
	Now   string            `json:"now"`
	Cases []json.RawMessage `json:"cases"`
}

type goldenCase struct {
	Name     string  `json:"name"`
	Rendered *string `json:"rendered"`
	Error    string  `json:"error"`
}

func TestGoldenTemplates(t *testing.T) {
	files, err := filepath.Glob(templates + "/*.json")
	if err != nil || len(files) != 37 {
		t.Fatalf("%d golden files, want 37 (%v)", len(files), err)
	}
	total := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		total += testGolden(t, name)
	}
	if total != 333 {
		t.Errorf("%d cases, want 333", total)
	}
}

func testGolden(t *testing.T, name string) int {
	source, err := os.ReadFile(filepath.Join(templates, name+".jinja"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(templates, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	template, parseErr := Parse(string(source))
	for _, raw := range g.Cases {
		var c goldenCase
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		t.Run(name+"/"+c.Name, func(t *testing.T) {
			if parseErr != nil {
				t.Fatal(parseErr)
			}
			checkGolden(t, template, g.Now, raw, c)
		})
	}
	return len(g.Cases)
}

func checkGolden(t *testing.T, template *Template, now string, raw []byte, c goldenCase) {
	r, err := ParseRequest(raw)
	if err != nil {
		t.Fatal(err)
	}
	if r.Now, err = time.Parse("2006-01-02T15:04:05", now); err != nil {
		t.Fatal(err)
	}
	text, err := template.Render(r)
	switch {
	case c.Rendered == nil && err == nil:
		t.Errorf("no error, want %q; rendered %q", c.Error, text)
	case c.Rendered == nil:
		want := strings.TrimPrefix(c.Error, "TemplateError: ") // the template's own message
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want %q", err, want)
		}
	case err != nil:
		t.Error(err)
	case text != *c.Rendered:
		t.Errorf("rendered\n%q\nwant\n%q", text, *c.Rendered)
	}
}
