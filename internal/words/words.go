// Package words is for tests of assembly that writes instructions as words, because Go's
// assembler does not know them: it compares the words with what GNU's assembler makes of the
// same instructions.
//
// A header defines each word as a macro, the instruction in GNU syntax above it, operands in
// braces:
//
//	// fadd v{d}.4s, v{n}.4s, v{m}.4s
//	#define FADD_S(m, n, d) WORD $(0x4e20d400 | m<<16 | n<<5 | d)
//
// Operands are numbers of registers, but for i, the index of one of four elements.
package words

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
func readWords(t testing.TB, path string) (words []word) {
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
func (w word) with(t testing.TB, values []int) (gnu string, bits uint32) {
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

// operands returns values for the operands that set each bit of each field. (There is no
// general register 31.)
func (w word) operands() (all [][]int) {
	for _, r := range []int{0, 1, 2, 4, 8, 16, 30} {
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

// Check compares the words of a header for arm64, and sees that the assembly for arm64
// beside it writes no others.
func Check(t testing.TB, header string) {
	t.Helper()
	onlyIn(t, header)
	as := Assembler(t, "aarch64-linux-gnu-as")
	var source strings.Builder
	var names []string
	var want []uint32
	for _, w := range readWords(t, header) {
		for _, values := range w.operands() {
			gnu, bits := w.with(t, values)
			fmt.Fprintln(&source, gnu)
			names, want = append(names, w.name+": "+gnu), append(want, bits)
		}
	}
	got := Assemble(t, source.String(), as, "-march=armv8.2-a+dotprod")
	if len(got) != 4*len(want) {
		t.Fatalf("%d bytes for %d words", len(got), len(want))
	}
	for i, w := range want {
		if bits := binary.LittleEndian.Uint32(got[4*i:]); bits != w {
			t.Errorf("%s: %08x here, the assembler has %08x", names[i], w, bits)
		}
	}
}

// onlyIn sees that words are written in the header alone.
func onlyIn(t testing.TB, header string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(header), "*_arm64.s"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%q beside %s, %v", files, header, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("WORD")) {
			t.Errorf("%s writes a word itself", name)
		}
	}
}

// Assembler returns the path of an assembler. Without it it skips the test, or fails it if
// OCTET_TEST_REQUIRE lists "as".
func Assembler(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("OCTET_TEST_REQUIRE"), ","), "as") {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return path
}

// Assemble returns the code of a source, from the command as.
func Assemble(t testing.TB, source string, as ...string) []byte {
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
