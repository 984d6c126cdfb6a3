package tokenizer

import (
	"encoding/binary"
	"fmt"
	"math"
)

// message is the encoded form of a protobuf message.
type message []byte

// protoField is one field of a message: a number, or the bytes of a string or message.
type protoField struct {
	number int
	value  uint64 // varint and fixed
	bytes  []byte // length-delimited
	wire   int
}

// Wire types of the protobuf encoding.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// fields calls yield for every field of m, in order, until it returns an error.
func (m message) fields(yield func(protoField) error) error {
	for at := 0; at < len(m); {
		f, n := m[at:].field()
		if n == 0 {
			return fmt.Errorf("%w: protobuf field at byte %d of %d", ErrFormat, at, len(m))
		}
		if err := yield(f); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// field reads the first field and returns the bytes that it takes, 0 where m is damaged.
func (m message) field() (f protoField, n int) {
	tag, n := binary.Uvarint(m)
	if n <= 0 || tag>>3 == 0 || tag>>3 > math.MaxInt32 {
		return f, 0
	}
	f.number, f.wire = int(tag>>3), int(tag&7)
	rest := m[n:]
	switch f.wire {
	case wireVarint, wireBytes:
		value, k := binary.Uvarint(rest)
		if k <= 0 {
			return f, 0
		}
		f.value, n = value, n+k
		if f.wire == wireBytes {
			if value > uint64(len(rest)-k) {
				return f, 0
			}
			f.bytes, n = rest[k:k+int(value)], n+int(value)
		}
	case wireFixed64:
		if len(rest) < 8 {
			return f, 0
		}
		f.value, n = binary.LittleEndian.Uint64(rest), n+8
	case wireFixed32:
		if len(rest) < 4 {
			return f, 0
		}
		f.value, n = uint64(binary.LittleEndian.Uint32(rest)), n+4
	default:
		return f, 0
	}
	return f, n
}

// want is an error unless f has the wire type.
func (f protoField) want(wire int) error {
	if f.wire != wire {
		return fmt.Errorf("%w: protobuf field %d has wire type %d, %d expected", ErrFormat, f.number, f.wire, wire)
	}
	return nil
}
