package journal

import (
	"context"

	"mediadesk/api"
)

// SentAs returns the newest upload that stored a file, and false where none of
// this journal did.
func (j *Journal) SentAs(ctx context.Context, profile, fileID string) (api.Job, bool, error) {
	var job api.Job
	found := false
	err := j.query(ctx, func(scan func(...any) error) error {
		var err error
		job, err = scanJob(scan)
		found = err == nil
		return err
	}, "SELECT id, body, record, updated, priority FROM jobs WHERE profile = ? AND file = ? AND state = ? ORDER BY id DESC LIMIT 1", profile, fileID, api.Stored)
	return job, found, err
}
