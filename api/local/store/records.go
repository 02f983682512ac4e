// Package store keeps the data of the service: records in an SQL database, and contents under their
// hash in a folder or an object store.
//
// Draft.Commit and Records.Update return nil only if what they wrote survives a power cut, and
// others see all of it or nothing. The service commits a content before the record that refers to
// it and never removes a content that a record refers to, so every record has its content.
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// ErrNotFound reports that a record or content does not exist.
var ErrNotFound = errors.New("not found")

// ErrExists reports that a path or name is taken.
var ErrExists = errors.New("already exists")

// Replaced returns by, which may be nil, if err is what; else err.
func Replaced(err, what, by error) error {
	if errors.Is(err, what) {
		return by
	}
	return err
}

// Records keeps the records of a library. An implementation promises:
//
//   - Update runs one function at a time. All its writes become visible when Update returns nil,
//     and none if it returns an error. An error does not affect other updates.
//   - A function may be run several times. Only its last run counts, so it must not accumulate
//     results.
//   - When Update has returned nil, its writes survive a kill or power cut.
//   - View sees one consistent state and does not block updates for long.
//   - All methods are safe for concurrent use.
type Records interface {
	Update(ctx context.Context, fn func(Tx) error) error
	View(ctx context.Context, fn func(Tx) error) error
	Close() error
}

// View runs read in r.View and returns the result of its last run.
func View[T any](ctx context.Context, r Records, read func(Tx) (T, error)) (result T, err error) {
	err = r.View(ctx, func(tx Tx) error {
		result, err = read(tx)
		return err
	})
	return result, err
}

// Update runs change in r.Update and returns the result of its last run.
func Update[T any](ctx context.Context, r Records, change func(Tx) (T, error)) (result T, err error) {
	err = r.Update(ctx, func(tx Tx) error {
		result, err = change(tx)
		return err
	})
	return result, err
}

// File is a stored file with its current version.
type File struct {
	ID          string                     `db:"id,key"` // 24 hex digits
	Folder      string                     `db:"folder"` // as returned by rule.CleanFolder
	Name        string                     `db:"name"`
	Private     bool                       `db:"private"`
	Tags        []string                   `db:"tags"`     // may be nil
	AITags      []api.AITag                `db:"ai_tags"`  // may be nil
	Region      string                     `db:"region"`   // "x,y,width,height"; empty for none
	Metadata    map[string]json.RawMessage `db:"metadata"` // custom metadata; may be nil
	Description string                     `db:"description"`
	Version     Version
	Created     time.Time `db:"created,once"`
	Updated     time.Time `db:"updated"`
}

// Path returns the path of the file in the library.
func (f *File) Path() string { return f.Folder + f.Name }

// Text returns the column of a stored text, such as Description for description, or nil.
func (f *File) Text(field string) *string {
	column := reflect.ValueOf(f).Elem().FieldByNameFunc(func(name string) bool {
		return strings.EqualFold(name, field)
	})
	if !column.IsValid() {
		return nil
	}
	text, _ := column.Addr().Interface().(*string)
	return text
}

// Version is a content that a file has or had. The first version has the file's own id.
type Version struct {
	ID      string    `db:"id,key" file:"version_id"`
	Root    string    `db:"root"`                  // the uploaded version that it derives from, or itself
	Number  int       `db:"number" file:"version"` // from 1
	Hash    string    `db:"hash"`                  // of the content
	Facts             // found in the bytes
	Created time.Time `db:"created" file:"version_at"`
	// Unpublished versions are not delivered. Written with a new version; see Versions.Publish.
	Unpublished bool                       `db:"unpublished"`
	Embedded    map[string]json.RawMessage `db:"embedded,separate" file:"-"` // only read by Versions.Embedded
}

// Removal records that a content is being removed from a shared store, or with Done that it was. It
// is kept for a while, since an upload may have found the content just before.
type Removal struct {
	Hash string    `db:"hash,key"`
	At   time.Time `db:"at,key"` // of the start, or of the end if Done
	Done bool      `db:"done,key"`
}

// RetiredError refuses a version whose content is being removed. When that is done, commit the
// content again and forget the removal in the transaction that adds the version.
type RetiredError struct{ Removal Removal }

