package watch

import (
	"context"
	"crypto/sha256"
	"strings"

	"mediadesk/api"
)

// Asked records the runs that a details update began. address is the result of FileAddress and may
// be empty; answer is the returned record, or nil if the request may have arrived but no answer
// came.
func (w *Watch) Asked(ctx context.Context, profile, fileID string, asked []api.Extension, address string, answer *api.File) error {
	if len(asked) == 0 {
		return w.Answered(ctx, profile, answer, false)
	}
	runs := api.RunsAsked(profile, fileID, asked, answer, w.o.Now())
	if answer == nil {
		if err := w.locateRuns(ctx, runs); err != nil {
			return err
		}
	}
	if i := strings.LastIndex(address, hookPath); i >= 0 {
		hash := sha256.Sum256([]byte(address[i+len(hookPath):]))
		for i := range runs {
			runs[i].Webhook, runs[i].Hook = true, hash
		}
	}
	return w.begin(ctx, runs)
}

// Canceled ends the pending runs of an extension on a file, after the service canceled them.
func (w *Watch) Canceled(ctx context.Context, profile, fileID, extension string) error {
	runs, err := w.o.Journal.Runs(ctx, api.RunFilter{Profile: profile, FileID: fileID, Pending: true})
	if err != nil {
		return err
	}
	for _, run := range runs {
		if run.Extension != extension {
			continue
		}
		run.Status, run.From, run.At, run.Error = api.StatusFailed, api.FromAnswer, w.o.Now(), api.RunCanceled
		if _, err := w.o.Journal.ApplyRun(ctx, run); err != nil {
			return err
		}
	}
	w.signal()
	return nil
}

// locateRuns sets the file paths of runs, as far as earlier runs know them.
func (w *Watch) locateRuns(ctx context.Context, runs []api.Run) error {
	before, err := w.o.Journal.Runs(ctx, api.RunFilter{Profile: runs[0].Profile, FileID: runs[0].FileID, Limit: 1})
	if err != nil || len(before) == 0 {
		return err
	}
	for i := range runs {
		runs[i].FilePath = before[0].FilePath
	}
	return nil
}
