package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mediadesk/api"
	"mediadesk/api/atomicfile"
	"mediadesk/api/rule"
)

// SyncOptions configures a sync.
type SyncOptions struct {
	Filter      Filter // other files are neither copied nor deleted
	Delete      bool   // delete the extra files of the target
	Checksum    bool   // compare contents, also by downloading them
	Concurrency int    // of downloads; 0 for the usual number
}

// SyncAction says what a sync does with a file.
type SyncAction string

// The actions of a sync.
const (
	SyncNew      SyncAction = "new"
	SyncChanged  SyncAction = "changed"
	SyncSame     SyncAction = "same"
	SyncMoved    SyncAction = "moved"
	SyncExtra    SyncAction = "extra"    // only the target has it
	SyncConflict SyncAction = "conflict" // both sides changed since the last sync
)

// SyncStep is a file of a sync. Paths are below both folders, as the library spells them. The tags
// are for the output of commands.
type SyncStep struct {
	Action SyncAction `json:"action"`
	Path   string     `json:"path"`
	Was    string     `json:"was,omitempty"` // where a moved file was
	Bytes  int64      `json:"bytes"`
}

// Sync is the plan for making a folder of the library equal to a local one (Up), or the reverse.
type Sync struct {
	Up    bool
	Steps []SyncStep // by path
	// Files counts the files of the target that the filter selects.
	Files int

	s             *Session
	o             SyncOptions
	local, folder string // roots; folder is a clean path
	files         map[string]*localFile
	records       map[string]*api.File
	mu            sync.Mutex // of last
	last          map[string]syncedFile
	versions      map[string]string // hashes of the last sync by file and version
}

type localFile struct {
	source   api.Source
	size     int64
	modified time.Time
	hash     string // once it is needed
}

func (l *localFile) sum() (string, error) {
	var err error
	if l.hash == "" {
		l.hash, _, err = api.HashSource(l.source.Path)
	}
	return l.hash, err
}

// syncedFile is a file that was equal on both sides at the end of a sync.
type syncedFile struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"` // of the local file
	Hash     string    `json:"hash,omitempty"`
	FileID   string    `json:"fileId"`
	Version  string    `json:"version"`
}

func contentOf(f *api.File) string { return cmp.Or(f.VersionID(), f.UpdatedAt) }

// PlanSync compares a local folder with a folder of the library. It reads only; unfinished uploads
// of an earlier sync are planned again unless [Session.ResumeSync] sent them.
func (s *Session) PlanSync(ctx context.Context, local, folder string, up bool, o SyncOptions) (*Sync, error) {
	folder, err := rule.CleanFolder(folder)
	if err != nil {
		return nil, err
	}
	y := &Sync{
		Up: up, s: s, o: o, local: local, folder: folder,
		files: map[string]*localFile{}, records: map[string]*api.File{}, last: map[string]syncedFile{},
		versions: map[string]string{},
	}
	if err := errors.Join(o.Filter.Check(), y.load(), y.readLocal(ctx)); err != nil {
		return nil, err
	}
	if err := y.readLibrary(ctx); err != nil {
		return nil, err
	}
	if err := y.compare(ctx); err != nil {
		return nil, err
	}
	return y, y.findMoved(ctx)
}

// readLocal finds the local files. Files that have no place of their own in the library, and
// folders that cannot be read, are errors: the rest of the plan would be wrong.
func (y *Sync) readLocal(ctx context.Context) error {
	if _, err := os.Stat(y.local); errors.Is(err, os.ErrNotExist) && !y.Up {
		return nil
	}
	// names that only one side excludes exist all the same
	tree, err := WalkFolder(ctx, y.local, y.local, Filter{Inside: true})
	tree.Bad = slices.DeleteFunc(tree.Bad, func(err error) bool {
		bad, ok := errors.AsType[*api.SourceError](err)
		return ok && !y.o.Filter.takesBelow(y.below(bad.Path))
	})
	if err = errors.Join(append(tree.Bad, err)...); err != nil {
		return err
	}
	for _, source := range tree.Sources {
		info, err := os.Stat(source.Path)
		if err != nil {
			return api.NewSourceError(source.Label, err)
		}
		key := path.Join(source.Sub, rule.StoredName(source.Name()))
		if other := y.files[key]; other != nil {
			return api.WithHint(fmt.Errorf("%s and %s have the same path in the library, %s", other.source.Label, source.Label, y.folder+key), "Rename one of them, or leave it out with --exclude.")
		}
		y.files[key] = &localFile{source: source, size: info.Size(), modified: info.ModTime()}
	}
	return nil
}

func (y *Sync) below(name string) string {
	rel, _ := filepath.Rel(y.local, name) // all names begin with the folder
	return filepath.ToSlash(rel)
}

// readLibrary finds the stored files. Those with a hidden name are left out, like local ones.
func (y *Sync) readLibrary(ctx context.Context) error {
	tree, err := y.s.FolderTree(ctx, y.folder)
	if err != nil {
		return err
	}
	for i := range tree {
		f := &tree[i]
		key, below := strings.CutPrefix(f.FilePath, y.folder)
		if !f.IsFolder() && below && !strings.Contains("/"+key, "/.") {
			y.records[key] = f
		}
	}
	return nil
}

