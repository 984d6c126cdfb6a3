package convert

import "golang.org/x/sys/unix"

// beginSync starts to bring part of a file to the disk. That they arrive is for Sync to see,
// and to report where they do not.
func beginSync(r request) {
	_ = unix.SyncFileRange(int(r.file.Fd()), r.at, r.n, unix.SYNC_FILE_RANGE_WRITE)
}
