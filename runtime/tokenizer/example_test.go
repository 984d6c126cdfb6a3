package tokenizer_test

import (
	"fmt"
	"log"

	"octet/runtime/tokenizer"
)

func Example() {
	tok, err := tokenizer.LoadFile("../../testdata/tokenizers/llama2")
	if err != nil {
		log.Fatal(err)
	}
	ids, err := tok.Encode("The river runs.", true)
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range ids {
		token, _ := tok.Token(id)
		fmt.Printf("%d %q\n", id, token)
	}
	text, err := tok.Decode(ids, true)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output:
	// 1 "<s>"
	// 830 "▁The"
	// 1014 "▁river"
	// 981 "▁runs"
	// 271 "."
	// The river runs.
}

func ExampleStream() {
	tok, err := tokenizer.LoadFile("../../testdata/tokenizers/gpt2")
	if err != nil {
		log.Fatal(err)
	}
	ids, err := tok.Encode("déjà vu 🎉", false)
	if err != nil {
		log.Fatal(err)
	}
	s := tok.NewStream(true)
	for _, id := range ids {
		text, err := s.Push(id)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q ", text)
	}
	fmt.Printf("%q\n", s.Flush())
	// Output: "d" "é" "j" "" "à" " v" "u" " " "" "🎉" ""
}
