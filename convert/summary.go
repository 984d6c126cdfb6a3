package convert

import (
	"time"

	"octet/loader"
	"octet/quant"
)

// Summary says what a conversion has made.
type Summary struct {
	Source           string        `json:"source"` // "" for an embedded model
	Destination      string        `json:"destination"`
	Architecture     string        `json:"architecture"`
	Format           string        `json:"format"`
	GroupSize        int           `json:"group_size"`
	GroupAsked       int           `json:"group_size_asked"`
	SourceBytes      int64         `json:"source_bytes"`      // of the source's tensors
	DestinationBytes int64         `json:"destination_bytes"` // of the files of weights
	Matrices         []MatrixError `json:"matrices"`          // the quantized ones
	RelativeRMSError float64       `json:"relative_rms_error"`
	MaxError         float64       `json:"max_error"`
	Files            []string      `json:"files"`  // of weights
	Copied           []string      `json:"copied"` // tokenizer, chat template and so on
	Notes            []string      `json:"notes,omitempty"`
	Elapsed          time.Duration `json:"elapsed_ns"`
}

// MatrixError is how far the int8 form of a matrix is from the float one.
type MatrixError struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
	Cols int    `json:"cols"`
	// RelativeRMSError is √(Σ(w−q·s)² / Σw²).
	RelativeRMSError float64 `json:"relative_rms_error"`
	MaxError         float64 `json:"max_error"` // the largest |w−q·s|
}

// summary collects the results of the jobs.
func (p *plan) summary(ck *loader.Checkpoint, dst string) *Summary {
	s := &Summary{
		Source:       ck.Path,
		Destination:  dst,
		Architecture: ck.Config.Architecture,
		Format:       p.options.Format.String(),
		GroupSize:    p.group,
		GroupAsked:   p.options.GroupSize,
		Notes:        p.notes,
	}
	var total quant.Error
	for _, j := range p.jobs {
		s.SourceBytes += j.sourceBytes
		if j.action == quantize {
			s.Matrices = append(s.Matrices, j.matrixError())
			total.Add(j.err)
		}
	}
	s.RelativeRMSError, s.MaxError = total.Relative(), total.Max
	for _, t := range p.targets {
		s.DestinationBytes += t.size
		s.Files = append(s.Files, t.name)
	}
	for _, f := range p.files {
		if f.data == nil {
			s.Copied = append(s.Copied, f.name)
		}
	}
	return s
}

func (j *job) matrixError() MatrixError {
	return MatrixError{
		Name: j.source.Name, Rows: j.rows, Cols: j.cols,
		RelativeRMSError: j.err.Relative(), MaxError: j.err.Max,
	}
}
