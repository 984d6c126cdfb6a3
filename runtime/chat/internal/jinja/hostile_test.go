package jinja

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHostileTemplates: each would run for long, or take much memory, or recurse without end.
func TestHostileTemplates(t *testing.T) {
	deep := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	cases := map[string]string{
		"nested loops":         `{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}`,
		"output":               `{% for a in range(100000) %}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{% endfor %}`,
		"doubled string":       `{% set n = namespace(x='aaaaaaaa') %}{% for a in range(1000) %}{% set n.x = n.x + n.x %}{% endfor %}`,
		"joined string":        `{% set n = namespace(x='aaaaaaaa') %}{% for a in range(1000) %}{% set n.x = n.x ~ n.x %}{% endfor %}`,
		"doubled list":         `{% set n = namespace(x=[1]) %}{% for a in range(1000) %}{% set n.x = n.x + n.x %}{% endfor %}`,
		"nested list":          `{% set n = namespace(x=[]) %}{% for a in range(10000) %}{% set n.x = [n.x] %}{% endfor %}{{ n.x }}`,
		"nested list, json":    `{% set n = namespace(x=[]) %}{% for a in range(10000) %}{% set n.x = [n.x] %}{% endfor %}{{ n.x | tojson }}`,
		"nested list, equal":   `{% set n = namespace(x=[]) %}{% for a in range(10000) %}{% set n.x = [n.x] %}{% endfor %}{{ n.x == [n.x] }}`,
		"shared list, equal":   `{% set n = namespace(x=[], y=[]) %}{% for a in range(100) %}{% set n.x = [n.x, n.x] %}{% set n.y = [n.y, n.y] %}{% endfor %}{{ n.x == n.y }}`,
		"shared list, printed": `{% set n = namespace(x=[]) %}{% for a in range(100) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}`,
		"shared list, key":     `{% set n = namespace(x=()) %}{% for a in range(100) %}{% set n.x = (n.x, n.x) %}{% endfor %}{{ {n.x: 1} }}`,
		"shared list, less":    `{% set n = namespace(x=[]) %}{% for a in range(100) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x < n.x }}`,
		"macro":                `{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}`,
		"macros":               `{% macro a() %}{{ b() }}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{{ a() }}{% endmacro %}{{ a() }}`,
		"macro doubling":       `{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(100) }}`,
		"macro in map":         `{% macro m(x) %}{{ [x] | map('string') | map('upper') | join }}{{ m(x ~ x) }}{% endmacro %}{{ m('a') }}`,
		"recursive loop":       `{% for x in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}`,
		"itself in namespace":  `{% set n = namespace() %}{% set n.x = n %}{{ n }}`,
		"repeated string":      `{{ 'a' * 1000000000 }}`,
		"repeated list":        `{{ [1] * 1000000000 }}`,
		"repeated empty":       `{{ ('' * 9000000000) * 9000000000 }}{{ 'a' * 900000000000000000 }}`,
		"range":                `{{ range(1000000000) | list }}`,
		"range wrap":           `{{ range(-9000000000000000000, 9000000000000000000) | length }}`,
		"ranges":               `{% for a in range(1000) %}{% set x = range(100000) | list %}{% endfor %}`,
		"power":                `{{ 9 ** 999999999999 }}`,
		"center":               `{{ 'a'.center(1000000000) }}`,
		"zfill":                `{{ 'a'.zfill(1000000000) }}`,
		"indent":               `{{ 'a\n' * 100000 | indent(1000000) }}`,
		"json indent":          `{{ [1] | tojson(indent=1000000000) }}`,
		"printf width":         `{{ '%1000000000d' % 1 }}`,
		"format width":         `{{ '{:1000000000}'.format(1) }}`,
		"replace":              `{{ ('a' * 100000).replace('a', 'b' * 100000) }}`,
		"replace nothing":      `{{ ('a' * 1000000) | replace('', 'b' * 1000) }}`,
		"join":                 `{{ (range(100000) | join('a' * 100000)) }}`,
		"join method":          `{{ ('a' * 100000).join('b' * 100000) }}`,
		"truncate":             `{{ 'a' | truncate(-5) }}`,
		"batch":                `{{ [1] | batch(100000000, 1) | list }}`,
		"slice":                `{{ [1] | slice(100000000) | list }}`,
		"sorting":              `{% for a in range(10000) %}{% set x = range(10000) | sort %}{% endfor %}`,
		"splitting":            `{% for a in range(10000) %}{% set x = ('a ' * 100000).split() %}{% endfor %}`,
		"characters":           `{% for a in range(10000) %}{% set x = ('a' * 1000000) | list %}{% endfor %}`,
		"searching":            `{% set s = 'a' * 1000000 %}{% for a in range(100000) %}{% set x = 'b' in s %}{% endfor %}`,
		"time":                 `{% for a in range(100000) %}{% set x = strftime_now('%c' * 100000) %}{% endfor %}`,
		"deep parentheses":     `{{ ` + deep("(", "1", ")", 100000) + ` }}`,
		"deep lists":           `{{ ` + deep("[", "1", "]", 100000) + ` }}`,
		"deep dicts":           `{{ ` + deep("{1:", "1", "}", 100000) + ` }}`,
		"deep ifs":             deep("{% if 1 %}", "x", "{% endif %}", 50000),
		"deep targets":         `{% for ` + deep("(", "a", ")", 100000) + ` in x %}{% endfor %}`,
		"long sum":             `{{ 1` + strings.Repeat("+1", 100000) + ` }}`,
		"long and":             `{{ 1` + strings.Repeat(" and 1", 100000) + ` }}`,
		"long not":             `{{ ` + strings.Repeat("not ", 100000) + `1 }}`,
		"long minus":           `{{ ` + strings.Repeat("- ", 100000) + `1 }}`,
		"long attributes":      `{{ a` + strings.Repeat(".a", 100000) + ` }}`,
		"long filters":         `{{ a` + strings.Repeat("|upper", 100000) + ` }}`,
		"long if else":         `{{ ` + strings.Repeat("1 if 1 else ", 50000) + `1 }}`,
		"long if":              `{{ 1` + strings.Repeat(" if 1", 100000) + ` }}`,
		"too long":             strings.Repeat("x", MaxSource+1),
		"division overflow":    `{{ (-9223372036854775807 - 1) // -1 }}`,
		"negation overflow":    `{{ -(-9223372036854775807 - 1) }}`,
		"product overflow":     `{{ 9223372036854775807 * 2 }}`,
	}
	for name, source := range cases {
		t.Run(name, func(t *testing.T) {
			text, err := "", error(nil)
			template, err := Compile(source)
			if err == nil {
				text, err = template.render(NewDict(), time.Unix(0, 0), budget/16) // all of it takes seconds
			}
			if err == nil {
				t.Fatalf("no error; %d bytes", len(text))
			}
			if strings.Contains(err.Error(), "engine failed") {
				t.Error(err)
			}
		})
	}
}

