package session

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// AwaitPurge polls the status of a purge until it is completed, but at most for timeout; with 0 it
// requests it once. A purge still pending then is no error.
func (s *Session) AwaitPurge(ctx context.Context, p api.Purge, timeout time.Duration) (api.Purge, error) {
	err := poll(ctx, timeout, func() (bool, error) {
		var now api.Purge
		err := s.Client.Do(ctx, &now)(api.ReadPurge(p.ID))
		if err == nil {
			p.Status = now.Status
		}
		return strings.EqualFold(now.Status, api.JobPending), err
	})
	return p, err
}

// PurgeAll starts purging the URLs of files and of everything in folders from the cache. Results are in
// the order of the files; report is as in ChangeAll.
func (s *Session) PurgeAll(ctx context.Context, files []api.File, report func(Edited)) []Edited {
	return s.eachFile(ctx, files, report, func(_ int, f api.File) (*api.File, error) {
		addresses, err := []string{f.URL}, error(nil)
		switch {
		case f.IsFolder():
			addresses, err = s.folderURLs(ctx, f.FolderPath)
		case f.URL == "":
			err = errors.New("the record of the file has no URL")
		}
		for _, address := range addresses {
			if err == nil {
				err = s.Client.Do(ctx, nil)(api.StartPurge(rule.PurgeURL(address)))
			}
		}
		return &f, err
	})
}

// folderURLs returns the URLs to purge for a folder: one that ends in a * where the service takes
// that, else those of all files in the folder.
func (s *Session) folderURLs(ctx context.Context, folder string) (addresses []string, err error) {
	folder, _ = rule.CleanFolder(folder)
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
		address.Path = base + folder
		if every := address.String() + "*"; found && rule.CheckPurgeURL(every) == nil {
			return []string{every}, nil // it stands for all files
		}
		addresses = append(addresses, file.URL)
	}
	return addresses, nil
}
