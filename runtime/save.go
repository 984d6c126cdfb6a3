package runtime

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"octet/internal/vec"
)

// A saved session is, little-endian: magic, uint32 type of its cache (KV), [32]byte
// fingerprint of the model, uint64 number n of tokens, n uint32 ids, then for each layer keys
// and values, each [kvHeads, n, headDim] in that type, with int8 followed by the scales,
// float32 [kvHeads, n], and the CRC-32 (IEEE) of all that.
const sessionMagic = "octet session 2\n"

// Save writes the session, so that Model.LoadSession continues it without computing it again.
func (s *Session) Save(w io.Writer) error {
	buf := bufio.NewWriterSize(w, 1<<16)
	sum := crc32.NewIEEE()
	out := io.MultiWriter(buf, sum)
	fp := s.model.fingerprint()
	head := binary.LittleEndian.AppendUint32([]byte(sessionMagic), uint32(s.model.kv))
	head = append(head, fp[:]...)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(s.ids)))
	for _, id := range s.ids {
		head = binary.LittleEndian.AppendUint32(head, uint32(id))
	}
	if _, err := out.Write(head); err != nil {
		return err
	}
	for _, c := range s.caches {
		if err := c.save(out, len(s.ids)); err != nil {
			return err
		}
	}
	if err := binary.Write(buf, binary.LittleEndian, sum.Sum32()); err != nil {
		return err
	}
	return buf.Flush()
}

// LoadSession reads a session that Save wrote with this model, to the end of r. Its memory grows
// with what is read, so a damaged length is found before it is believed. Errors wrap ErrSession.
func (m *Model) LoadSession(r io.Reader) (*Session, error) {
	in := &summingReader{r: bufio.NewReaderSize(r, 1<<16), sum: crc32.NewIEEE()}
	ids, err := m.readSessionHead(in)
	if err != nil {
		return nil, sessionError(err)
	}
	s := m.NewSession()
	if err := s.check(ids); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSession, err)
	}
	s.ids, s.room = ids, roundUp(len(ids), vec.KeyTile)
	for _, c := range s.caches {
		if err := c.load(in, len(ids)); err != nil {
			return nil, sessionError(err)
		}
	}
	if err := in.checkSum(); err != nil {
		return nil, sessionError(err)
	}
	return s, nil
}

func sessionError(err error) error {
	if errors.Is(err, ErrSession) {
		return err
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", ErrSession, err)
}

func (m *Model) readSessionHead(in io.Reader) ([]int, error) {
	fp := m.fingerprint()
	head := make([]byte, len(sessionMagic)+4+len(fp)+8)
	if _, err := io.ReadFull(in, head); err != nil {
		return nil, err
	}
	if magic := string(head[:len(sessionMagic)]); magic != sessionMagic {
		return nil, fmt.Errorf("%w: %q expected at the beginning, found %q", ErrSession, sessionMagic, magic)
	}
	rest := head[len(sessionMagic):]
	if kv := binary.LittleEndian.Uint32(rest); kv != uint32(m.kv) {
		return nil, fmt.Errorf("%w: a cache of type %v expected, found %v", ErrSession, m.kv, KV(min(kv, math.MaxUint8)))
	}
	if string(rest[4:][:len(fp)]) != string(fp[:]) {
		return nil, fmt.Errorf("%w: it was saved with another model, or other quantization options", ErrSession)
	}
	n := binary.LittleEndian.Uint64(head[len(head)-8:])
	if n > uint64(m.context) {
		return nil, fmt.Errorf("%w: %d tokens, the context has %d", ErrSession, n, m.context)
	}
	var ids []int
	for id := make([]byte, 4); uint64(len(ids)) < n; {
		if _, err := io.ReadFull(in, id); err != nil {
			return nil, err
		}
		ids = append(ids, int(binary.LittleEndian.Uint32(id)))
	}
	return ids, nil
}

// fingerprint tells models apart: configuration, options that change the numbers, and name,
// type, shape and some of the bytes of each tensor.
func (m *Model) fingerprint() [sha256.Size]byte {
	h := sha256.New()
	config := m.config
	json.NewEncoder(h).Encode(config) // maps are encoded in the order of their keys
	fmt.Fprintln(h, m.options.Activations, m.kv, m.group, m.Int8Head())
	for _, name := range m.ck.Names() {
		t, err := m.ck.Tensor(name)
		if err != nil {
			continue
		}
		fmt.Fprintln(h, name, t.DType, t.Shape)
		for at := 0; at < len(t.Data); at += max(len(t.Data)/16, 64) {
			h.Write(t.Data[at:min(at+64, len(t.Data))])
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// summingReader keeps the checksum of what is read through it.
type summingReader struct {
	r   *bufio.Reader
	sum interface {
		io.Writer
		Sum32() uint32
	}
}

func (s *summingReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.sum.Write(p[:n])
	return n, err
}

// checkSum compares the sum of what was read with the one that follows, at the end of the file.
func (s *summingReader) checkSum() error {
	want := s.sum.Sum32()
	var got uint32
	if err := binary.Read(s.r, binary.LittleEndian, &got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("%w: checksum %08x expected, found %08x", ErrSession, want, got)
	}
	if _, err := s.r.ReadByte(); err != io.EOF {
		return fmt.Errorf("%w: more data after its end", ErrSession)
	}
	return nil
}
