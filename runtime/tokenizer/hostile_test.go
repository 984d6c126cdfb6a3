package tokenizer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

// Each case changes a field of a tokenizer.json that is fine otherwise; the error must be of the
// kind, and say the words.
func TestDamagedJSON(t *testing.T) {
	all := readComponents(t)
	nested := strings.Repeat(`{"type":"Sequence","normalizers":[`, 20) + strings.Repeat(`]}`, 20)
	for _, c := range []struct {
		field, value string
		kind         error
		say          string
	}{
		{"version", `"2.0"`, ErrUnsupported, "2.0"},
		{"version", `1`, ErrFormat, "version"},
		{"model", `null`, ErrFormat, "model"},
		{"model", `{}`, ErrFormat, "model"},
		{"model", `{"type":"Unigram","vocab":[["a",-1.5]]}`, ErrUnsupported, "Unigram"},
		{"model", `{"type":"WordPiece","vocab":{"a":0}}`, ErrUnsupported, "WordPiece"},
		{"model", `{"type":"BPE","merges":[]}`, ErrFormat, "vocab"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[],"dropout":0.1}`, ErrUnsupported, "dropout"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[],"continuing_subword_prefix":"##"}`, ErrUnsupported, "continuing_subword_prefix"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[],"end_of_word_suffix":"</w>"}`, ErrUnsupported, "end_of_word_suffix"},
		{"model", `{"type":"BPE","vocab":{"a":2147483647},"merges":[]}`, ErrFormat, "2147483647"},
		{"model", `{"type":"BPE","vocab":{"a":4294967296},"merges":[]}`, ErrFormat, "vocab"},
		{"model", `{"type":"BPE","vocab":{"a":-1},"merges":[]}`, ErrFormat, "-1"},
		{"model", `{"type":"BPE","vocab":{"a":0.5},"merges":[]}`, ErrFormat, "vocab"},
		{"model", `{"type":"BPE","vocab":{"a":0,"b":0},"merges":[]}`, ErrFormat, `"a" and "b"`},
		{"model", `{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b","a c"]}`, ErrFormat, `merges[1]: damaged file: token "c"`},
		{"model", `{"type":"BPE","vocab":{"a":0,"b":1},"merges":[["a","b"]]}`, ErrFormat, `token "ab"`},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[["a"]]}`, ErrFormat, "2 expected"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":["a b c"]}`, ErrFormat, "a b c"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":["ab"]}`, ErrFormat, "ab"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":[7]}`, ErrFormat, "merges"},
		{"model", `{"type":"BPE","vocab":{"a":0},"merges":{}}`, ErrFormat, "merges"},
		{"normalizer", `{"type":"Precompiled","precompiled_charsmap":""}`, ErrUnsupported, `normalizer: unsupported: type "Precompiled"`},
		{"normalizer", `{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"BertNormalizer"}]}`, ErrUnsupported, "normalizer.normalizers[1]"},
		{"normalizer", `{"type":"Sequence"}`, ErrFormat, "normalizers"},
		{"normalizer", `{"type":"Sequence","normalizers":[` + strings.Repeat(`{"type":"NFC"},`, 99) + `{"type":"NFC"}]}`, ErrUnsupported, "100"},
		{"normalizer", nested, ErrUnsupported, "depth"},
		{"normalizer", `{"type":"Replace","pattern":{"String":"a"},"content":"` + strings.Repeat("b", 100) + `"}`, ErrUnsupported, "100 times longer"},
		{"normalizer", `{"type":"Sequence","normalizers":[` + strings.Repeat(`{"type":"Replace","pattern":{"String":"a"},"content":"aa"},`, 30) + `{"type":"NFC"}]}`, ErrUnsupported, "times longer"},
		{"normalizer", `{"type":"Replace","pattern":{"String":""},"content":"x"}`, ErrUnsupported, "normalizer"},
		{"normalizer", `{"type":"Replace","pattern":{"Regex":"("},"content":"x"}`, ErrUnsupported, "normalizer.pattern"},
		{"normalizer", `{"type":"Replace","pattern":{"Regex":"[a[b]]"},"content":"x"}`, ErrUnsupported, "class within"},
		{"normalizer", `{"type":"Replace","content":"x"}`, ErrUnsupported, "pattern"},
		{"normalizer", `{}`, ErrFormat, "type"},
		{"normalizer", `7`, ErrFormat, "normalizer"},
		{"pre_tokenizer", `{"type":"BertPreTokenizer"}`, ErrUnsupported, "BertPreTokenizer"},
		{"pre_tokenizer", `{"type":"Split","pattern":{"String":" "},"behavior":"Sideways","invert":false}`, ErrUnsupported, "Sideways"},
		{"pre_tokenizer", `{"type":"Punctuation","behavior":"isolated"}`, ErrUnsupported, "isolated"},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"▁▁"}`, ErrFormat, "one character"},
		{"pre_tokenizer", `{"type":"Metaspace","replacement":"▁","prepend_scheme":"last"}`, ErrUnsupported, "last"},
		{"pre_tokenizer", `{"type":"ByteLevel"}`, ErrFormat, "add_prefix_space"},
		{"pre_tokenizer", `{"type":"Sequence","pretokenizers":[` + strings.Repeat(`{"type":"ByteLevel","add_prefix_space":true},`, 20) + `{"type":"Whitespace"}]}`, ErrUnsupported, "times longer"},
		{"post_processor", `{"type":"RobertaProcessing"}`, ErrUnsupported, "RobertaProcessing"},
		{"post_processor", `{"type":"BertProcessing"}`, ErrUnsupported, "BertProcessing"},
		{"post_processor", `{"type":"TemplateProcessing","single":[],"special_tokens":{}}`, ErrUnsupported, "Sequence A"},
		{"post_processor", `{"type":"TemplateProcessing","single":[{"Sequence":{"id":"B"}}],"special_tokens":{}}`, ErrUnsupported, "single"},
		{"post_processor", `{"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}},{"SpecialToken":{"id":"x"}}],"special_tokens":{}}`, ErrFormat, `"x"`},
		{"post_processor", `{"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}},{"SpecialToken":{"id":"x"}}],"special_tokens":{"x":{"ids":[99999]}}}`, ErrFormat, "99999"},
		{"decoder", `{"type":"WordPiece","prefix":"##"}`, ErrUnsupported, "WordPiece"},
		{"decoder", `{"type":"CTC"}`, ErrUnsupported, "CTC"},
		{"decoder", `{"type":"Strip","content":"ab","start":1,"stop":0}`, ErrFormat, "ab"},
		{"decoder", `{"type":"Strip","content":" ","start":-1,"stop":0}`, ErrFormat, "-1"},
		{"decoder", `{"type":"Replace","pattern":{"Regex":"a"},"content":""}`, ErrUnsupported, "String"},
		{"added_tokens", `[{"id":0,"content":"` + strings.Repeat("x", 5000) + `"}]`, ErrUnsupported, "added_tokens[0]"},
		{"added_tokens", `[{"content":"` + strings.Repeat(" ", maxDecoded) + `"}]`, ErrUnsupported, "at most 8388608 bytes"},
		{"added_tokens", `{}`, ErrFormat, "added_tokens"},
		{"added_tokens", `[{"id":"a","content":"x"}]`, ErrFormat, "added_tokens"},
	} {
		data := all.with(t, map[string]json.RawMessage{c.field: json.RawMessage(c.value)})
		_, err := Load(fstest.MapFS{"tokenizer.json": {Data: data}})
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.say) || !strings.HasPrefix(err.Error(), "tokenizer: tokenizer.json: ") {
			t.Errorf("%s %.80s: %v, want %q and %q", c.field, c.value, err, c.kind, c.say)
		}
	}
}

