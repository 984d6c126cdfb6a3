package chat

import (
	"encoding/json"
	"fmt"
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
	pending := readPending(t)
	total := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		total += testGolden(t, name, pending)
	}
	if total != 333 {
		t.Errorf("%d cases, want 333", total)
	}
}

func testGolden(t *testing.T, name string, pending map[string]string) int {
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
			problem := goldenProblem(template, parseErr, g.Now, raw, c)
			reason, listed := pending[name+"/"+c.Name]
			switch {
			case listed && problem == "":
				t.Errorf("renders as it should; take it off pending.txt (%s)", reason)
			case !listed && problem != "":
				t.Error(problem)
			}
		})
	}
	return len(g.Cases)
}

// goldenProblem returns "" if the case comes out as transformers has it.
func goldenProblem(template *Template, err error, now string, raw []byte, c goldenCase) string {
	if err != nil {
		return err.Error()
	}
	r, err := ParseRequest(raw)
	if err != nil {
		return err.Error()
	}
	if r.Now, err = time.Parse("2006-01-02T15:04:05", now); err != nil {
		return err.Error()
	}
	text, err := template.Render(r)
	switch {
	case c.Rendered == nil && err == nil:
		return fmt.Sprintf("no error, want %q; rendered %q", c.Error, text)
	case c.Rendered != nil && err != nil:
		return err.Error()
	case c.Rendered != nil && text != *c.Rendered:
		return fmt.Sprintf("rendered\n%q\nwant\n%q", text, *c.Rendered)
	}
	return ""
}

// readPending returns the cases that are known not to come out right, with the reasons.
func readPending(t *testing.T) map[string]string {
	data, err := os.ReadFile(templates + "/pending.txt")
	if err != nil {
		t.Fatal(err)
	}
	pending := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
		pending[name] = reason
	}
	return pending
}
