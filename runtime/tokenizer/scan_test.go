package tokenizer

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// checkScanners compares every scanner with its pattern run by the regular expression engine.
func checkScanners(t *testing.T, engines map[string]regex, text string) {
	t.Helper()
	for expr, engine := range engines {
		b := newBudget()
		want, err := engine.find(&b, nil, text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := scanners[expr].find(nil, nil, text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%.20s… on %q: %v, want %v", expr, text, got, want)
		}
	}
}

func engines(t testing.TB) map[string]regex {
	t.Helper()
	all := map[string]regex{}
	for expr := range scanners {
		engine, err := compileRegex(expr)
		if err != nil {
			t.Fatal(err)
		}
		all[expr] = engine
	}
	return all
}

// onlyUnicode15 drops what the tables of the engine do not have.
func onlyUnicode15(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, newLetters, newNumbers) {
			return -1
		}
		return r
	}, text)
}

func TestScannersAgreeWithEngine(t *testing.T) {
	all := engines(t)
	for _, style := range styles {
		for _, v := range readVectors(t, style).Vectors {
			checkScanners(t, all, onlyUnicode15(v.Text))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		checkScanners(t, all, randomText(random, 20))
	}
}

// randomText is n characters or short strings that matter to the patterns.
func randomText(random *rand.Rand, n int) string {
	units := []string{" ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u2028", "\u0085", "a", "Z", "é", "字", "ſ", "1", "23", "½", "Ⅷ",
		"'", "'s", "'S", "'ll", "'LL", "'Re", "'t", "'ſ", "!", "--", "\u0301", "😀", "\u200d", "x\u0000", "▁"}
	var text strings.Builder
	for range n {
		text.WriteString(units[random.IntN(len(units))])
	}
	return text.String()
}

func FuzzScanners(f *testing.F) {
	all := engines(f)
	for _, style := range styles[:2] {
		for _, v := range readVectors(f, style).Vectors {
			f.Add(v.Text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1000 {
			checkScanners(t, all, onlyUnicode15(validText(text)))
		}
	})
}

func TestNewUnicodeTables(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		// a newer Go may have them, but never as anything else
		if unicode.Is(newLetters, r) && unicode.IsGraphic(r) && !unicode.IsLetter(r) ||
			unicode.Is(newNumbers, r) && unicode.IsGraphic(r) && !unicode.IsNumber(r) {
			t.Errorf("%U", r)
		}
	}
}
