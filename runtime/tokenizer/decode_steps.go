package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// replaceStep replaces a string in every token.
type replaceStep struct{ replace }

type replaceLink struct {
	replace
	next  link
	whole whole
}

func (s replaceStep) link(next link, _ bool) link {
	return &replaceLink{replace: s.replace, next: next}
}

func (l *replaceLink) write(text string, end bool) {
	l.whole.write(text, end, func(token string) {
		l.next.write(strings.ReplaceAll(token, string(l.pattern.(literal)), l.content), true)
	})
}

func (l *replaceLink) close() { l.next.close() }

// metaspaceStep makes spaces of the visible ones; the first token loses them, unless none was
// put in front when encoding.
type metaspaceStep struct{ metaspace }

type metaspaceLink struct {
	metaspace
	next  link
	begun bool
	whole whole
}

func (s metaspaceStep) link(next link, _ bool) link {
	return &metaspaceLink{metaspace: s.metaspace, next: next}
}

func (l *metaspaceLink) write(text string, end bool) {
	l.whole.write(text, end, func(token string) {
		space := " "
		if !l.begun && l.scheme != "never" {
			space = ""
		}
		l.begun = true
		l.next.write(strings.ReplaceAll(token, l.replacement, space), true)
	})
}

func (l *metaspaceLink) close() { l.next.close() }

// byteLevelStep takes tokens in the ByteLevel alphabet, and makes one token of all.
type byteLevelStep struct{}

type byteLevelLink struct {
	next  link
	whole whole
	bytes []byte // not yet written: the beginning of a character
	valid []byte
}

func (byteLevelStep) growth() int                 { return 3 } // a broken byte becomes U+FFFD
func (byteLevelStep) link(next link, _ bool) link { return &byteLevelLink{next: next} }

func (l *byteLevelLink) write(text string, end bool) {
	l.whole.write(text, end, func(token string) {
		var ok bool
		if l.bytes, ok = fromAlphabet(l.bytes, token); !ok {
			l.bytes = append(l.bytes, token...)
		}
		l.emit(false)
	})
}

func (l *byteLevelLink) emit(final bool) {
	var rest []byte
	l.valid, rest = appendValid(l.valid[:0], l.bytes, final)
	l.bytes = append(l.bytes[:0], rest...)
	l.next.write(string(l.valid), final)
}

func (l *byteLevelLink) close() {
	l.emit(true)
	l.next.close()
}

// byteFallback makes characters of runs of tokens <0xNN>.
type byteFallback struct{}

type byteFallbackLink struct {
	next   link
	eager  bool
	whole  whole
	bytes  []byte // of the run, not yet written
	begun  bool   // characters of the run are written already, without the end of the token
	broken bool   // the run can't become valid: U+FFFD for each byte
}

func (byteFallback) growth() int { return 1 }

func (byteFallback) link(next link, eager bool) link {
	return &byteFallbackLink{next: next, eager: eager}
}

func (l *byteFallbackLink) write(text string, end bool) {
	l.whole.write(text, end, func(token string) {
		b, ok := byteToken(token)
		if !ok {
			l.endRun()
			l.next.write(token, true)
			return
		}
		l.bytes = append(l.bytes, b)
		if l.eager {
			l.emit()
		}
	})
}

// emit writes what is certain of the run so far.
func (l *byteFallbackLink) emit() {
	n := 0
	for n < len(l.bytes) && !l.broken {
		r, size := utf8.DecodeRune(l.bytes[n:])
		if r == utf8.RuneError && size == 1 {
			_, incomplete := illFormed(l.bytes[n:])
			l.broken = !incomplete
			break
		}
		n += size
	}
	if n > 0 {
		l.next.write(string(l.bytes[:n]), false)
		l.bytes, l.begun = append(l.bytes[:0], l.bytes[n:]...), true
	}
	if l.broken {
		l.replaceBytes()
	}
}

// replaceBytes writes U+FFFD for each byte that is not written yet.
func (l *byteFallbackLink) replaceBytes() {
	if l.begun {
		l.next.write("", true)
		l.begun = false
	}
	for range l.bytes {
		l.next.write(replacement, true)
	}
	l.bytes = l.bytes[:0]
}

func (l *byteFallbackLink) endRun() {
	if utf8.Valid(l.bytes) {
		if len(l.bytes) > 0 || l.begun {
			l.next.write(string(l.bytes), true)
		}
		l.bytes = l.bytes[:0]
	} else {
		l.replaceBytes()
	}
	l.begun, l.broken = false, false
}

func (l *byteFallbackLink) close() {
	l.endRun()
	l.next.close()
}

// byteToken is the byte of a token <0xNN>.
func byteToken(token string) (byte, bool) {
	if len(token) != 6 || token[:3] != "<0x" || token[5] != '>' {
		return 0, false
	}
	high, ok1 := hexDigit(token[3])
	low, ok2 := hexDigit(token[4])
	return high<<4 | low, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// stripStep removes up to start characters from the beginning of each token and up to stop from its end.
type stripStep struct {
	content     string
	start, stop int
}

func newStripStep(f field) (stripStep, error) {
	var json struct {
		Content string `json:"content"`
		Start   int    `json:"start"`
		Stop    int    `json:"stop"`
	}
	if err := f.decode(&json); err != nil {
		return stripStep{}, err
	}
	if utf8.RuneCountInString(json.Content) != 1 || json.Start < 0 || json.Stop < 0 {
		return stripStep{}, f.errorf(ErrFormat, "content %.40q, start %d, stop %d: one character and counts expected", json.Content, json.Start, json.Stop)
	}
	return stripStep{json.Content, json.Start, json.Stop}, nil
}

func (stripStep) growth() int { return 1 }

func (s stripStep) link(next link, _ bool) link {
	return &stripLink{stripStep: s, next: next, left: s.start}
}

type stripLink struct {
	stripStep
	next link
	left int // how many may still go at the beginning
	held int // characters that may be the end of the token
}

func (l *stripLink) write(text string, end bool) {
	for l.left > 0 && text != "" {
		rest, ok := strings.CutPrefix(text, l.content)
		if !ok {
			l.left = 0
			break
		}
		text, l.left = rest, l.left-1
	}
	if l.stop > 0 {
		text = l.hold(text)
	}
	if end {
		text += strings.Repeat(l.content, l.held-min(l.held, l.stop))
		l.left, l.held = l.start, 0
	}
	l.next.write(text, end)
}

// hold keeps back the characters at the end of text, after those kept before if nothing else comes.
func (l *stripLink) hold(text string) string {
	rest := text
	count := 0
	for strings.HasSuffix(rest, l.content) {
		rest, count = rest[:len(rest)-len(l.content)], count+1
	}
	if rest == "" {
		l.held += count
		return ""
	}
	rest = strings.Repeat(l.content, l.held) + rest
	l.held = count
	return rest
}

func (l *stripLink) close() { l.next.close() }
