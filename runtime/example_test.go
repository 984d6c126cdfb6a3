package runtime_test

import (
	"context"
	"fmt"
	"log"

	"octet/runtime"
)

// Load a model and stream what it writes.
func Example() {
	m, err := runtime.Load("../testdata/demo", runtime.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	prompt, err := m.Encode("Once upon a time, there was a little fox named")
	if err != nil {
		log.Fatal(err)
	}
	_, err = m.NewSession().Generate(context.Background(), prompt, runtime.GenerateOptions{MaxTokens: 18},
		func(t runtime.Token) error { _, err := fmt.Print(t.Text); return err })
	if err != nil {
		log.Fatal(err)
	}
	// Output: Oscar. He lived in a tiny village with his family. He loved to help others.
}