func TestUnsupportedIsRefused(t *testing.T) {
	cases := []string{
		`{% include 'x' %}`, `{% extends 'x' %}`, `{% import 'x' as y %}`, `{% block a %}{% endblock %}`,
		`{{ s.casefold() }}`, `{{ s.encode() }}`, `{{ s | pprint }}`, `{{ s | random }}`, `{{ lipsum() }}`,
		`{{ 2.5 ** 0.5 }}`, `{{ 99999999999 * 99999999999 }}`, `{{ 99999999999999999999 + 1 }}`,
		`{{ s.upper }}`, `{{ '{0.x}'.format(s) }}`, `{{ range(9)[1:] }}`, `{{ strftime_now('%U') }}`,
		`{% set g = [1, 2] | select %}{% for x in g %}{% break %}{% endfor %}{{ g | list }}`,
	}
	for _, source := range cases {
		template, err := Compile(source)
		if err == nil {
			d := NewDict()
			d.Set("s", "text")
			_, err = template.Render(d, time.Unix(0, 0))
		}
		if err == nil || !strings.Contains(err.Error(), "not supported") && !strings.Contains(err.Error(), "64 bits") {
			t.Errorf("%s: error %v, want one that it is not supported", source, err)
		}
	}
}

func TestErrors(t *testing.T) {
	template, err := Compile("a\n{% if true %}\n{{ raise_exception('the message') }}{% endif %}")
	if err != nil {
		t.Fatal(err)
	}
	_, err = template.Render(NewDict(), time.Unix(0, 0))
	var e *Error
	if !errors.As(err, &e) || e.Kind != "" || e.Line != 3 || err.Error() != "the message" {
		t.Errorf("%#v", err)
	}
	if _, err = Compile("a\n\n{{ 1 + }}"); err == nil || err.Error() != "line 3: TemplateSyntaxError: unexpected '}}'" {
		t.Errorf("%v", err)
	}
}

// TestRenderLeavesVariables: the values given stay as they are, so that renderings may share them.
func TestRenderLeavesVariables(t *testing.T) {
	d := NewDict()
	d.Set("x", []any{int64(1), int64(2)})
	template, err := Compile(`{% set y = x + [3] %}{% set z = x[:1] + [9] %}{% set x = 5 %}{{ y }}{{ z }}{{ x }}`)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		text, err := template.Render(d, time.Unix(0, 0))
		if err != nil || text != "[1, 2, 3][1, 9]5" {
			t.Errorf("%q, %v", text, err)
		}
	}
	if x := d.Get("x").([]any); x[0] != int64(1) || x[1] != int64(2) || len(x) != 2 {
		t.Errorf("x became %v", x)
	}
}

// FuzzTemplate: no template makes the engine fail in another way than by its errors.
func FuzzTemplate(f *testing.F) {
	files, err := filepath.Glob("../../../../testdata/templates/*.jinja")
	if err != nil || len(files) == 0 {
		f.Fatal("no templates", err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(source))
	}
	f.Add(`{% for a, b in d.items() recursive %}{{ loop.index ~ a|upper }}{% endfor %}{{ '%5.2f' % 1 }}{{ x[1:-1:2] }}`)
	d := NewDict()
	message := NewDict()
	message.Set("role", "user")
	message.Set("content", "Hi é")
	d.Set("messages", []any{message})
	d.Set("d", message)
	d.Set("x", "abc")
	f.Fuzz(func(t *testing.T, source string) {
		template, err := Compile(source)
		if err == nil {
			_, err = template.Render(d, time.Unix(0, 0))
		}
		if err != nil && strings.Contains(err.Error(), "engine failed") {
			t.Fatalf("%v\n%q", err, source)
		}
	})
}
