package build

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// keepUnused is how long assets that no command has asked for stay in the cache; each set
// takes about 200 MB.
const keepUnused = 30 * 24 * time.Hour

// unfinished marks the folders that a build is still filling.
const unfinished = ".unfinished-"

// cacheFolder returns the folder of all control-plane assets, made when missing.
func cacheFolder() (string, error) {
	base := os.Getenv("XDG_CACHE_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the cache folder: %w: set XDG_CACHE_HOME", err)
		}
		base = filepath.Join(home, ".cache")
	}
	dir := filepath.Join(base, "wheelwright", "controlplane")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the cache folder: %w", err)
	}
	return dir, nil
}

// inCache reports whether the cache has the entry, and notes that it is in use.
func inCache(entry string) bool {
	now := time.Now()
	return os.Chtimes(entry, now, now) == nil
}

// publish lets fill make the contents of a new cache entry and puts them in place in one step,
// so that an entry is either whole or absent. The caller holds the entry's lock.
func publish(entry string, fill func(dir string) error) error {
	discardUnfinished(entry)
	dir, err := os.MkdirTemp(filepath.Dir(entry), filepath.Base(entry)+unfinished)
	if err != nil {
		return fmt.Errorf("make a build folder: %w", err)
	}
	defer os.RemoveAll(dir) // nothing is left of it after the rename
	if err := os.Chmod(dir, 0o755); err != nil {
		return fmt.Errorf("make a build folder: %w", err)
	}
	if err := fill(dir); err != nil {
		return err
	}
	if err := os.Rename(dir, entry); err != nil {
		return fmt.Errorf("put the build in place: %w", err)
	}
	discardUnused(filepath.Dir(entry), entry)
	return nil
}

// discardUnfinished removes what builds of this entry left that were killed half-way. The lock
// is ours, so none of them is running. What cannot be removed only takes up space.
func discardUnfinished(entry string) {
	leftovers, _ := filepath.Glob(entry + unfinished + "*")
	for _, dir := range leftovers {
		_ = os.RemoveAll(dir)
	}
}

// discardUnused removes the assets that nobody has asked for in a long time. What cannot be
// removed only takes up space.
func discardUnused(cache, keep string) {
	entries, _ := os.ReadDir(cache)
	for _, entry := range entries {
		path := filepath.Join(cache, entry.Name())
		info, err := entry.Info()
		if err != nil || path == keep || strings.Contains(entry.Name(), unfinished) {
			continue
		}
		if entry.IsDir() && time.Since(info.ModTime()) > keepUnused {
			_ = os.RemoveAll(path)
		}
	}
}
