package convert

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"

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
	var copies []file
	if ck.Format == loader.Llama2C {
		if config, err = binConfig(&ck.Config); err != nil {
			return err
		}
		copies, err = p.binTokenizer(ck)
	} else {
		if config, err = fs.ReadFile(ck.FS(), configFile); err != nil {
			return failed(configFile, "read", err)
		}
		copies, err = copiesOf(ck.FS())
	}
	if err != nil {
		return err
	}
	p.files = append(p.files, copies...)
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
