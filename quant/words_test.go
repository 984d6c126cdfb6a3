package quant

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// word is an instruction that an assembly file writes as a word.
type word struct {
	name   string
	gnu    string   // in GNU syntax, operands in braces
	params []string // operands
	value  string   // the word, an expression in the operands
}

var wordLine = regexp.MustCompile(`(?m)^// (.+)\n#define (\w+)\((.*)\) WORD \$\((.*)\)$`)

// readWords returns the instructions of a header.
func readWords(t *testing.T, path string) (words []word) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range wordLine.FindAllStringSubmatch(string(text), -1) {
		words = append(words, word{gnu: m[1], name: m[2], params: strings.Split(m[3], ", "), value: m[4]})
	}
	if defined := strings.Count(string(text), "WORD $"); len(words) != defined {
		t.Fatalf("%s: %d of %d words understood", path, len(words), defined)
	}
	return words
}

// with returns the GNU line and the word with values for the operands.
func (w word) with(t *testing.T, values []int) (gnu string, bits uint32) {
	t.Helper()
	gnu, expr := w.gnu, w.value
	for i, p := range w.params {
		gnu = strings.ReplaceAll(gnu, "{"+p+"}", fmt.Sprint(values[i]))
		expr = regexp.MustCompile(`\b`+p+`\b`).ReplaceAllString(expr, fmt.Sprint(values[i]))
	}
	got, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expr)
	if err != nil {
		t.Fatalf("%s: %v", w.name, err)
	}
	v, _ := constant.Uint64Val(got.Value)
	return gnu, uint32(v)
}

// operands returns values for the operands that set each bit of each field.
func (w word) operands() (all [][]int) {
	for _, r := range []int{0, 1, 2, 4, 8, 16, 31} {
		for at := range w.params {
			for i := range 4 {
				values := make([]int, len(w.params))
				values[at] = r
				if j := slices.Index(w.params, "i"); j >= 0 {
					values[j] = i
				}
				all = append(all, values)
			}
		}
	}
	return all
}

// Words are what GNU's assembler makes of the line above them. OCTET_TEST_REQUIRE=as says
// that it is installed.
func TestWords(t *testing.T) {
	as, err := exec.LookPath("aarch64-linux-gnu-as")
	if err != nil {
		if required("as") {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	var source strings.Builder
	var names []string
	var want []uint32
	for _, w := range readWords(t, "neon_arm64.h") {
		for _, values := range w.operands() {
			gnu, bits := w.with(t, values)
			fmt.Fprintln(&source, gnu)
			names, want = append(names, w.name+": "+gnu), append(want, bits)
		}
	}
	got := assemble(t, source.String(), as, "-march=armv8.2-a+dotprod")
	if len(got) != 4*len(want) {
		t.Fatalf("%d bytes for %d words", len(got), len(want))
	}
	for i, w := range want {
		if bits := binary.LittleEndian.Uint32(got[4*i:]); bits != w {
			t.Errorf("%s: %08x here, the assembler has %08x", names[i], w, bits)
		}
	}
}

// assemble returns the code of a source.
func assemble(t *testing.T, source string, as ...string) []byte {
	t.Helper()
	object := filepath.Join(t.TempDir(), "words.o")
	cmd := exec.Command(as[0], append(as[1:], "-o", object, "-")...)
	cmd.Stdin = strings.NewReader(source)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	code, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return code
}
