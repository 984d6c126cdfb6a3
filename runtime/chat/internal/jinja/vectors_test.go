package jinja

import (
	"encoding/json"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"
)

// vectors are templates rendered by Jinja2 itself: see testdata/make_vectors.py.
type vectors struct {
	Context json.RawMessage
	Vectors []struct {
		Group, Template string
		Text            *string
		Error, Message  string
	}
}

func TestJinjaVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	context := decode(t, v.Context).(*Dict)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range v.Vectors {
		t.Run(c.Group, func(t *testing.T) {
			text, err := "", error(nil)
			template, err := Compile(c.Template)
			if err == nil {
				text, err = template.Render(context, now)
			}
			switch {
			case c.Text == nil && err == nil:
				t.Errorf("%s\nno error, want %s: %s; rendered %q", c.Template, c.Error, c.Message, text)
			case c.Text != nil && err != nil:
				t.Errorf("%s\n%v, want %q", c.Template, err, *c.Text)
			case c.Text != nil && text != *c.Text:
				t.Errorf("%s\nrendered %q\n    want %q", c.Template, text, *c.Text)
			}
		})
	}
}

// decode reads JSON into the values of templates, keeping the order of keys.
func decode(t *testing.T, data []byte) any {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var value func() any
	value = func() any {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case json.Delim:
			var v any
			if token == '{' {
				o := NewDict()
				for d.More() {
					key := value().(string)
					o.Set(key, value())
				}
				v = o
			} else {
				list := []any{}
				for d.More() {
					list = append(list, value())
				}
				v = list
			}
			if _, err := d.Token(); err != nil {
				t.Fatal(err)
			}
			return v
		case json.Number:
			if n, err := token.Int64(); err == nil {
				return n
			}
			if n, ok := new(big.Int).SetString(token.String(), 10); ok {
				return n
			}
			f, err := token.Float64()
			if err != nil {
				t.Fatal(err)
			}
			return f
		default:
			return token
		}
	}
	return value()
}
