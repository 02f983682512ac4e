package session

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"mediadesk/api"
	"mediadesk/api/watch"
)

// Extend runs extensions on a stored file, with the same tracking as those of
// an upload.
func (s *Session) Extend(ctx context.Context, fileID string, list []api.Extension) (*api.File, error) {
	return s.Change(ctx, fileID, api.Details{Extensions: api.Set(list)})
}

// ErrNotLocal says that a service cannot cancel runs.
var ErrNotLocal = errors.New("only the local library can cancel a run")

// CancelRun ends the pending runs of an extension on a file as failed. The error
// is ErrNotLocal where the profile is not the local library.
func (s *Session) CancelRun(ctx context.Context, fileID, extension string) error {
	if !s.Profile.Local {
		return ErrNotLocal
	}
	if err := s.Client.CancelRun(ctx, fileID, extension); err != nil {
		return err
	}
	// No look at the file shows it, and a webhook may not be there.
	return s.Watch.Canceled(context.WithoutCancel(ctx), s.Profile.Name, fileID, extension)
}

// withAddress gives a change that asks for extensions an address of our
// receiver, where the service can reach it and the change names none.
func (s *Session) withAddress(ctx context.Context, fileID string, change api.Details) (api.Details, string, error) {
	if err := s.resolveSaved(ctx, &change.Extensions); err != nil {
		return change, "", err
	}
	if len(change.Extensions.Or(nil)) == 0 || change.NoWebhook || !change.WebhookURL.IsZero() || s.Profile.Receiver == "" {
		return change, "", nil
	}
	address, err := s.Watch.FileAddress(ctx, s.Profile.Name, fileID)
	if errors.Is(err, watch.ErrNoReceiver) {
		return change, "", nil // the effects will tell
	}
	if err != nil {
		return change, "", fmt.Errorf("no webhook address: %w", err)
	}
	change.WebhookURL = api.Set(address)
	return change, address, nil
}

// asked tells the watch which runs a change began. after is nil where no answer
// came and err says why: what may have begun is then watched all the same.
func (s *Session) asked(ctx context.Context, fileID string, change api.Details, address string, after *api.File, err error) error {
	list := change.Extensions.Or(nil)
	if after == nil && (len(list) == 0 || api.OutcomeOf(err) != api.Unknown) {
		return nil
	}
	if after == nil {
		// Effects are recognized by comparing with the file as it was before.
		if seen, ok, err := s.Journal.File(context.WithoutCancel(ctx), s.Profile.Name, fileID); err == nil && ok {
			seen.File.ExtensionStatus = nil
			after = &seen.File
		}
	}
	return s.Watch.Asked(context.WithoutCancel(ctx), s.Profile.Name, fileID, list, address, after)
}

// TestReceiver posts to the address at which the profile's service reaches our
// receiver, and reports whether the post arrived.
func (s *Session) TestReceiver(ctx context.Context) error {
	if s.Profile.Receiver == "" {
		return errors.New("no address is set at which the service could reach this computer: give the public address of a tunnel as webhook_url of the profile")
	}
	return s.Watch.Probe(ctx, s.Profile.Receiver)
}

// Before is the path of a file of this computer that holds the picture as it
// was before a run: that version, or what was sent.
func (s *Session) Before(ctx context.Context, run api.Run) (string, error) {
	if source := s.sentSource(ctx, run.JobID); source != "" {
		return source, nil
	}
	runs, err := s.Journal.Runs(ctx, api.RunFilter{Profile: run.Profile, FileID: run.FileID, Answers: true})
	if err != nil {
		return "", err
	}
	for i := range runs {
		file := runs[i].Answer
		if runs[i].ID != run.ID || file == nil || file.VersionInfo == nil || file.URL == "" {
			continue
		}
		old := *file
		if old.URL, err = versionAddress(file.URL, file.VersionInfo.ID); err != nil {
			return "", err
		}
		return s.Picture(ctx, old)
	}
	return "", errors.New("nothing is known of the version before: it was neither sent from here nor shown in the answer")
}

// sentSource is the path of what an upload sent, where it is still the same.
func (s *Session) sentSource(ctx context.Context, jobID int64) string {
	if jobID == 0 {
		return ""
	}
	job, ok, err := s.Journal.Job(ctx, jobID)
	if err != nil || !ok || job.Upload.Source.Path == "" {
		return ""
	}
	if now, err := api.Identify(job.Upload.Source.Path); err != nil || !now.Same(job.Identity) {
		return ""
	}
	return job.Upload.Source.Path
}

// versionAddress is where a version of a file is served, by its id.
func versionAddress(address, id string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("the record has no address to fetch the picture from: %w", err)
	}
	query := u.Query()
	query.Set("ik-obj-version", id)
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// SavedExtensions are the extensions that the account keeps under names; none where the
// service has no such call.
func (s *Session) SavedExtensions(ctx context.Context) ([]api.Saved, error) {
	list, err := s.Client.SavedExtensions(ctx)
	if api.Unavailable(err) {
		return nil, nil
	}
	return list, err
}

// resolveSaved puts saved extensions in place of their names.
func (s *Session) resolveSaved(ctx context.Context, fields ...*api.Field[[]api.Extension]) error {
	var saved []api.Saved
	read := false
	for _, field := range fields {
		list := field.Or(nil)
		if !slices.ContainsFunc(list, api.Extension.MayBeSaved) {
			continue
		}
		var err error
		if !read {
			if saved, err = s.SavedExtensions(ctx); err != nil {
				return fmt.Errorf("the saved extensions cannot be read: %w", err)
			}
			read = true
		}
		if list, err = api.ResolveSaved(list, saved); err != nil {
			return err
		}
		*field = api.Set(list)
	}
	return nil
}
