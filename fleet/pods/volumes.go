package pods

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// mount is a volume of a pod as a folder on the host.
type mount struct {
	volume corev1.Volume
	// at is the path inside the container, host the folder that stands for it.
	at, host string
}

// newMounts plans the folders of a container's volumes below dir.
func newMounts(volumes []corev1.Volume, wanted []corev1.VolumeMount, dir string) ([]mount, error) {
	var mounts []mount
	for _, w := range wanted {
		i := slices.IndexFunc(volumes, func(v corev1.Volume) bool { return v.Name == w.Name })
		if i < 0 {
			return nil, fmt.Errorf("%w: it mounts volume %s, which it does not have", errUnplayable, w.Name)
		}
		volume := volumes[i]
		if volume.ConfigMap == nil && volume.Secret == nil && volume.EmptyDir == nil {
			return nil, fmt.Errorf("%w: volume %s is not of kind configMap, secret or emptyDir", errUnplayable, volume.Name)
		}
		if w.SubPath != "" || w.SubPathExpr != "" {
			return nil, fmt.Errorf("%w: the mount of volume %s has a subPath", errUnplayable, volume.Name)
		}
		mounts = append(mounts, mount{volume: volume, at: filepath.Clean(w.MountPath), host: filepath.Join(dir, volume.Name)})
	}
	return mounts, nil
}

// relocate replaces the paths of mounts in a text by their folders on the host: a host process
// cannot have a file system of its own, so it is told where its files are.
func relocate(text string, mounts []mount) string {
	for i := 0; i < len(text); {
		var found *mount
		for j := range mounts {
			m := &mounts[j]
			if pathAt(text, i, m.at) && (found == nil || len(m.at) > len(found.at)) {
				found = m
			}
		}
		if found == nil {
			i++
			continue
		}
		text = text[:i] + found.host + text[i+len(found.at):]
		i += len(found.host)
	}
	return text
}

// pathAt reports whether the path stands at this place of the text as whole path elements.
func pathAt(text string, at int, path string) bool {
	const inName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	rest, ok := strings.CutPrefix(text[at:], path)
	if !ok || at > 0 && strings.ContainsRune(inName, rune(text[at-1])) {
		return false
	}
	return rest == "" || !strings.ContainsRune(inName, rune(rest[0]))
}

// fill brings the folder of the mount up to date with the object that it shows. A Secret or
// ConfigMap that is missing and not optional is an error, as it would keep a pod from starting.
func (m mount) fill(ctx context.Context, objects objectReader) error {
	if m.volume.EmptyDir != nil {
		return os.MkdirAll(m.host, 0o700)
	}
	var content map[string][]byte
	var items []corev1.KeyToPath
	var optional *bool
	var err error
	if source := m.volume.ConfigMap; source != nil {
		items, optional = source.Items, source.Optional
		content, err = objects.configMap(ctx, source.Name)
	} else {
		source := m.volume.Secret
		items, optional = source.Items, source.Optional
		content, err = objects.secret(ctx, source.SecretName)
	}
	if apierrors.IsNotFound(err) && optional != nil && *optional {
		content, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("volume %s: %w", m.volume.Name, err)
	}
	if err := writeFiles(m.host, chosen(content, items)); err != nil {
		return fmt.Errorf("volume %s: %w", m.volume.Name, err)
	}
	return nil
}

// filled reports whether the folder shows something already.
func (m mount) filled() bool {
	_, err := os.Stat(m.host)
	return err == nil
}

// chosen returns the files of a volume: all keys under their names, or the items only.
func chosen(content map[string][]byte, items []corev1.KeyToPath) map[string][]byte {
	if len(items) == 0 {
		return content
	}
	files := map[string][]byte{}
	for _, item := range items {
		if value, ok := content[item.Key]; ok {
			files[item.Path] = value
		}
	}
	return files
}

// dataLink is the link that decides which version of a volume its files are read from.
const dataLink = "..data"

// writeFiles makes the folder hold exactly these files. Like a kubelet it changes all of them
// in one step, so that a reader never sees the certificate of one version with the key of
// another: each file is a link through dataLink, which is switched to a new folder.
func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if sameFiles(filepath.Join(dir, dataLink), files) {
		return nil
	}
	old, _ := os.Readlink(filepath.Join(dir, dataLink))
	version, err := os.MkdirTemp(dir, "..version-")
	if err != nil {
		return err
	}
	for name, content := range files {
		file := filepath.Join(version, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return err
		}
	}
	if err := relink(filepath.Base(version), filepath.Join(dir, dataLink)); err != nil {
		return err
	}
	if err := linkFiles(dir, files); err != nil {
		return err
	}
	if old == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(dir, old))
}

// linkFiles makes the visible names of the folder: one link for each first path element.
func linkFiles(dir string, files map[string][]byte) error {
	names := map[string]bool{}
	for file := range files {
		name, _, _ := strings.Cut(file, "/")
		names[name] = true
		if err := relink(filepath.Join(dataLink, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "..") && !names[entry.Name()] {
			if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// relink points the link at target in one step.
func relink(target, link string) error {
	fresh := filepath.Join(filepath.Dir(link), "..new")
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if err := os.Symlink(target, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, link)
}

func sameFiles(dir string, files map[string][]byte) bool {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > len(files) {
		return false
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Equal(got, want) {
			return false
		}
	}
	return true
}
