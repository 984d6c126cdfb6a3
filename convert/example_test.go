package convert_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"octet/convert"
)

func Example() {
	dir, err := os.MkdirTemp("", "octet")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := convert.Run(context.Background(), "../testdata/demo", filepath.Join(dir, "int8"), convert.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d matrices in groups of %d: %.1f MB became %.1f MB, relative error %.4f\n",
		len(s.Matrices), s.GroupSize, float64(s.SourceBytes)/1e6, float64(s.DestinationBytes)/1e6, s.RelativeRMSError)
	// Output: 42 matrices in groups of 64: 5.5 MB became 3.2 MB, relative error 0.0060
}
