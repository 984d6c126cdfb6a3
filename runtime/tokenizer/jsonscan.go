package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// jsonScan reads the large parts of tokenizer.json, a vocabulary and merges of a few hundred
// thousand strings, several times faster than encoding/json. The small parts are cut out with raw
// and left to that.
type jsonScan struct {
	data []byte
	at   int
}

// Objects that are cut up have at most so many keys, and values that are cut out nest at most so deep.
const (
	maxKeys    = 1000
	maxNesting = 1000
)

func (s *jsonScan) errorf(format string, args ...any) error {
	return fmt.Errorf("%w: byte %d of %d: %s", ErrFormat, s.at, len(s.data), fmt.Sprintf(format, args...))
}

// next skips white space and returns the byte that follows, 0 at the end.
func (s *jsonScan) next() byte {
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (s *jsonScan) expect(c byte) error {
	if got := s.next(); got != c || s.at == len(s.data) {
		if s.at == len(s.data) {
			return s.errorf("%q expected, found the end", c)
		}
		return s.errorf("%q expected, found %q", c, got)
	}
	s.at++
	return nil
}

// end is an error unless only white space follows.
func (s *jsonScan) end() error {
	s.next()
	if s.at < len(s.data) {
		return s.errorf("something after the value")
	}
	return nil
}

// list calls element for each element between the brackets; element must read it.
func (s *jsonScan) list(open, end byte, element func() error) error {
	if err := s.expect(open); err != nil {
		return err
	}
	if s.next() == end {
		s.at++
		return nil
	}
	for {
		if err := element(); err != nil {
			return err
		}
		if s.next() != ',' {
			return s.expect(end)
		}
		s.at++
	}
}

func (s *jsonScan) array(element func() error) error { return s.list('[', ']', element) }

// object calls member with each key; member must read the value.
func (s *jsonScan) object(member func(key []byte) error) error {
	return s.list('{', '}', func() error {
		key, err := s.text()
		if err != nil {
			return err
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		return member(key)
	})
}

// text reads a string. The bytes may be those of the file.
func (s *jsonScan) text() ([]byte, error) {
	literal, err := s.literal()
	if err != nil {
		return nil, err
	}
	inner := literal[1 : len(literal)-1]
	if bytes.IndexByte(inner, '\\') < 0 && plain(inner) {
		return inner, nil
	}
	var text string
	if err := json.Unmarshal(literal, &text); err != nil {
		return nil, s.errorf("a string: %s", jsonFault(err))
	}
	return []byte(text), nil
}

// plain says whether text can stand in a string as it is: valid UTF-8 without control characters.
func plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' {
			return false
		}
	}
	return utf8.Valid(text)
}

// literal reads a string with its quotes.
func (s *jsonScan) literal() ([]byte, error) {
	if err := s.expect('"'); err != nil {
		return nil, err
	}
	start := s.at - 1
	for ; s.at < len(s.data); s.at++ {
		switch s.data[s.at] {
		case '"':
			s.at++
			return s.data[start:s.at], nil
		case '\\':
			s.at++
		}
	}
	return nil, s.errorf("a string without end")
}

// int32 reads a whole number.
func (s *jsonScan) int32() (int32, error) {
	s.next()
	start := s.at
	for s.at < len(s.data) && bytes.IndexByte([]byte("+-.0123456789eE"), s.data[s.at]) >= 0 {
		s.at++
	}
	n, err := strconv.ParseInt(string(s.data[start:s.at]), 10, 32)
	if err != nil {
		end := min(max(s.at, start+1), start+20, len(s.data))
		return 0, s.errorf("a whole number below 2147483648 expected, found %q", s.data[start:end])
	}
	return int32(n), nil
}

// raw cuts out a value of any kind. It only looks at quotes and brackets: the value must be
// checked when it is decoded.
func (s *jsonScan) raw() (json.RawMessage, error) {
	s.next()
	start := s.at
	for depth := 0; s.at < len(s.data); {
		switch s.data[s.at] {
		case '"':
			if _, err := s.literal(); err != nil {
				return nil, err
			}
		case '[', '{':
			if depth++; depth > maxNesting {
				return nil, s.errorf("more than %d levels", maxNesting)
			}
			s.at++
		case ']', '}', ',':
			if depth == 0 {
				return s.value(start)
			}
			if s.data[s.at] != ',' {
				depth--
			}
			s.at++
		default:
			s.at++
		}
	}
	return s.value(start)
}

func (s *jsonScan) value(start int) (json.RawMessage, error) {
	value := bytes.TrimRight(s.data[start:s.at], " \t\r\n")
	if len(value) == 0 {
		return nil, s.errorf("a value expected")
	}
	return value, nil
}

// rawObject cuts out the values of an object; of several with one key the last counts.
func rawObject(data []byte) (map[string]json.RawMessage, error) {
	s := jsonScan{data: data}
	values := map[string]json.RawMessage{}
	err := s.object(func(key []byte) error {
		if len(values) == maxKeys {
			return s.errorf("more than %d keys", maxKeys)
		}
		value, err := s.raw()
		values[string(key)] = value
		return err
	})
	if err != nil {
		return nil, err
	}
	return values, s.end()
}
