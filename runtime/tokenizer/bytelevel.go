package tokenizer

import (
	"strings"
)

// The ByteLevel alphabet writes each byte as one visible character: printable Latin-1 as itself,
// the others from U+0100 on (GPT-2's bytes_to_unicode).
var (
	byteRune [256]rune
	runeByte = map[rune]byte{}
)

func init() {
	shift := rune(0x100)
	for b := range byteRune {
		r := rune(b)
		if !('!' <= r && r <= '~' || 0xA1 <= r && r <= 0xAC || 0xAE <= r) {
			r = shift
			shift++
		}
		byteRune[b], runeByte[r] = r, byte(b)
	}
}

// toAlphabet writes the bytes of text in the alphabet.
func toAlphabet(text string) string {
	var out strings.Builder
	out.Grow(2 * len(text))
	for i := 0; i < len(text); i++ {
		out.WriteRune(byteRune[text[i]])
	}
	return out.String()
}

// fromAlphabet appends the bytes that token stands for; ok is false, and nothing appended, where a
// character of it is not in the alphabet.
func fromAlphabet(dst []byte, token string) (out []byte, ok bool) {
	n := len(dst)
	for _, r := range token {
		b, ok := alphabetByte(r)
		if !ok {
			return dst[:n], false
		}
		dst = append(dst, b)
	}
	return dst, true
}

func alphabetByte(r rune) (byte, bool) {
	if '!' <= r && r <= '~' {
		return byte(r), true
	}
	b, ok := runeByte[r]
	return b, ok
}

// byteLevel is the pre-tokenizer that writes pieces in the alphabet.
type byteLevel struct {
	prefixSpace bool // put a space before a piece that has none
	regex       bool // split by GPT-2's pattern
	raw         bool // leave the bytes as they are: the model's tables are in bytes too
}

func newByteLevel(f field) (byteLevel, error) {
	json := struct {
		PrefixSpace *bool `json:"add_prefix_space"`
		Regex       *bool `json:"use_regex"`
	}{}
	if err := f.decode(&json); err != nil {
		return byteLevel{}, err
	}
	if json.PrefixSpace == nil {
		return byteLevel{}, f.errorf(ErrFormat, "no add_prefix_space")
	}
	return byteLevel{prefixSpace: *json.PrefixSpace, regex: json.Regex == nil || *json.Regex}, nil
}

func (b byteLevel) growth() int { return 4 }

func (b byteLevel) prefixed(text string) string {
	if b.prefixSpace && !strings.HasPrefix(text, " ") {
		return " " + text
	}
	return text
}

func (b byteLevel) split(s *scratch, dst []piece, p piece) ([]piece, error) {
	p.text = b.prefixed(p.text)
	from, err := len(dst), error(nil)
	if b.regex {
		gpt2 := splitter{pattern: scanner(scanGPT2), behavior: isolated}
		if dst, err = gpt2.split(s, dst, p); err != nil {
			return nil, err
		}
	} else {
		dst = append(dst, p)
	}
	if !b.raw {
		for i := range dst[from:] {
			dst[from+i].text = toAlphabet(dst[from+i].text)
		}
	}
	return dst, nil
}
