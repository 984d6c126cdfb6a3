package main

import "testing"

func TestFormatBytes(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9999: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB",
		5_510_016: "5.5 MB", 269_060_552: "269 MB", 1_500_000_000: "1.5 GB", 2_000_000_000_000_000: "2000 TB",
	} {
		if got := formatBytes(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestFormatCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 9999: "9999", 203_200: "203k", 2_755_008: "2.8M", 134_515_008: "134.5M", 8_030_261_248: "8.03B"} {
		if got := formatCount(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
