package journal

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"

	"mediadesk/api"
)

// keptUnmatched is the number of unmatched webhooks kept, newest first. A flood of them replaces only
// other unmatched webhooks.
const keptUnmatched = 500

// AddUnmatched saves unmatched webhooks, identical ones once. For a known address it fills in the
// profile and file and, without another reason, that the address had expired.
func (j *Journal) AddUnmatched(ctx context.Context, posts []api.UnmatchedPost) error {
	return j.change(ctx, func(t tx) error {
		for _, p := range posts {
			if err := addUnmatched(t, p); err != nil {
				return err
			}
		}
		_, err := t.exec("DELETE FROM strays WHERE id NOT IN (SELECT id FROM strays ORDER BY at DESC, id DESC LIMIT ?)", keptUnmatched)
		return err
	})
}

func addUnmatched(t tx, p api.UnmatchedPost) error {
	err := t.queryRow("SELECT profile, coalesce((SELECT file FROM jobs WHERE jobs.id = hooks.job), file) FROM hooks WHERE hash = ?", p.Hash[:]).Scan(&p.Profile, &p.FileID)
	switch {
	case err == nil && p.Reason == api.UnmatchedUnknown:
		p.Reason = api.UnmatchedExpired
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return err
	}
	if p.Reason != api.UnmatchedEvent { // events are signed
		p.Raw = p.Raw[:min(len(p.Raw), api.MaxUnmatchedBody)]
	}
	digest := sha256.Sum256(p.Raw)
	_, err = t.exec(`INSERT INTO strays (hash, digest, why, profile, file, extension, status, body, at, times)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (hash, digest) DO UPDATE SET times = times + excluded.times, at = max(at, excluded.at), why = excluded.why`,
		p.Hash[:], digest[:], p.Reason, p.Profile, p.FileID, p.Extension, p.Status, p.Raw, stamp(p.At), max(1, p.Times))
	return err
}

// Unmatched returns the webhooks without a run, newest first: those of the profile and those without a
// profile.
func (j *Journal) Unmatched(ctx context.Context, profile string) ([]api.UnmatchedPost, error) {
	return list(ctx, j, func(scan scan) (p api.UnmatchedPost, err error) {
		err = scan(asHash{&p.Hash}, &p.Reason, &p.Profile, &p.FileID, &p.Extension, &p.Status, &p.Raw, when{&p.At}, &p.Times)
		return p, err
	}, `SELECT hash, why, profile, file, extension, status, body, at, times FROM strays WHERE profile IN ('', ?1)
		UNION ALL
		SELECT hook, CASE
			WHEN place = '' THEN ?3
			WHEN said NOT IN ('', place) THEN ?4
			WHEN pending THEN ?3
			ELSE ?5 END,
			profile, place, extension, status, body, at, times
		FROM (SELECT p.hook, p.extension, p.status, p.body, p.at, p.times, p.file AS said, h.profile,
				coalesce((SELECT file FROM jobs WHERE jobs.id = h.job), h.file) AS place,
				h.job = 0 AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.profile = h.profile AND runs.file = h.file AND (runs.hook = h.hash OR runs.started >= h.made)) AS pending
			FROM posts p JOIN hooks h ON h.hash = p.hook WHERE p.run = 0 AND h.profile = ?1)
		ORDER BY 8 DESC LIMIT ?2`, profile, keptUnmatched, api.UnmatchedEarly, api.UnmatchedOtherFile, api.UnmatchedNoRun)
}
