package tokenizer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// source is half a megabyte of this package's code, over and over.
func source(b *testing.B) string {
	var all strings.Builder
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		b.Fatal("no source here", err)
	}
	for all.Len() < 1<<19 {
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			all.Write(data)
		}
	}
	return all.String()[:1<<19]
}

func BenchmarkEncode(b *testing.B) {
	text := source(b)
	for _, file := range append([]string{"sentencepiece/tokenizer.model", "sentencepiece/tokenizer.bin", "../demo"}, styles...) {
		b.Run(file, func(b *testing.B) {
			tok := load(b, file)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := tok.Encode(text, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	text := source(b)
	for _, file := range []string{"llama3", "llama2"} {
		b.Run(file, func(b *testing.B) {
			tok := load(b, file)
			ids, err := tok.Encode(text, false)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := tok.Decode(ids, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, style := range []string{"llama3", "qwen", "sentencepiece/tokenizer.model"} {
		b.Run(style, func(b *testing.B) {
			for b.Loop() {
				load(b, style)
			}
		})
	}
}
