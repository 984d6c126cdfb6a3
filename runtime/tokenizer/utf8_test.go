package tokenizer

import "testing"

// The replacements of the Unicode Standard, table 3-8 to 3-11, which Python and Rust make too.
func TestValidText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"aé字🎉", "aé字🎉"},
		{"\uFFFD", "\uFFFD"},
		{"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA"},
		{"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA"},
		{"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDA\uFFFD\uFFFDB"},
		{"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "\uFFFD\uFFFD\uFFFD\uFFFDA"},
		{"x\xE2\x82", "x\uFFFD"},
	} {
		if got := validText(c.text); got != c.want {
			t.Errorf("validText(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}
