package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mediadesk/api"
)

// oldURLs are the URLs that files had before this session renamed or moved them, by
// id. They are kept until they are purged.
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

func (o *oldURLs) of(fileID string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.byID[fileID])
}

func (o *oldURLs) purged(fileID, address string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.byID[fileID] = slices.DeleteFunc(o.byID[fileID], func(old string) bool { return old == address })
}

// RenameAndPurge is Rename, and asks the service to purge the old URL from its cache.
// The ID of the purge is empty if the file was renamed and the purge failed.
func (s *Session) RenameAndPurge(ctx context.Context, f api.File, name string) (*api.File, api.Purge, error) {
	var p api.Purge
	after, err := s.renameIn(ctx, "", f, name, &p)
	return after, p, err
}

// RenameFolderAndPurge is RenameFolder, and asks the service to purge the old URLs from
// its cache, like RenameAndPurge.
func (s *Session) RenameFolderAndPurge(ctx context.Context, folder, name string) (string, api.Purge, error) {
	var p api.Purge
	to, err := s.renameFolder(ctx, folder, name, &p)
	return to, p, err
}

// AwaitPurge asks for the status of a purge until it is completed, for limit at most;
// with 0 it asks once. A purge that is still pending then is no error.
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

// purgePatience is how long PurgeAll waits for the end of a purge.
const purgePatience = 5 * time.Second

var errNoURL = errors.New("the record of the file has no URL")

// PurgeAll purges the URLs of files from the cache of the service, with those that they
// had before this session renamed them. It returns the results in the order of the
// files, reports like ChangeAll, and counts the files whose purge is still pending.
func (s *Session) PurgeAll(ctx context.Context, files []api.File, report func(Edited)) (list []Edited, pending int) {
	var waiting atomic.Int64
	list = s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		if f.URL == "" {
			return &f, errNoURL
		}
		open := false
		for _, address := range append(s.oldURLs.of(f.FileID), f.URL) {
			p, err := s.Client.StartPurge(ctx, api.PurgeURL(address))
			if err == nil {
				s.oldURLs.purged(f.FileID, address)
				p, err = s.AwaitPurge(ctx, p, purgePatience)
			}
			if err != nil {
				return &f, err
			}
			open = open || strings.EqualFold(p.Status, api.JobPending)
		}
		if open {
			waiting.Add(1)
		}
		return &f, nil
	})
	return list, int(waiting.Load())
}