func (e *RetiredError) Error() string {
	return "the content " + e.Removal.Hash + " is being removed"
}

// Deletion, by the transaction that removed its last version, is what allows to remove a content.
type Deletion struct {
	Hash string    `db:"hash,key"`
	At   time.Time `db:"at,key"` // contents written later are kept
}

// Facts are properties found in the bytes of a content.
type Facts struct {
	Size     int64  `db:"size"`
	Mime     string `db:"mime"`
	Kind     string `db:"kind"`  // api.KindImage or api.KindNonImage
	Width    int    `db:"width"` // pixels as stored, before rotation; 0 if none or unknown
	Height   int    `db:"height"`
	HasAlpha bool   `db:"has_alpha"`
}

// Folder is a folder of the library.
type Folder struct {
	ID      string    `db:"id,key"`
	Path    string    `db:"path"` // as returned by rule.CleanFolder
	Name    string    `db:"name"`
	Created time.Time `db:"created,once"`
	Updated time.Time `db:"updated"`
}

// Entry is a row of a listing; exactly one member is set.
type Entry struct {
	File    *File
	Folder  *Folder
	Earlier *File // a file with a version that is not current
}

// Query selects what to list.
type Query struct {
	Files, Folders bool
	Earlier        bool   // versions that are not current
	Folder         string // one level; empty for all folders
	Kind           string // api.KindImage, api.KindNonImage or empty for all
	Tags           []string
	Match          *Match // nil for all
	Order          Order  // empty for ByCreated
	Descending     bool
	Skip, Limit    int

	// With ByName ascending, only files after this place: pages stay right while files come and go.
	AfterName, AfterFolder string
}

// Order is the sort key of a listing: one of rule.Sorts in lower case. Ties are sorted by folder, then
// by name.
type Order string

// The orders that the library itself names.
const (
	ByName    Order = "name"
	ByCreated Order = "created"

	// ByRelevance sorts short names last, since the searched words are a larger part of them.
	ByRelevance Order = "relevance"
)

// Match is one condition, or several joined ones.
type Match struct {
	All []Match // all of these
	Any []Match // or any of these

	Subject string // else: MatchName …
	// Op is "=", ":" (begins with), "<", "<=", ">", ">=", "in", "exists" or "has" (all words of
	// Values[0], the last as the beginning of one).
	Op     string
	Key    string // key of the metadata
	Values []any  // to compare with: strings and numbers
	Not    bool
}

// Subjects of a Match.
const (
	MatchName      = "name"
	MatchTags      = "tags"      // with "in": tags and AI tags
	MatchSize      = "size"      // bytes
	MatchWidth     = "width"     // pixels
	MatchHeight    = "height"    // pixels
	MatchCreated   = "created"   // milliseconds since 1970
	MatchUpdated   = "updated"   // milliseconds since 1970
	MatchPrivate   = "private"   // 0 or 1
	MatchAlpha     = "alpha"     // 0 or 1: has an alpha channel
	MatchID        = "id"        // 24 hex digits
	MatchRow       = "row"       // file, folder, file-version
	MatchFolder    = "folder"    // a clean folder; ":" includes all below
	MatchFormat    = "format"    // jpg, png …
	MatchCustom    = "custom"    // with Key: custom metadata
	MatchCamera    = "camera"    // with Key: embedded metadata
	MatchPublished = "published" // 0 or 1: the version is published
	MatchGiven     = "given"     // with Key: what Files.Meets was given
)

// Field is a custom metadata field; files have values of existing ones only (service.md §2.1).
type Field struct {
	ID          string          `db:"id,key" json:"id"`
	Name        string          `db:"name,once" json:"name"`
	Label       string          `db:"label" json:"label"`
	Description string          `db:"description" json:"description,omitempty"`
	Schema      json.RawMessage `db:"schema" json:"schema"` // an object with a member "type"
	Deleted     time.Time       `db:"deleted" json:"-"`     // zero if in use
}

