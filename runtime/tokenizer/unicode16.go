package tokenizer

import "unicode"

// The reference's tables are of Unicode 16, those of Go are of 15: these letters and numbers came since.
var (
	newLetters = &unicode.RangeTable{
		R16: []unicode.Range16{
			{Lo: 0x1C89, Hi: 0x1C8A, Stride: 1}, {Lo: 0xA7CB, Hi: 0xA7CD, Stride: 1}, {Lo: 0xA7DA, Hi: 0xA7DC, Stride: 1},
		},
		R32: []unicode.Range32{
			{Lo: 0x105C0, Hi: 0x105F3, Stride: 1}, {Lo: 0x10D4A, Hi: 0x10D65, Stride: 1}, {Lo: 0x10D6F, Hi: 0x10D85, Stride: 1},
			{Lo: 0x10EC2, Hi: 0x10EC4, Stride: 1}, {Lo: 0x11380, Hi: 0x11389, Stride: 1}, {Lo: 0x1138B, Hi: 0x1138E, Stride: 3},
			{Lo: 0x11390, Hi: 0x113B5, Stride: 1}, {Lo: 0x113B7, Hi: 0x113D1, Stride: 26}, {Lo: 0x113D3, Hi: 0x113D3, Stride: 1},
			{Lo: 0x11BC0, Hi: 0x11BE0, Stride: 1}, {Lo: 0x13460, Hi: 0x143FA, Stride: 1}, {Lo: 0x16100, Hi: 0x1611D, Stride: 1},
			{Lo: 0x16D40, Hi: 0x16D6C, Stride: 1}, {Lo: 0x18CFF, Hi: 0x18CFF, Stride: 1}, {Lo: 0x1E5D0, Hi: 0x1E5ED, Stride: 1},
			{Lo: 0x1E5F0, Hi: 0x1E5F0, Stride: 1}, {Lo: 0x2EBF0, Hi: 0x2EE5D, Stride: 1},
		},
	}
	newNumbers = &unicode.RangeTable{
		R32: []unicode.Range32{
			{Lo: 0x10D40, Hi: 0x10D49, Stride: 1}, {Lo: 0x116D0, Hi: 0x116E3, Stride: 1}, {Lo: 0x11BF0, Hi: 0x11BF9, Stride: 1},
			{Lo: 0x16130, Hi: 0x16139, Stride: 1}, {Lo: 0x16D70, Hi: 0x16D79, Stride: 1}, {Lo: 0x1CCF0, Hi: 0x1CCF9, Stride: 1},
			{Lo: 0x1E5F1, Hi: 0x1E5FA, Stride: 1},
		},
	}
)

// isLetter is \p{L}.
func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.Is(newLetters, r) }

// isNumber is \p{N}: Nd, Nl and No.
func isNumber(r rune) bool { return unicode.IsNumber(r) || unicode.Is(newNumbers, r) }
