package chat_test

import (
	"fmt"
	"os"

	"octet/runtime/chat"
)

func Example() {
	template, err := chat.Load(os.DirFS("../../testdata/demo"))
	if err != nil {
		panic(err)
	}
	prompt, err := template.Render(chat.NewRequest(
		chat.Message{Role: "system", Content: "Be terse."},
		chat.Message{Role: "user", Content: "Who are you?"},
	))
	if err != nil {
		panic(err)
	}
	fmt.Print(prompt)
	// Output:
	// <|im_start|>system
	// Be terse.<|im_end|>
	// <|im_start|>user
	// Who are you?<|im_end|>
	// <|im_start|>assistant
}

func ExampleTemplate_Render() {
	template, err := chat.Parse(`{% for m in messages %}{{ m | tojson }};{% endfor %}`)
	if err != nil {
		panic(err)
	}
	request, err := chat.ParseRequest([]byte(`{"messages": [{"role": "user", "content": "1 < 2", "score": 1.0}]}`))
	if err != nil {
		panic(err)
	}
	text, err := template.Render(request)
	fmt.Println(text, err)
	// Output: {"role": "user", "content": "1 < 2", "score": 1.0}; <nil>
}