// Preset is a named account setting: a saved extension or a named transformation.
type Preset struct {
	Kind    string          `db:"kind,key"`
	ID      string          `db:"id,key"` // unique within its kind
	Name    string          `db:"name"`
	Body    json.RawMessage `db:"body"` // a JSON object with its other members
	Created time.Time       `db:"created,once"`
	Updated time.Time       `db:"updated"`
}

// Run is an extension run on a file.
type Run struct {
	ID        int64         `db:"id,key"`
	FileID    string        `db:"file_id,once"`
	VersionID string        `db:"version_id,once"` // the file's version at the time of the request
	Extension api.Extension `db:"extension,once"`
	Status    api.Status    `db:"status"`
	Error     string        `db:"error"`
	Webhook   string        `db:"webhook,once"` // empty for no post
	Awaited   bool          `db:"awaited"`      // the answer said "pending", so the result is posted
	Attempts  int           `db:"attempts"`     // attempts that did not finish
	Created   time.Time     `db:"created,once"`
	Finished  time.Time     `db:"ended"`      // zero while pending
	Owner     string        `db:"owner,once"` // the instance that works on it; set by Tx.Add only
}

// Job is an unfinished folder job.
type Job struct {
	ID    string          `db:"id,key"`
	Owner string          `db:"owner,once"` // the instance that works on it
	Body  json.RawMessage `db:"body"`       // the job as JSON
}

// Post is an undelivered webhook post.
type Post struct {
	ID       int64     `db:"id,key"`
	Address  string    `db:"address,once"`
	Body     []byte    `db:"body,once"`
	Attempts int       `db:"attempts"`
	Next     time.Time `db:"next"`
	Created  time.Time `db:"created,once"`
	Owner    string    `db:"owner,once"` // the instance that sends it; set by Tx.Add only
}

// Library reads and writes what is there once: the identity, and what counts for all.
type Library struct{ session }

// Identity returns the identity of the library. If it has none it becomes fresh, or "".
func (t Library) Identity(fresh string) (identity string, err error) {
	identity, err = value[string](t.session, "SELECT identity FROM library")
	if err == nil && identity == "" && fresh != "" {
		identity = fresh
		_, err = t.exec("UPDATE library SET identity = ?", fresh)
	}
	return identity, err
}

// Created returns when the records were created.
func (t Library) Created() (at time.Time, err error) {
	return at, t.scan([]any{milliseconds{&at}}, "SELECT created FROM library")
}

// Empty reports whether there are no versions.
func (t Library) Empty() (bool, error) {
	return value[bool](t.session, "SELECT NOT EXISTS (SELECT 1 FROM versions)")
}

// cleared lists the tables that Clear empties, besides versions.
var cleared = []string{"files", "folders", "fields", "presets", "runs", "outbox", "tokens", "jobs"}

// Clear deletes everything but the identity and the format; see Deletion.
func (t Library) Clear() error {
	_, err := Versions(t).delete("TRUE")
	for _, table := range cleared {
		if err == nil {
			_, err = t.exec("DELETE FROM " + table)
		}
	}
	return err
}

// Usage returns the bytes of all versions now, and the number of runs requested in a period.
func (t Library) Usage(start, end time.Time) (bytes, runs int64, err error) {
	return bytes, runs, t.scan([]any{&bytes, &runs}, "SELECT coalesce(sum(size), 0), (SELECT count(*) FROM runs "+
		"WHERE created >= ? AND created < ?) FROM versions", start.UnixMilli(), end.UnixMilli())
}

// withoutKey removes one key from the metadata of a file.
const withoutKey = "json_remove(metadata, (SELECT fullkey FROM json_each(files.metadata) WHERE key = ?))"

// DeleteField deletes a custom metadata field and its values in files. The name stays reserved.
func (t Library) DeleteField(id string, at time.Time) error {
	f, err := get[Field](t.session, "id = ? AND deleted = 0", id)
	if err != nil {
		return err
	}
	if _, err := t.exec("UPDATE fields SET deleted = ? WHERE id = ?", at.UnixMilli(), id); err != nil {
		return err
	}
	// Only fields in use can have values.
	_, err = t.exec(`UPDATE files SET metadata = nullif(`+withoutKey+`, '{}')
		WHERE metadata IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(files.metadata) WHERE key = ?)`,
		f.Name, f.Name)
	return err
}

