package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// printJSON writes v as indented JSON and a newline.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// printable writes control characters as Go does in quotes, so that a text from a file cannot
// steer the terminal.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// formatBytes writes n as a size that people read: 5.5 MB.
func formatBytes(n int64) string {
	units := []string{"kB", "MB", "GB", "TB"}
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	x, u := float64(n)/1000, 0
	for x >= 999.5 && u < len(units)-1 {
		x, u = x/1000, u+1
	}
	if x < 9.95 {
		return fmt.Sprintf("%.1f %s", x, units[u])
	}
	return fmt.Sprintf("%.0f %s", x, units[u])
}

// formatCount writes n as people say it: 134.5M.
func formatCount(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2fB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// formatSeconds writes a duration as seconds, 1.25 s, or if it is short as milliseconds.
func formatSeconds(d time.Duration) string {
	if d < 100*time.Millisecond {
		return fmt.Sprintf("%.1f ms", 1000*d.Seconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// formatRate writes n tokens in d as a speed.
func formatRate(n int, d time.Duration) string {
	if d <= 0 {
		return "- tokens/s"
	}
	return fmt.Sprintf("%.1f tokens/s", float64(n)/d.Seconds())
}
