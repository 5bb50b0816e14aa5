package definition

import (
	"errors"
	"fmt"
	"io/fs"
)

// maxFileBytes bounds what is read of one file of a definition, which no cluster would take.
const maxFileBytes = 4 << 20

// ReadFile reads a file that belongs to definitions. What is no regular file, such as a pipe, is refused, since reading it might
// never end.
func ReadFile(files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not there: %w", name, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read, or leads out of the folder: %w", name, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", name)
	case info.Size() > maxFileBytes:
		return nil, fmt.Errorf("%s has %d bytes; at most %d are allowed", name, info.Size(), maxFileBytes)
	}
	return fs.ReadFile(files, name)
}