// UseToken uses a token up; ErrExists if it was. It forgets tokens that expired before now.
func (t Library) UseToken(hash string, expire, now time.Time) error {
	if _, err := t.exec("DELETE FROM tokens WHERE expire < ?", now.UnixMilli()); err != nil {
		return err
	}
	return t.change(ErrExists, "INSERT INTO tokens (hash, expire) VALUES (?,?) ON CONFLICT DO NOTHING", hash, expire.UnixMilli())
}

// State is what the records of a library hold, without runs, posts and jobs: rows by table.
type State map[string][]map[string]any

// State returns the state of the library.
func (t Library) State() (State, error) {
	s := State{}
	for _, table := range []string{"folders", "files", "versions", "fields", "presets"} {
		err := t.each(func(rows *sql.Rows) error {
			names, err := rows.Columns()
			values, into := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				into[i] = &values[i]
			}
			err = errors.Join(err, rows.Scan(into...))
			row := map[string]any{}
			for i, name := range names {
				row[name] = values[i]
			}
			s[table] = append(s[table], row)
			return err
		}, "SELECT * FROM "+table)
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Restore adds a state to an empty library.
func (t Library) Restore(s State) error {
	for table, rows := range s {
		for _, row := range rows {
			names := slices.Sorted(maps.Keys(row))
			values := rule.Mapped(names, func(name string) any { return row[name] })
			query := "INSERT INTO " + table + " (" + strings.Join(names, ", ") + ")" +
				" VALUES (" + places(len(names)) + ")"
			if _, err := t.exec(query, values...); err != nil {
				return err
			}
		}
	}
	return nil
}

// Instances reads and writes which processes serve the library, and what each of them works on.
type Instances struct{ session }

// present selects the present instances.
const present = "(SELECT id FROM instances WHERE until > " + now + ")"

// unlocked ends a query for rows that no other transaction has locked, for PostgreSQL.
const unlocked = "LIMIT ?+0 /* unlocked */"

// Present marks an instance as present for ttl, by the database's clock.
func (t Instances) Present(id string, ttl time.Duration) error {
	_, err := t.exec("INSERT INTO instances (id, until) VALUES (?, "+now+" + CAST(? AS BIGINT)) ON CONFLICT (id) DO UPDATE SET until = excluded.until",
		id, ttl.Milliseconds())
	return err
}

// Absent removes an instance, or all if id is empty.
func (t Instances) Absent(id string) error {
	_, err := t.exec("DELETE FROM instances WHERE id = ? OR ? = ''", id, id)
	return err
}

// Claim reports whether owner holds the exclusive work.
func (t Instances) Claim(work, owner string) (bool, error) {
	n, err := t.exec("INSERT INTO claims (work, owner) VALUES (?, ?) ON CONFLICT (work) DO UPDATE SET owner = excluded.owner"+
		" WHERE claims.owner = excluded.owner OR claims.owner NOT IN "+present, work, owner)
	return n > 0, err
}

// Posts returns up to most posts of an owner, those that are due first.
func (t Instances) Posts(owner string, most int) ([]Post, error) {
	query := "SELECT " + tableFor[Post]().read + " FROM outbox WHERE owner = ? ORDER BY next, id LIMIT ?+0"
	return records[Post](t.session, query, owner, most)
}

// Adopt gives owner up to most pending runs, posts and jobs of absent instances, all awaited. It
// returns the jobs.
func (t Instances) Adopt(owner string, most int) (jobs []Job, err error) {
	left := func(table, condition, change string) string {
		return "UPDATE " + table + " SET owner = ?" + change + " WHERE id IN (SELECT id FROM " + table + " WHERE " + condition + "owner NOT IN " + present + " ORDER BY id " + unlocked + ")"
	}
	if _, err := t.exec(left("outbox", "", ""), owner, most); err != nil {
		return nil, err
	}
	jobs, err = records[Job](t.session, left("jobs", "", "")+" RETURNING "+tableFor[Job]().read, owner, most)
	if err == nil {
		_, err = t.exec(left("runs", "status = 'pending' AND ", ", awaited = 1"), owner, most)
	}
	return jobs, err
}
