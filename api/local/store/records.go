// Package store keeps the data of the service: records in an SQL database, and contents under their
// hash in a folder or an object store.
//
// Contents.Commit and Records.Update return nil only if what they wrote survives a power cut, and
// others see all of it or nothing. The service commits a content before the record that refers to
// it and never removes a content that a record refers to, so every record has its content.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mediadesk/api"
)

// ErrNotFound reports that a record or content does not exist.
var ErrNotFound = errors.New("not found")

// ErrExists reports that a path or name is taken.
var ErrExists = errors.New("already exists")

// Records keeps the records of a library. An implementation promises:
//
//   - Update runs one function at a time. All its writes become visible when Update returns nil,
//     and none if it returns an error. An error does not affect other updates.
//   - A function may be run several times. Only its last run counts, so it must not accumulate
//     results.
//   - When Update has returned nil, its writes survive a kill or power cut.
//   - View sees one consistent state and does not block updates for long.
//   - All methods are safe for concurrent use.
//
// A Tx must not be used after its function has returned.
type Records interface {
	Update(ctx context.Context, fn func(Tx) error) error
	View(ctx context.Context, fn func(Tx) error) error
	// Damage returns a line per defect of the database. It may take long.
	Damage(ctx context.Context) ([]string, error)
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

// Tx reads and writes within one Update or View; writing in a View is an error. Reading a missing
// record gives ErrNotFound.
type Tx interface {
	File(id string) (*File, error)
	FileAt(folder, name string) (*File, error)                // names compare as NFC
	InsertFile(f *File) error                                 // ErrExists if the path is taken
	UpdateFile(f *File) error                                 // all but id, folder and name; adds f.Version if new
	DeleteFile(id string) error                               // with all its versions; see Deletion
	MoveFile(id, folder, name string) error                   // ErrExists if another file has the path
	Version(id string) (*Version, error)                      // without embedded metadata
	Versions(fileID string) ([]Version, error)                // newest first, without embedded metadata
	CountVersions(fileID string) (count, last int, err error) // last is the highest number
	AddVersion(fileID string, v *Version) error               // does not make it current
	DeleteVersion(fileID, id string) error                    // ErrNotFound for the current one; see Deletion
	Publish(fileID string, published, all bool) error         // the current version, or all
	Embedded(versionID string) (map[string]json.RawMessage, error)
	Hashes(prefix string) (map[string]bool, error) // contents of all versions, by prefix
	Holdings(prefix string) ([]Holding, error)     // all versions whose hash begins with prefix, sorted by hash
	Contradictions() ([]File, error)               // files whose current version is missing or differs
	Unreadable() ([]string, error)                 // a line for each invalid record
	List(q Query) ([]Entry, error)

	Deletions() ([]Deletion, error)  // oldest first
	ForgetDeletion(d Deletion) error // missing ones are ignored
	// Retire records r, or returns false if a version uses the content. Afterwards adding a version
	// with it is a *RetiredError.
	Retire(r Removal) (bool, error)
	Removals() ([]Removal, error)  // oldest first
	ForgetRemoval(r Removal) error // only exactly this one; missing ones are ignored
	Created() (time.Time, error)   // when the records were created
	// Identity returns the identity of the library. If it has none it becomes fresh, which may be
	// empty.
	Identity(fresh string) (string, error)
	// UseStore makes the contents with that StoreMark those of the library, or returns false
	// because it has others. Those that MoveStore named replace them, unless an instance is
	// there.
	UseStore(mark string) (bool, error)
	// MoveStore lets the library use the contents with the StoreMark to instead of those
	// with the mark from. It returns false if its contents are others.
	MoveStore(from, to string) (bool, error)
	Empty() (bool, error) // reports whether there are no versions
	Clear() error         // deletes everything but the identity and format; see Deletion

	MakeFolder(path string, now time.Time) error // with missing parents; existing folders are no error
	FolderAt(path string) (*Folder, error)
	DeleteFolder(path string) error // with its contents; see Deletion

	// Meets reports whether members, compared as custom metadata are, meet a match
	// about MatchGiven.
	Meets(members map[string]any, m *Match) (bool, error)

	Fields(deleted bool) ([]Field, error)      // by name; deleted selects whether to include deleted ones
	AddField(f *Field) error                   // ErrExists if the name is taken, even by a deleted field
	UpdateField(f *Field) error                // label, description and schema
	DeleteField(id string, at time.Time) error // and its values in files; the name stays reserved

	Presets(kind string) ([]Preset, error) // oldest first; all kinds if kind is empty
	AddPreset(p *Preset) error
	UpdatePreset(p *Preset) error // all but kind, id and creation time
	DeletePreset(kind, id string) error

	AddRun(r *Run) error // sets r.ID
	Run(id int64) (*Run, error)
	UpdateRun(r *Run) error
	Runs(fileID string) ([]Run, error) // oldest first, without owners
	PendingRuns() ([]Run, error)       // oldest first

	Usage(start, end time.Time) (Usage, error)

	// Unfinished returns the numbers of pending runs and posts.
	Unfinished() (runs, posts int, err error)

	AddPost(p *Post) error // sets p.ID
	UpdatePost(p *Post) error
	DeletePost(id int64) error
	Posts() ([]Post, error)               // oldest first
	PostsOf(owner string) ([]Post, error) // oldest first

	// Present marks an instance as present for a span, by the database's clock.
	Present(id string, span time.Duration) error
	Absent(id string) error // removes an instance, or all if id is empty
	// Claim reports whether owner holds the exclusive work.
	Claim(work, owner string) (bool, error)
	// Adopt assigns to owner at most most pending runs and posts of absent instances. The runs
	// become awaited and are returned.
	Adopt(owner string, most int) ([]Run, error)

	KeepJob(j *Job) error // adds it or changes its body
	Job(id string) (*Job, error)
	DeleteJob(id string) error // missing ones are ignored
	// AdoptJobs assigns to owner at most most jobs of absent instances.
	AdoptJobs(owner string, most int) ([]Job, error)

	UseToken(hash string, expire, now time.Time) error // ErrExists if already used; forgets tokens that expired before now
}

// File is a stored file with its current version.
type File struct {
	ID          string // 24 hex digits
	Folder      string // as returned by api.CleanFolder
	Name        string
	Private     bool
	Tags        []string                   // may be nil
	AITags      []api.AITag                // may be nil
	Region      string                     // "x,y,width,height"; empty for none
	Metadata    map[string]json.RawMessage // custom metadata; may be nil
	Description string
	Version     Version
	Created     time.Time
	Updated     time.Time
}

// Path returns the path of the file in the library.
func (f *File) Path() string { return f.Folder + f.Name }

// Version is a content that a file has or had. The first version has the file's own id.
type Version struct {
	ID      string
	Root    string // the uploaded version that it derives from; its own ID if it was uploaded
	Number  int    // from 1
	Hash    string // of the content
	Facts          // found in the bytes
	Created time.Time
	// Unpublished versions are not delivered. Written with a new version; see Tx.Publish.
	Unpublished bool
	Embedded    map[string]json.RawMessage // stored with a new version; read with Tx.Embedded only
}

// Removal records that a content is being removed from a shared store, or with Done that it was. It
// is kept for a while, since an upload may have found the content just before.
type Removal struct {
	Hash string
	At   time.Time // of the start, or of the end if Done
	Done bool
}

// RetiredError refuses a version whose content is being removed. When that is done, commit the
// content again and forget the removal in the transaction that adds the version.
type RetiredError struct{ Removal Removal }

func (e *RetiredError) Error() string {
	return "the content " + e.Removal.Hash + " is being removed"
}

// Deletion schedules a content for removal. It is recorded by the transaction that removed its last
// version, and is the only permission to remove it.
type Deletion struct {
	Hash string
	At   time.Time // contents written later are kept
}

// Facts are properties found in the bytes of a content.
type Facts struct {
	Size     int64
	Mime     string
	Kind     string // api.KindImage or api.KindNonImage
	Width    int    // pixels as stored, before rotation; 0 if none or unknown
	Height   int
	HasAlpha bool
}

// Folder is a folder of the library.
type Folder struct {
	ID      string
	Path    string // as returned by api.CleanFolder
	Name    string
	Created time.Time
	Updated time.Time
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

	narrowed []condition // set by narrow
}

// Order is the sort key of a listing.
type Order string

// Orders of a listing; ties are sorted by folder, then by name.
const (
	ByName    Order = "name"
	ByCreated Order = "created"
	ByUpdated Order = "updated"
	ByHeight  Order = "height"
	ByWidth   Order = "width"
	BySize    Order = "size"

	// ByRelevance sorts short names last, since the searched words are a larger part of them.
	ByRelevance Order = "relevance"
)

// Match is one condition, or several joined ones.
type Match struct {
	All []Match // all of these
	Any []Match // or any of these

	Subject string // else: MatchName …
	Op      string // "=", ":" (begins with), "<", "<=", ">", ">=", "in", "has" (all words of Text[0], the last as the beginning of one), "exists"
	Text    []string
	Number  int64  // bytes, pixels or milliseconds
	Key     string // key of the metadata
	Values  []any  // to compare with: string, float64 or bool
	Not     bool
}

// Subjects of a Match.
const (
	MatchName      = "name"      // Text
	MatchKind      = "kind"      // Text
	MatchMime      = "mime"      // Text
	MatchTags      = "tags"      // Text, with "in": tags and AI tags
	MatchSize      = "size"      // Number, bytes
	MatchWidth     = "width"     // Number, pixels
	MatchHeight    = "height"    // Number, pixels
	MatchCreated   = "created"   // Number, milliseconds since 1970
	MatchUpdated   = "updated"   // Number, milliseconds since 1970
	MatchPrivate   = "private"   // Number, 0 or 1
	MatchRegion    = "region"    // Number, 0 or 1: has one
	MatchAlpha     = "alpha"     // Number, 0 or 1: has an alpha channel
	MatchID        = "id"        // Text
	MatchRow       = "row"       // Text: file, folder, file-version
	MatchFolder    = "folder"    // Text, a clean folder; ":" includes all below
	MatchText      = "text"      // Text: the description
	MatchFormat    = "format"    // Text: jpg, png …
	MatchCustom    = "custom"    // Key and Values: custom metadata
	MatchCamera    = "camera"    // Key and Values: embedded metadata
	MatchPublished = "published" // Number, 0 or 1: the version is published
	MatchGiven     = "given"     // Key and Values: what Tx.Meets was given
)

// Field is a custom metadata field. A key needs a field before files can have a value (service.md
// §2.1).
type Field struct {
	ID          string
	Name        string
	Label       string
	Description string
	Schema      json.RawMessage // a JSON object with a member "type"
	Deleted     time.Time       // zero if in use
}

// Preset is a named account setting: a saved extension or a named transformation.
type Preset struct {
	Kind    string
	ID      string // unique within its kind
	Name    string
	Body    json.RawMessage // a JSON object with its other members
	Created time.Time
	Updated time.Time
}

// PostTransformation is the name of runs that are no extensions: they make a
// post-transformation.
const PostTransformation = "post-transformation"

// Run is an extension run on a file.
type Run struct {
	ID        int64
	FileID    string
	VersionID string // the file's version at the time of the request
	Extension api.Extension
	Status    api.Status
	Error     string
	Webhook   string // empty for no post
	Awaited   bool   // the answer said "pending", so the result is posted
	Attempts  int    // attempts that did not finish
	Created   time.Time
	Finished  time.Time // zero while pending
	Owner     string    // the instance that works on it; set by Run and AddRun only
}

// Job is an unfinished folder job.
type Job struct {
	ID    string
	Owner string          // the instance that works on it
	Body  json.RawMessage // the job as JSON
}

// Usage is what a library uses.
type Usage struct {
	Bytes int64 // of all versions now
	Runs  int64 // runs requested in the period, of existing files
}

// Post is an undelivered webhook post.
type Post struct {
	ID       int64
	Address  string
	Body     []byte
	Attempts int
	Next     time.Time
	Created  time.Time
	Owner    string // the instance that sends it; set by AddPost only
}
