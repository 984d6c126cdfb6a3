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
	if _, err := r.find(nil, strings.Repeat("a", 60)+"b"); !errors.Is(err, ErrLimit) {
		t.Errorf("find: %v", err)
	}
}
