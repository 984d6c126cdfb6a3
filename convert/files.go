package convert

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"octet/loader"
)

// file is a small file of the output: data, or a copy.
type file struct {
	name string // with slashes
	data []byte // nil for a copy
	from fs.FS  // what is copied: name in from
	as   string // the name there
}

// modelPatterns are the files beside the weights that a Hugging Face model needs.
var modelPatterns = []string{
	"tokenizer*", "*.model", "special_tokens_map.json", "added_tokens.json",
	"vocab.json", "vocab.txt", "merges.txt", "*.tiktoken", "tekken.json",
	"chat_template*", "additional_chat_templates/*.jinja",
	"generation_config.json",
}

// licencePatterns are what may have to go with every copy of a model. (README.md is not
// copied: it describes the float model.)
var licencePatterns = []string{"LICENSE*", "LICENCE*", "NOTICE*", "USE_POLICY*"}

// weightsPatterns are never copied, whatever else they match.
var weightsPatterns = []string{"*.safetensors", "*.pth", "*.pt", "*.gguf"}

// stalePatterns are the files of the weights of another model in the destination, which
// go together with those of modelPatterns.
var stalePatterns = []string{"model*.safetensors", indexFile}

// isCopied reports whether a file of the source is copied.
func isCopied(name string) bool {
	return (matches(name, modelPatterns) || matches(name, licencePatterns)) && !matches(name, weightsPatterns)
}

// matches reports whether name is like one of the patterns.
func matches(name string, patterns []string) bool {
	for _, p := range patterns {
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}

// planFiles plans what lies beside the weights of a Hugging Face directory; config.json
// is the last of it.
func (p *plan) planFiles(ck *loader.Checkpoint) (err error) {
	var config []byte
	if ck.Format == loader.Llama2C {
		config, err = binConfig(&ck.Config)
		p.files = append(p.files, p.binTokenizer(ck, tokenizerFile)...)
	} else {
		if config, err = fs.ReadFile(ck.FS(), configFile); err != nil {
			return failed(configFile, "read", err)
		}
		var copies []file
		copies, err = copiesOf(ck.FS())
		p.files = append(p.files, copies...)
	}
	if err != nil {
		return err
	}
	if config, err = addQuantization(config, p.group); err != nil {
		return err
	}
	p.files = append(p.files, file{name: configFile, data: config})
	return nil
}

// copiesOf lists the files of a Hugging Face directory that are copied, sorted.
func copiesOf(source fs.FS) ([]file, error) {
	var copies []file
	for _, dir := range []string{".", "additional_chat_templates"} {
		entries, err := fs.ReadDir(source, dir)
		if errors.Is(err, fs.ErrNotExist) && dir != "." {
			continue
		}
		if err != nil {
			return nil, failed(dir, "read", err)
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if isCopied(name) && isRegular(source, name) {
				copies = append(copies, file{name: name, from: source, as: name})
			}
		}
	}
	return copies, nil
}

// isRegular reports whether there is a file of that name, behind any symbolic links.
func isRegular(source fs.FS, name string) bool {
	info, err := fs.Stat(source, name)
	return err == nil && info.Mode().IsRegular()
}

// binTokenizer is the tokenizer.bin of a llama2.c model, to be copied as name, or a note
// that there is none.
func (p *plan) binTokenizer(ck *loader.Checkpoint, name string) []file {
	source, as := ck.FS(), tokenizerFile
	if t := p.options.Tokenizer; t != "" {
		source, as = os.DirFS(filepath.Dir(t)), filepath.Base(t)
	} else if !isRegular(source, as) {
		p.notes = append(p.notes, "no "+tokenizerFile+" beside the source: one is needed to read and write text")
		return nil
	}
	return []file{{name: name, from: source, as: as}}
}

// settle looks at files that exist already beside a .bin file that is written: the
// tokenizer of the source may be in its place, another one is in the way.
func (p *plan) settle(out *stage) error {
	if out.whole {
		return nil // the directory was empty, or is cleared
	}
	var rest []file
	for _, f := range p.files {
		there, err := os.Stat(filepath.Join(out.dir, f.name))
		if err == nil {
			if own, err := fs.Stat(f.from, f.as); err == nil && os.SameFile(own, there) {
				continue
			}
			if !out.overwrite {
				return unusable(filepath.Join(out.dir, f.name), "exists already, and is not to be overwritten")
			}
		}
		rest = append(rest, f)
	}
	p.files = rest
	return nil
}

// copy writes a small file into the stage.
func (s *stage) copy(ctx context.Context, f file) error {
	out, err := s.create(f.name)
	if err != nil {
		return err
	}
	if f.data != nil {
		if _, err := out.Write(f.data); err != nil {
			return failed(f.name, "write", err)
		}
		return nil
	}
	in, err := f.from.Open(f.as)
	if err != nil {
		return failed(f.as, "open", err)
	}
	defer in.Close()
	if _, err := io.Copy(out, contextReader{ctx, in}); err != nil {
		return failed(f.name, "copy", err)
	}
	return nil
}

// contextReader ends with the context.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}