// No object of a tokenizer.json but the vocabulary has many keys.
func TestManyKeys(t *testing.T) {
	var data strings.Builder
	for i := range maxKeys + 2 {
		fmt.Fprintf(&data, `,"k%d":0`, i)
	}
	object := "{" + data.String()[1:] + "}"
	for _, text := range []string{object, `{"model":` + object + `}`} {
		if _, err := parseJSON([]byte(text)); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "more than 1000 keys") {
			t.Errorf("%.20s…: %v", text, err)
		}
	}
}

// The added token would get the id of a token beyond a gap.
func TestAddedTokenIntoGap(t *testing.T) {
	data := []byte(`{"added_tokens":[{"id":3,"content":"x"}],"model":{"type":"BPE","vocab":{"a":0,"b":2},"merges":[]}}`)
	if _, err := parseJSON(data); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "gaps") {
		t.Error(err)
	}
}

func TestGapsAndOldFiles(t *testing.T) {
	tok, err := parseJSON([]byte(`{"model":{"vocab":{"a":0,"b":5,"":7},"merges":[]}}`)) // no types, no version
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := tok.Token(3); ok || tok.Size() != 8 {
		t.Errorf("Token(3) = %v, Size() = %d", ok, tok.Size())
	}
	if text, err := tok.Decode([]int{0, 3, 5, 7}, false); err != nil || text != "a b " {
		t.Errorf("Decode = %q, %v", text, err)
	}
	if id, ok := tok.ID(""); !ok || id != 7 {
		t.Errorf(`ID("") = %d, %v`, id, ok)
	}
}

