package session

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mediadesk/api"
)

// oldURLs holds the URLs of files, by id, and the paths of folders, by path, from before this session
// renamed or moved them, until they are purged.
type oldURLs struct {
	mu   sync.Mutex
	byID map[string][]string
}

func (o *oldURLs) add(f api.File) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byID == nil {
		o.byID = map[string][]string{}
	}
	if f.URL != "" && !slices.Contains(o.byID[f.FileID], f.URL) {
		o.byID[f.FileID] = append(o.byID[f.FileID], f.URL)
	}
}

// moved notes that a folder went from a path to another.
func (o *oldURLs) moved(from, to string) {
	for _, old := range append(o.of(from), from) {
		if old != to {
			o.add(api.File{FileID: to, URL: old})
		}
		o.purged(from, old)
	}
}

func (o *oldURLs) of(fileID string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.byID[fileID])
}

func (o *oldURLs) purged(fileID, address string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if left := slices.DeleteFunc(o.byID[fileID], func(old string) bool { return old == address }); len(left) > 0 {
		o.byID[fileID] = left
	} else {
		delete(o.byID, fileID)
	}
}

// RenameAndPurge renames a file and purges its old URL from the cache. The ID of the purge is empty
// if only the purge failed.
func (s *Session) RenameAndPurge(ctx context.Context, f api.File, name string) (*api.File, api.Purge, error) {
	var p api.Purge
	after, err := s.renameIn(ctx, "", f, name, &p)
	return after, p, err
}

// RenameFolderAndPurge renames a folder and purges its old URLs, like RenameAndPurge.
func (s *Session) RenameFolderAndPurge(ctx context.Context, folder, name string) (string, api.Purge, error) {
	var p api.Purge
	to, err := s.renameFolder(ctx, folder, name, &p)
	return to, p, err
}

// AwaitPurge polls the status of a purge until it is completed, but at most for limit; with 0 it
// asks once. A purge still pending then is no error.
func (s *Session) AwaitPurge(ctx context.Context, p api.Purge, limit time.Duration) (api.Purge, error) {
	err := poll(ctx, limit, func() (bool, error) {
		status, err := s.Client.PurgeStatus(ctx, p.ID)
		if err == nil {
			p.Status = status
		}
		return strings.EqualFold(status, api.JobPending), err
	})
	return p, err
}

// purgePatience limits how long PurgeAll waits for a purge.
const purgePatience = 5 * time.Second

var errNoURL = errors.New("the record of the file has no URL")

// PurgeAll purges the URLs of files and of everything in folders from the cache, including those from
// before this session renamed or moved them. Results are in the order of the files; report is as in
// ChangeAll; pending counts the unfinished purges.
func (s *Session) PurgeAll(ctx context.Context, files []api.File, report func(Edited)) (list []Edited, pending int) {
	var waiting atomic.Int64
	list = s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		key, now := f.FileID, f.URL
		if f.IsFolder() {
			key, _ = api.CleanFolder(f.FolderPath)
			now = key
		}
		old := s.oldURLs.of(key)
		addresses, err := append(slices.Clone(old), now), error(nil)
		switch {
		case f.IsFolder():
			addresses, err = s.folderURLs(ctx, key, addresses)
		case now == "":
			err = errNoURL
		}
		open := false
		for _, address := range addresses {
			var p api.Purge
			if err == nil {
				p, err = s.Client.StartPurge(ctx, api.PurgeURL(address))
			}
			if err == nil {
				p, err = s.AwaitPurge(ctx, p, purgePatience)
			}
			open = open || strings.EqualFold(p.Status, api.JobPending)
		}
		if err != nil {
			return &f, err
		}
		for _, address := range old {
			s.oldURLs.purged(key, address)
		}
		if open {
			waiting.Add(1)
		}
		return &f, nil
	})
	return list, int(waiting.Load())
}

// folderURLs are the URLs to purge for a folder under several paths: one that ends in a *
// for each path where the service takes that, else those of all files in the folder.
func (s *Session) folderURLs(ctx context.Context, folder string, paths []string) (addresses []string, err error) {
	for file, err := range s.Client.All(ctx, TreeQuery(folder)) {
		if err != nil {
			return nil, err
		}
		address, wrong := url.Parse(file.URL)
		if file.IsFolder() || wrong != nil {
			continue
		}
		address.RawQuery, address.RawPath = "", ""
		base, found := strings.CutSuffix(address.Path, file.FilePath)
		if !found {
			addresses = append(addresses, file.URL)
			continue
		}
		inside := strings.TrimPrefix(file.FilePath, folder)
		for _, at := range paths {
			address.Path = base + at
			if every := address.String() + "*"; api.CheckPurgeURL(every) != nil {
				address.Path += inside
				addresses = append(addresses, address.String())
			} else if !slices.Contains(addresses, every) {
				addresses = append(addresses, every)
			}
		}
		if !slices.ContainsFunc(addresses, func(a string) bool { return !strings.HasSuffix(a, "*") }) {
			return addresses, nil // they stand for all files
		}
	}
	return addresses, nil
}
