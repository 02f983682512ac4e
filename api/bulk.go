package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
)

// The maximum number of files per call (hosted-service.md §10).
const (
	maxTagged  = 50
	maxDeleted = 100
)

// AddTags adds tags to files, in calls of 50 files each. It returns an error, or nil, per file.
func (c *Client) AddTags(ctx context.Context, fileIDs, tags []string) []error {
	return c.bulk(ctx, "addTags", map[string]any{"tags": tags}, fileIDs, maxTagged)
}

// RemoveTags removes tags from files; see AddTags.
func (c *Client) RemoveTags(ctx context.Context, fileIDs, tags []string) []error {
	return c.bulk(ctx, "removeTags", map[string]any{"tags": tags}, fileIDs, maxTagged)
}

// DeleteFiles permanently deletes files, in calls of 100 files each. It returns an error, or nil,
// per file.
func (c *Client) DeleteFiles(ctx context.Context, fileIDs []string) []error {
	return c.bulk(ctx, "batch/deleteByFileIds", map[string]any{}, fileIDs, maxDeleted)
}

// bulk sends an operation on many files in batches. If a file is unknown, the service does nothing
// for its batch: bulk then repeats the call without that file.
func (c *Client) bulk(ctx context.Context, operation string, body map[string]any, fileIDs []string,
	most int,
) []error {
	errs := make([]error, len(fileIDs))
	var todo []int
	for i, id := range fileIDs {
		if errs[i] = checkID(id); errs[i] == nil {
			todo = append(todo, i)
		}
	}
	for portion := range slices.Chunk(todo, most) {
		for len(portion) > 0 {
			ids := make([]string, len(portion))
			for k, i := range portion {
				ids[k] = fileIDs[i]
			}
			body["fileIds"] = ids
			missing, err := c.bulkOnce(ctx, operation, body, func(id string, err error) {
				if i := slices.Index(fileIDs, id); i >= 0 {
					errs[i] = err
				}
			})
			if err == nil {
				break
			}
			rest := slices.DeleteFunc(slices.Clone(portion),
				func(i int) bool { return slices.Contains(missing, fileIDs[i]) })
			for _, i := range portion {
				if len(rest) == len(portion) || !slices.Contains(rest, i) {
					errs[i] = err
				}
			}
			if len(rest) == len(portion) {
				break
			}
			portion = rest
		}
	}
	return errs
}

// bulkOnce sends one batch. It calls failed for each file that the service reports as failed;
// missing are the files that the service does not know.
func (c *Client) bulkOnce(ctx context.Context, operation string, body map[string]any,
	failed func(id string, err error),
) (missing []string, err error) {
	var answer struct {
		Errors         []struct{ FileID, Error string }
		MissingFileIDs []string
	}
	err = c.Do(ctx, &answer)(newRequest(operation, http.MethodPost, files()+"/"+operation, body, nil))
	for _, e := range answer.Errors {
		status := http.StatusMultiStatus
		if slices.Contains(answer.MissingFileIDs, e.FileID) {
			status = http.StatusNotFound
		}
		failed(e.FileID, &ServiceError{Status: status, Message: e.Error})
	}
	if refusal, ok := errors.AsType[*ServiceError](err); ok {
		missing = refusal.MissingFileIDs
	}
	return missing, err
}
