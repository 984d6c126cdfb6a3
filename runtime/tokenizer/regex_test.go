package tokenizer

import (
	"errors"
	"strings"
	"testing"
)

func TestTranslate(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`\w+|[^\w\s]`, `[` + word + moreWord + `]+|[^` + word + `\s]`},
		{`\W`, `[^` + word + moreWord + `]`},
		{`\\w[\]\w]`, `\\w[\]` + word + `]`},
		{contractions + `|x`, foldedContractions + `|x`},
		{`(?:a|b)(?=c)(?!d)(?<=e)(?<!f)(?i:g)`, `(?:a|b)(?=c)(?!d)(?<=e)(?<!f)(?i:g)`},
	} {
		if got, err := translate(c.expr); err != nil || got != c.want {
			t.Errorf("translate(%q) = %q, %v, want %q", c.expr, got, err, c.want)
		}
	}
}

// What the engine would take for something else than Oniguruma, or not take at all.
func TestRegexRefused(t *testing.T) {
	for _, expr := range []string{
		` ?[^(\s|[.,!?])]+`, `[a-z&&[^b]]`, `[]a]`, `[^]a]`, `(?m)a`, `(?s:a)`, `(?i)a`, `(?-i:a)`,
		`a++`, `(`, `[`, `\p{Nope}`, `a{2`, strings.Repeat("(", maxPattern), strings.Repeat("a", maxPattern+1),
	} {
		if _, err := compile(expr); expr != `a{2` && !errors.Is(err, ErrUnsupported) {
			t.Errorf("compile(%.40q): %v", expr, err)
		}
	}
}

func TestRegexTimeLimit(t *testing.T) {
	r, err := compileRegex(`(a+)+$`)
	if err != nil {
		t.Fatal(err)
	}
	r.re.MatchTimeout = 1e6 // 1 ms
	b := newBudget()
	checkTooLong(t, `"(a+)+$"`, strings.Repeat("a", 60)+"!", func(text string) error {
		_, err := r.find(&b, nil, text)
		return err
	})
}

// Each line takes a while, none too long: the time is that of all together.
func TestRegexBudget(t *testing.T) {
	for name, file := range map[string]string{
		"pre_tokenizer": `{"type":"Sequence","pretokenizers":[
			{"type":"Split","pattern":{"String":"\n"},"behavior":"Isolated","invert":false},
			{"type":"Split","pattern":{"Regex":"(a+)+$|!"},"behavior":"Isolated","invert":false}]}`,
		"normalizer": `{"type":"Replace","pattern":{"Regex":"(a+)+$|!"},"content":"b"}`,
	} {
		tok, err := parseJSON([]byte(`{"` + name + `":` + file + `,"model":{"type":"BPE","vocab":{"a":0}}}`))
		if err != nil {
			t.Fatal(err)
		}
		s := newScratch()
		s.budget.left = 1e8 // 100 ms
		lines := strings.Repeat(strings.Repeat("a", 16)+"!\n", 200)
		checkTooLong(t, `"(a+)+$|!"`, lines, func(text string) error {
			_, err := tok.encodeText(s, nil, text)
			return err
		})
		if s.budget.left > 0 {
			t.Errorf("%s: %v left", name, s.budget.left)
		}
	}
}

// checkTooLong wants an error about the pattern that does not show the text.
func checkTooLong(t *testing.T, pattern, text string, run func(text string) error) {
	t.Helper()
	err := run(text)
	if !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), pattern+" takes too long") || strings.Contains(err.Error(), "aaa") {
		t.Errorf("%.300v", err)
	}
}

// What the engine says holds the pattern again, at any length.
func TestRegexErrorIsShort(t *testing.T) {
	_, err := compile("(" + strings.Repeat("long ", 500))
	if !errors.Is(err, ErrUnsupported) || len(err.Error()) > 200 || strings.Contains(err.Error(), "regexp") {
		t.Errorf("%.400v", err)
	}
}
