package helm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"wheelwright.dev/wheelwright/agent/outbound"
)

// fromDirectory loads a chart, as a folder or packed, from one of the directories that the operator allows. No path and no
// symbolic link leads out of them. A .helmignore is not read.
func (s *source) fromDirectory() (*chart.Chart, error) {
	path := s.reference.Chart
	for _, directory := range s.options.ChartDirectories {
		local := path
		if filepath.IsAbs(path) {
			relative, err := filepath.Rel(directory, path)
			if err != nil {
				continue
			}
			local = relative
		}
		if !filepath.IsLocal(local) {
			continue
		}
		found, err := s.within(directory, local)
		if !os.IsNotExist(err) {
			return found, err
		}
	}
	return nil, refused("it is in no directory that the agent's operator allows charts from: "+
		"use a repository or an oci:// reference (%d directories are allowed)", len(s.options.ChartDirectories))
}

func (s *source) within(directory, local string) (*chart.Chart, error) {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(local)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		files, err := s.files(root, local)
		if err != nil {
			return nil, err
		}
		return loader.LoadFiles(files)
	}
	file, err := root.Open(local)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info.Size() > s.options.MaxChartSize {
		return nil, fmt.Errorf("%w: it has %d bytes; at most %d are taken", outbound.ErrTooLarge, info.Size(), s.options.MaxChartSize)
	}
	return loader.LoadArchive(file)
}

func (s *source) files(root *os.Root, folder string) ([]*loader.BufferedFile, error) {
	var files []*loader.BufferedFile
	left := s.options.MaxChartSize
	folder = filepath.ToSlash(filepath.Clean(folder))
	err := fs.WalkDir(root.FS(), folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !entry.Type().IsRegular() {
			return fmt.Errorf("%s is no regular file", path)
		}
		file, err := root.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		content, err := outbound.ReadAll(file, left)
		if errors.Is(err, outbound.ErrTooLarge) {
			return fmt.Errorf("%w: its files have more than %d bytes", outbound.ErrTooLarge, s.options.MaxChartSize)
		}
		if err != nil {
			return err
		}
		left -= int64(len(content))
		files = append(files, &loader.BufferedFile{Name: strings.TrimPrefix(path, folder+"/"), Data: content})
		return nil
	})
	return files, err
}