func (y *Sync) compare(ctx context.Context) error {
	paths := slices.AppendSeq(slices.Collect(maps.Keys(y.files)), maps.Keys(y.records))
	slices.Sort(paths)
	for _, key := range slices.Compact(paths) {
		l, f := y.files[key], y.records[key]
		if l != nil && !y.o.Filter.takesBelow(y.below(l.source.Path)) ||
			f != nil && !y.o.Filter.takesBelow(key) {
			continue
		}
		if y.Up && f != nil || !y.Up && l != nil {
			y.Files++
		}
		step := SyncStep{Path: key}
		var modified time.Time
		if l != nil && (y.Up || f == nil) {
			step.Bytes, modified = l.size, l.modified
		} else {
			step.Bytes, modified = f.Size.Or(0), rule.Updated(f)
		}
		if !y.o.Filter.TakesFile(step.Bytes, modified) {
			continue
		}
		var err error
		switch {
		case l != nil && f != nil:
			step.Action, err = y.difference(ctx, key, l, f)
		case (l != nil) == y.Up:
			step.Action = SyncNew
		default:
			step.Action = SyncExtra
		}
		if err != nil {
			return err
		}
		y.Steps = append(y.Steps, step)
	}
	return nil
}

func (y *Sync) difference(ctx context.Context, key string, l *localFile, f *api.File) (SyncAction, error) {
	last, synced := y.last[key]
	localSame := synced && last.Size == l.size && last.Modified.Equal(l.modified) && !y.o.Checksum
	recordSame := synced && last.FileID == f.FileID && last.Version == contentOf(f)
	if localSame && recordSame {
		return SyncSame, nil
	}
	if l.size == f.Size.Or(l.size) {
		want, err := y.hashOf(ctx, f)
		if err != nil {
			return "", err
		}
		have := ""
		if want != "" {
			if have, err = l.sum(); err != nil {
				return "", err
			}
		}
		if want == have && (want != "" || recordSame || !synced) { // else it is a new, unknown version
			y.note(key, l, f, want)
			return SyncSame, nil
		}
	}
	if !localSame && synced && last.Size == l.size && last.Hash != "" { // touched only
		have, err := l.sum()
		if err != nil {
			return "", err
		}
		localSame = have == last.Hash
	}
	if synced && !localSame && !recordSame {
		return SyncConflict, nil
	}
	return SyncChanged, nil
}

// hashOf returns the hash of a stored content: of the last sync, of the journal or, with Checksum,
// of the downloaded bytes. It is empty if unknown.
func (y *Sync) hashOf(ctx context.Context, f *api.File) (string, error) {
	if hash := y.versions[f.FileID+"\x00"+contentOf(f)]; hash != "" {
		return hash, nil
	}
	return y.s.HashOf(ctx, f, y.o.Checksum)
}

func (y *Sync) findMoved(ctx context.Context) error {
	extras := map[int64][]int{} // by size
	for i, step := range y.Steps {
		if step.Action == SyncExtra && step.Bytes > 0 {
			extras[step.Bytes] = append(extras[step.Bytes], i)
		}
	}
	for i := range y.Steps {
		step := &y.Steps[i]
		if step.Action != SyncNew {
			continue
		}
		for n, at := range extras[step.Bytes] {
			extra := &y.Steps[at]
			l, f := y.files[step.Path], y.records[extra.Path]
			if !y.Up {
				l, f = y.files[extra.Path], y.records[step.Path]
			}
			want, err := y.hashOf(ctx, f)
			if err != nil {
				return err
			}
			if want == "" || y.Up && y.between(extra.Path, step.Path) == "" {
				continue
			}
			have, err := l.sum()
			if err != nil {
				return err
			}
			if have == want {
				step.Action, step.Was, extra.Action = SyncMoved, extra.Path, ""
				extras[step.Bytes] = slices.Delete(extras[step.Bytes], n, n+1)
				break
			}
		}
	}
	y.Steps = slices.DeleteFunc(y.Steps, func(s SyncStep) bool { return s.Action == "" })
	return nil
}

// between returns the path that a file has between moving and renaming it: one that no file has, or
// "" if both ways are taken.
func (y *Sync) between(from, to string) string {
	for _, at := range []string{
		path.Join(path.Dir(to), path.Base(from)),
		path.Join(path.Dir(from), path.Base(to)),
	} {
		if at == from || at == to || y.records[at] == nil && y.files[at] == nil {
			return at
		}
	}
	return ""
}

// Count returns the number of steps of an action, and their bytes.
func (y *Sync) Count(action SyncAction) (n int, size int64) {
	for _, step := range y.Steps {
		if step.Action == action {
			n, size = n+1, size+step.Bytes
		}
	}
	return n, size
}

func (y *Sync) note(key string, l *localFile, f *api.File, hash string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.last[key] = syncedFile{l.size, l.modified, hash, f.FileID, contentOf(f)}
}

func (y *Sync) forget(key string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	delete(y.last, key)
}

func (y *Sync) stateFile() string {
	sum := sha256.Sum256(fmt.Append(nil, y.s.Profile.Name, "\x00", y.local, "\x00", y.folder))
	return filepath.Join(y.s.options.Paths.Data, "sync", fmt.Sprintf("%x.json", sum[:12]))
}

func (y *Sync) load() error {
	content, err := os.ReadFile(y.stateFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(content, &y.last)
	}
	if err != nil {
		return api.WithHint(fmt.Errorf("the state of the last sync: %w", err), "Remove "+y.stateFile()+": the next sync then compares all contents.")
	}
	for _, last := range y.last {
		y.versions[last.FileID+"\x00"+last.Version] = last.Hash
	}
	return nil
}

func (y *Sync) save() error {
	y.mu.Lock()
	defer y.mu.Unlock()
	content, err := json.Marshal(y.last)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(y.stateFile()), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteFile(y.stateFile(), content, 0o600)
}
