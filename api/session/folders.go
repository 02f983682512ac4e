package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/rule"
)

// FolderContent counts what a folder contains at any depth, without itself.
type FolderContent struct {
	Files, Folders int
	Bytes          int64 // of the files of known size
}

// FindFolder returns the record of a folder, or nil if it does not exist. The root always exists.
func (s *Session) FindFolder(ctx context.Context, folder string) (*api.File, error) {
	clean, _ := rule.CleanFolder(folder)
	if clean == "/" {
		return &api.File{Type: api.TypeFolder, FolderPath: clean}, nil
	}
	parent, name := path.Split(strings.TrimSuffix(clean, "/"))
	records, err := s.Client.List(ctx, api.Query{Folder: parent, Type: "all", Name: name, Limit: 10})
	if err != nil {
		return nil, err
	}
	for i := range records {
		if records[i].IsFolder() && records[i].Name == name {
			return &records[i], nil
		}
	}
	return nil, nil
}

// TreeQuery returns the query for everything in a folder at any depth.
func TreeQuery(folder string) api.Query {
	q := api.Query{Type: "all", Sort: "ASC_NAME"}
	if clean, _ := rule.CleanFolder(folder); clean != "/" {
		q.Search = rule.SearchBelow(clean)
	}
	return q
}

// FolderTree returns the records of all files and folders in a folder at any depth, at most
// 100,000.
func (s *Session) FolderTree(ctx context.Context, folder string) ([]api.File, error) {
	var tree []api.File
	for file, err := range s.below(ctx, folder) {
		if err != nil {
			return tree, err
		}
		if len(tree) == maxTree {
			err := fmt.Errorf("%s has more than 100,000 files and folders, the most that are handled at once", folder)
			return nil, api.WithHint(err, "Name its subfolders one by one.")
		}
		tree = append(tree, *file)
	}
	return tree, nil
}

// maxTree is the maximum number of records that are held at once. Each takes some kilobytes.
const maxTree = 100_000

func (s *Session) below(ctx context.Context, folder string) iter.Seq2[*api.File, error] {
	clean, _ := rule.CleanFolder(folder)
	return func(yield func(*api.File, error) bool) {
		for file, err := range s.Client.All(ctx, TreeQuery(folder)) {
			if err == nil && file.IsFolder() {
				if at, _ := rule.CleanFolder(file.FolderPath); at == clean {
					continue
				}
			}
			if !yield(file, err) {
				return
			}
		}
	}
}

// CountFolder counts what a folder contains.
func (s *Session) CountFolder(ctx context.Context, folder string) (FolderContent, error) {
	var c FolderContent
	for file, err := range s.below(ctx, folder) {
		switch {
		case err != nil:
			return c, err
		case file.IsFolder():
			c.Folders++
		default:
			c.Files++
			c.Bytes += file.Size.Or(0)
		}
	}
	return c, nil
}

// MakeFolder creates a folder with missing parents and returns its path, which differs from folder
// if the service does not accept the name: see rule.CreatedFolder. existed means that nothing was
// created, because one of the two paths exists.
func (s *Session) MakeFolder(ctx context.Context, folder string) (made string, existed bool, err error) {
	clean, err := rule.CleanFolder(folder)
	if err != nil {
		return "", false, err
	}
	for _, path := range slices.Compact([]string{clean, rule.CreatedFolder(clean)}) {
		there, err := s.FindFolder(ctx, path)
		if err != nil && !api.Unavailable(err) {
			return "", false, err
		}
		if there != nil {
			return path, true, nil
		}
	}
	var answer struct{ FolderPath string } // empty on the hosted service
	if err := s.Client.Do(ctx, api.MakeFolder(folder), &answer); err != nil {
		return "", false, err
	}
	made, _ = rule.CleanFolder(cmp.Or(answer.FolderPath, rule.CreatedFolder(folder)))
	return made, false, nil
}

// DeleteFolder permanently deletes a folder with its contents.
func (s *Session) DeleteFolder(ctx context.Context, folder string) error {
	if err := s.Client.Do(ctx, api.DeleteFolder(folder), nil); err != nil {
		return err
	}
	return s.Journal.ForgetFolder(ctx, s.Profile.Name, folder)
}

func checkFolder(folder string) error {
	_, err := rule.CleanFolder(folder)
	return err
}

// CopyFolder copies a folder into another and returns the path of the copy.
func (s *Session) CopyFolder(ctx context.Context, folder, into string) (string, error) {
	if err := checkFolder(into); err != nil {
		return "", err
	}
	return path.Join(into, path.Base(folder)) + "/", s.runFolderJob(ctx, api.CopyFolder(folder, into))
}

