package tokenizer

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// Types of pieces in a tokenizer.model.
const (
	pieceNormal      = 1
	pieceUnknown     = 2
	pieceControl     = 3
	pieceUserDefined = 4
	pieceUnused      = 5
	pieceByte        = 6
)

// spmPiece is a token of a tokenizer.model.
type spmPiece struct {
	text  string
	score float32
	kind  int
}

// spmFile is what a tokenizer.model says, with the defaults of sentencepiece_model.proto.
type spmFile struct {
	pieces       []spmPiece
	modelType    uint64 // 1 Unigram, 2 BPE, 3 word, 4 char
	byteFallback bool
	suffixSpace  bool // treat_whitespace_as_suffix
	bos, eos     int
	unkSurface   string

	dummyPrefix  bool // a space in front of the text
	removeExtra  bool // white space at the ends, and all but one of several in a row
	escapeSpaces bool // ▁ for spaces
}

// readSPM reads the protobuf message and refuses what is not BPE.
func readSPM(data []byte) (*spmFile, error) {
	f := &spmFile{modelType: 1, bos: 1, eos: 2, unkSurface: " \u2047 ", dummyPrefix: true, removeExtra: true, escapeSpaces: true}
	err := message(data).fields(func(p protoField) error {
		if p.number > 5 || p.number == 4 { // 4: self test
			return nil
		}
		if err := p.want(wireBytes); err != nil {
			return err
		}
		switch p.number {
		case 1:
			return f.readPiece(p.bytes)
		case 2:
			return message(p.bytes).fields(f.readTrainer)
		case 3:
			return message(p.bytes).fields(f.readNormalizer)
		default:
			return message(p.bytes).fields(refuseCharsmap("denormalizer_spec"))
		}
	})
	if err != nil {
		return nil, err
	}
	if len(f.pieces) == 0 {
		return nil, fmt.Errorf("%w: pieces expected, found none", ErrFormat)
	}
	if f.modelType != 2 {
		names := map[uint64]string{1: "Unigram", 3: "word", 4: "char"}
		return nil, fmt.Errorf("trainer_spec.model_type: %w: %d (%s), 2 (BPE) expected", ErrUnsupported, f.modelType, names[f.modelType])
	}
	return f, nil
}

func (f *spmFile) readPiece(data []byte) error {
	p := spmPiece{kind: pieceNormal}
	err := message(data).fields(func(field protoField) error {
		switch field.number {
		case 1:
			p.text = string(field.bytes)
			return field.want(wireBytes)
		case 2:
			p.score = math.Float32frombits(uint32(field.value))
			return field.want(wireFixed32)
		case 3:
			p.kind = int(min(field.value, math.MaxInt32))
			return field.want(wireVarint)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("pieces[%d]: %w", len(f.pieces), err)
	}
	if p.text == "" || !utf8.ValidString(p.text) || p.score != p.score || p.kind < pieceNormal || p.kind > pieceByte {
		return fmt.Errorf("pieces[%d]: %w: piece %.40q, score %v, type %d", len(f.pieces), ErrFormat, p.text, p.score, p.kind)
	}
	if len(f.pieces) == maxTokens {
		return fmt.Errorf("%w: more than %d pieces", ErrUnsupported, maxTokens)
	}
	f.pieces = append(f.pieces, p)
	return nil
}

func (f *spmFile) readTrainer(p protoField) error {
	switch p.number {
	case 3:
		f.modelType = p.value
	case 24:
		f.suffixSpace = p.value != 0
	case 35:
		f.byteFallback = p.value != 0
	case 41:
		f.bos = int(int32(p.value))
	case 42:
		f.eos = int(int32(p.value))
	case 44:
		f.unkSurface = string(p.bytes)
		return p.want(wireBytes)
	default:
		return nil
	}
	return p.want(wireVarint)
}

func (f *spmFile) readNormalizer(p protoField) error {
	switch p.number {
	case 2:
		return refuseCharsmap("normalizer_spec")(p)
	case 3:
		f.dummyPrefix = p.value != 0
	case 4:
		f.removeExtra = p.value != 0
	case 5:
		f.escapeSpaces = p.value != 0
	default:
		return nil
	}
	return p.want(wireVarint)
}

func refuseCharsmap(where string) func(protoField) error {
	return func(p protoField) error {
		if p.number == 2 && len(p.bytes) > 0 {
			return fmt.Errorf("%s.precompiled_charsmap: %w: %d bytes, none expected (identity)", where, ErrUnsupported, len(p.bytes))
		}
		return nil
	}
}