func TestUnknownTokenMissing(t *testing.T) {
	tok, err := parseJSON([]byte(`{"model":{"type":"BPE","unk_token":"?","vocab":{"a":0},"merges":[]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tok.Encode("aé", false); !errors.Is(err, ErrText) || !strings.Contains(err.Error(), "unk_token") {
		t.Error(err)
	}
}

// Every prefix of a good file is refused or loads; nothing panics.
func TestTruncatedFiles(t *testing.T) {
	for _, file := range []string{"gpt2/tokenizer.json", "sentencepiece/tokenizer.model", "sentencepiece/tokenizer.bin"} {
		data := read(t, file)
		for n := 0; n < len(data); n += 1 + len(data)/500 {
			tok, err := parse(fstest.MapFS{}, "", data[:n])
			if err == nil {
				exercise(t, tok)
			} else if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUnsupported) {
				t.Errorf("%s: %d bytes: %v", file, n, err)
			}
		}
	}
}

// field encodes a length-delimited protobuf field.
func protoBytes(number int, data string) string {
	return string(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3|wireBytes), uint64(len(data)))) + data
}

func protoVarint(number int, value uint64) string {
	return string(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number)<<3), value))
}

func protoPiece(text string, score float32, kind uint64) string {
	bits := binary.LittleEndian.AppendUint32([]byte{2<<3 | wireFixed32}, math.Float32bits(score))
	return protoBytes(1, protoBytes(1, text)+string(bits)+protoVarint(3, kind))
}

const protoBPE = "\x12\x02\x18\x02" // trainer_spec { model_type: BPE }

func TestDamagedModel(t *testing.T) {
	unk, a := protoPiece("<unk>", 0, pieceUnknown), protoPiece("a", -1, pieceNormal)
	for _, c := range []struct {
		name, data string
		kind       error
		say        string
	}{
		{"empty", "", ErrFormat, "an empty file"},
		{"no pieces", protoBPE, ErrFormat, "pieces expected"},
		{"Unigram", unk + a, ErrUnsupported, "model_type"},
		{"word", unk + a + protoBytes(2, protoVarint(3, 3)), ErrUnsupported, "word"},
		{"charsmap", unk + a + protoBPE + protoBytes(3, protoBytes(2, "xxxx")), ErrUnsupported, "normalizer_spec.precompiled_charsmap"},
		{"denormalizer", unk + a + protoBPE + protoBytes(5, protoBytes(2, "xxxx")), ErrUnsupported, "denormalizer_spec.precompiled_charsmap"},
		{"no unknown", a + protoBPE, ErrFormat, "unknown"},
		{"two unknown", unk + protoPiece("u", 0, pieceUnknown) + protoBPE, ErrFormat, "pieces[1]"},
		{"twice", unk + a + a + protoBPE, ErrFormat, "pieces[2]"},
		{"NaN", unk + protoPiece("x", float32(math.NaN()), pieceNormal) + protoBPE, ErrFormat, "NaN"},
		{"type", unk + protoPiece("x", 0, 7) + protoBPE, ErrFormat, "type 7"},
		{"empty piece", unk + protoPiece("", 0, pieceNormal) + protoBPE, ErrFormat, "pieces[1]"},
		{"UTF-8", unk + protoPiece("\xff", 0, pieceNormal) + protoBPE, ErrFormat, "pieces[1]"},
		{"byte piece", unk + protoPiece("<0xZZ>", 0, pieceByte) + protoBPE, ErrFormat, "<0xZZ>"},
		{"no bytes", unk + a + protoBytes(2, protoVarint(3, 2)+protoVarint(35, 1)), ErrFormat, "<0x00>"},
		{"user-defined", unk + protoPiece(strings.Repeat("x", 2000), 0, pieceUserDefined) + protoBPE, ErrUnsupported, "pieces[1]"},
		{"length", "\x0a\x7f\x0a\x01", ErrFormat, "byte 0 of 4"},
		{"long length", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", ErrFormat, "byte 0"},
		{"wire type", "\x0b\x01\x01\x01\x01", ErrFormat, "byte 0"},
		{"wrong wire type", "\x08\x01\x01\x01\x01", ErrFormat, "wire type 0"},
		{"score as varint", protoBytes(1, protoBytes(1, "a")+protoVarint(2, 1)) + protoBPE, ErrFormat, "pieces[0]"},
		{"field 0", "\x02\x01\x01\x01", ErrFormat, "byte 0"},
	} {
		_, err := Load(fstest.MapFS{"tokenizer.model": {Data: []byte(c.data)}})
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v, want %q and %q", c.name, err, c.kind, c.say)
		}
	}
}

// Pieces of the kinds that the trained model in testdata lacks; checked with the sentencepiece library.
func TestModelPieceKinds(t *testing.T) {
	data := protoPiece("<unk>", 0, pieceUnknown) + protoPiece("<s>", 0, pieceControl) + protoPiece("▁", -3, pieceNormal) +
		protoPiece("a", -4, pieceNormal) + protoPiece("b", -5, pieceNormal) + protoPiece("ab", -1, pieceUnused) +
		protoPiece("abb", -2, pieceNormal) + protoPiece("<x>", 0, pieceUserDefined) + protoPiece("▁a", -9, pieceNormal) + protoBPE
	tok, err := Load(fstest.MapFS{"tokenizer.model": {Data: []byte(data)}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int{
		"ab":            {2, 3, 4},    // merged to an unused piece, and taken apart
		"abb":           {2, 6},       // merged through an unused piece
		"a<x>a":         {8, 7, 3},    // a user-defined symbol is never merged
		"a??b?":         {8, 0, 4, 0}, // unknown neighbours are one
		"  a   b  ":     {8, 2, 4},    // white space removed
		"   ":           {},
		"<s>a":          {2, 0, 3}, // control symbols are plain text
		"ab\xffab\xe2x": {2, 3, 4, 0, 3, 4, 0},
	} {
		checkEncode(t, tok, text, false, want)
	}
}

func llama2cFile(longest int32, tokens ...string) []byte {
	data := binary.LittleEndian.AppendUint32(nil, uint32(longest))
	for i, token := range tokens {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(-i)))
		data = binary.LittleEndian.AppendUint32(data, uint32(len(token)))
		data = append(data, token...)
	}
	return data
}

func TestDamagedBin(t *testing.T) {
	tokens := []string{"<unk>", "\n<s>\n", "\n</s>\n"}
	for b := range 256 {
		tokens = append(tokens, fmt.Sprintf("<0x%02X>", b))
	}
	good := llama2cFile(6, tokens...)
	if _, err := parseLlama2C(good); err != nil {
		t.Fatal(err)
	}
	nan := bytes.Clone(good)
	binary.LittleEndian.PutUint32(nan[4:], math.Float32bits(float32(math.NaN())))
	for name, data := range map[string][]byte{
		"header only":     good[:4],
		"too few":         good[:len(good)/2*2/14*14],
		"cut off":         good[:len(good)-1],
		"no length":       append(bytes.Clone(good), 0, 0, 0, 0),
		"longer":          llama2cFile(5, tokens...),
		"negative length": append(bytes.Clone(good), 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff),
		"beyond the end":  append(bytes.Clone(good), 0, 0, 0, 0, 4, 0, 0, 0, 'a'),
		"NaN":             nan,
		"UTF-8":           llama2cFile(6, append(tokens, "\xff")...),
	} {
		_, err := Load(fstest.MapFS{"tokenizer.bin": {Data: data}})
		if !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Duplicates and tokens without text are allowed; so are scores that run.c never merges to.
func TestOddBin(t *testing.T) {
	data := read(t, "sentencepiece", "tokenizer.bin")
	data = append(data, llama2cFile(0, "", "the", "")[4:]...)
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(-2e10))
	data = append(data, "\x03\x00\x00\x00qqq"...)
	tok, err := parseLlama2C(data)
	if err != nil {
		t.Fatal(err)
	}
	before := load(t, "sentencepiece", "tokenizer.bin")
	for _, text := range []string{"the qqq the", "", "qqq"} {
		want, err := before.Encode(text, true)
		if err != nil {
			t.Fatal(err)
		}
		checkEncode(t, tok, text, true, want)
	}
}