// MoveFolder moves a folder into another and returns its new path. It can be undone, unless a
// folder existed there: the service then merges their contents.
func (s *Session) MoveFolder(ctx context.Context, folder, into string) (string, error) {
	to := path.Join(into, path.Base(folder)) + "/"
	return to, s.relocateFolder(ctx, api.MoveFolder(folder, into), checkFolder(into), folder, to)
}

// RenameFolder renames a folder and returns its new path. It can be undone.
func (s *Session) RenameFolder(ctx context.Context, folder, name string) (string, error) {
	to := path.Join(path.Dir(path.Clean(folder)), name) + "/"
	return to, s.relocateFolder(ctx, api.RenameFolder(folder, name), rule.CheckFolderName(name), folder, to)
}

// relocateFolder runs a job that moves a folder to another path, and stores the undo information if
// nothing was there. It runs nothing if the target is wrong.
func (s *Session) relocateFolder(ctx context.Context, r api.Request, wrong error, from, to string) error {
	if err := cmp.Or(wrong, r.Err); err != nil {
		return err
	}
	there, err := s.FindFolder(ctx, to)
	if err != nil {
		return err
	}
	from, _ = rule.CleanFolder(from)
	run := func() error { return s.runFolderJob(ctx, r) }
	forget := func(ctx context.Context) (*api.File, string, error) {
		return nil, to, s.Journal.ForgetFolder(ctx, s.Profile.Name, from)
	}
	if there == nil {
		e := journal.Edit{Action: journal.ActionFolder, Was: from, Became: to}
		_, err = s.carryOut(ctx, e, run, forget)
	} else if err = run(); err == nil {
		_, _, err = forget(context.WithoutCancel(ctx))
	}
	return err
}

func (s *Session) replayFolder(ctx context.Context, e journal.Edit, undo bool) ([]Edited, error) {
	from, to := e.Became, e.Was
	if !undo {
		from, to = to, from
	}
	there, err := s.FindFolder(ctx, to)
	if err == nil && there != nil {
		err = fmt.Errorf("the folder %s exists again; rename or move it first", to)
	}
	if err != nil {
		return nil, err
	}
	r := api.RenameFolder(from, path.Base(to))
	if path.Base(from) == path.Base(to) {
		r = api.MoveFolder(from, path.Dir(path.Clean(to)))
	}
	if err := s.runFolderJob(ctx, r); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	folder := api.File{Type: api.TypeFolder, Name: path.Base(to), FolderPath: path.Clean(to)}
	return []Edited{{File: &folder, Err: errors.Join(
		s.Journal.ForgetFolder(ctx, s.Profile.Name, from), s.Journal.MarkEdit(ctx, e.ID, undo),
	)}}, nil
}

// ErrJobPending reports that the wait for a folder job ended before the job. The service continues
// with it.
var ErrJobPending = errors.New("the service has not reported the end of folder job")

const (
	firstPollInterval = 100 * time.Millisecond
	maxPollInterval   = 5 * time.Second
)

// runFolderJob starts a folder job and waits until the service reports it as completed. Services do
// not report failures, so only ctx ends the wait for a failed job. The error is ErrJobPending
// if the job was started.
func (s *Session) runFolderJob(ctx context.Context, r api.Request) error {
	var started api.FolderJob
	if err := s.Client.Do(ctx, r, &started); err != nil {
		return err
	}
	if err := poll(ctx, math.MaxInt64, func() (bool, error) {
		job := api.FolderJob{ID: started.ID}
		err := s.Client.Do(ctx, api.ReadFolderJob(started.ID), &job)
		return strings.EqualFold(job.Status, api.JobPending), err
	}); err != nil {
		return api.WithHint(fmt.Errorf("%w %s: %w", ErrJobPending, started.ID, err), "The service continues with the job. Look at the folder later.")
	}
	return nil
}

// poll calls pending until it returns false, ctx ends, or timeout is over. With timeout 0 it calls
// it once.
func poll(ctx context.Context, timeout time.Duration, pending func() (bool, error)) error {
	interval, elapsed := firstPollInterval, time.Duration(0)
	for ; ; interval = min(2*interval, maxPollInterval) {
		if again, err := pending(); !again || err != nil || interval > timeout-elapsed {
			return err
		}
		select {
		case <-time.After(interval):
			elapsed += interval
		case <-ctx.Done():
			return errors.New("interrupted")
		}
	}
}
