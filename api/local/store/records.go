// Package store keeps what the service knows: records in a SQL database and
// contents as files that are named by their hash.
//
// The service reaches them through two interfaces, Records and Contents, so
// that it can run on a server database and an object store, too. What another
// implementation must promise stands at each. Above all: Contents.Commit and
// Records.Update return nil only when what they wrote outlives a power cut,
// and what they wrote is seen whole or not at all. The service commits a
// content before the record that points to it, and nobody removes a content
// that a record points to; so a record always has its content, whatever
// happens between the two.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mediadesk/api"
)

// ErrNotFound is the error for a record or content that does not exist.
var ErrNotFound = errors.New("not found")

// ErrExists is the error for a path or name that is taken.
var ErrExists = errors.New("exists already")

// Records keeps the records of a library. An implementation promises:
//
//   - Update runs one function at a time, in any goroutine; what it wrote
//     becomes visible all at once when Update returns nil, and not at all when
//     it returns an error, which others that are written with it do not get;
//   - a function may be run again from its beginning, and only what its last
//     run wrote counts; so what it leaves outside must be the last run's, too;
//   - when Update has returned nil, what it wrote outlives a kill and a power
//     cut;
//   - View sees one state, in which no Update is half done, and does not hold
//     up an Update for long;
//   - the functions may be called from several goroutines.
//
// A Tx must not be used after its function returned.
type Records interface {
	Update(ctx context.Context, fn func(Tx) error) error
	View(ctx context.Context, fn func(Tx) error) error
	// Damage says in lines what is broken in the database itself; none:
	// nothing is. It may take long.
	Damage(ctx context.Context) ([]string, error)
	Close() error
}

// View runs read as r.View does, and returns what its last run returned.
func View[T any](ctx context.Context, r Records, read func(Tx) (T, error)) (result T, err error) {
	err = r.View(ctx, func(tx Tx) error {
		result, err = read(tx)
		return err
	})
	return result, err
}

// Update runs change as r.Update does, and returns what its last run returned.
func Update[T any](ctx context.Context, r Records, change func(Tx) (T, error)) (result T, err error) {
	err = r.Update(ctx, func(tx Tx) error {
		result, err = change(tx)
		return err
	})
	return result, err
}

// Tx is what can be read and written within one Update or View; writing in a
// View is an error. Reading what is not there gives ErrNotFound.
type Tx interface {
	File(id string) (*File, error)
	FileAt(folder, name string) (*File, error)                // names compare as NFC
	InsertFile(f *File) error                                 // ErrExists where the place is taken
	UpdateFile(f *File) error                                 // all but id, folder and name; adds f.Version if it is a new one
	DeleteFile(id string) error                               // with all its versions; see Deletion
	MoveFile(id, folder, name string) error                   // moves or renames; ErrExists where another file has the place
	Version(id string) (*Version, error)                      // without what is embedded
	Versions(fileID string) ([]Version, error)                // newest first, without what is embedded
	CountVersions(fileID string) (count, last int, err error) // last: the highest number
	AddVersion(fileID string, v *Version) error               // one that is not the current one
	DeleteVersion(fileID, id string) error                    // ErrNotFound for the current one; see Deletion
	Embedded(versionID string) (map[string]json.RawMessage, error)
	Hashes(prefix string) (map[string]bool, error) // of the contents of all versions, those that begin with prefix
	Holdings(prefix string) ([]Holding, error)     // all versions whose hash begins with prefix, by hash
	Contradictions() ([]File, error)               // files whose current version is none of their versions, or another
	Unreadable() ([]string, error)                 // a line for each record that makes no sense
	List(q Query) ([]Entry, error)

	Deletions() ([]Deletion, error)  // oldest first
	ForgetDeletion(d Deletion) error // does nothing without one
	// Retire records r, or returns false because a version has the content. From
	// then on no version gets the content: writing one is a *RetiredError.
	Retire(r Removal) (bool, error)
	Removals() ([]Removal, error)  // oldest first
	ForgetRemoval(r Removal) error // does nothing without exactly this one
	Created() (time.Time, error)   // when these records were first made
	// Identity is that of the library in all its processes. A library without one gets
	// fresh; if that is empty, too, the identity is empty.
	Identity(fresh string) (string, error)
	// UseStore makes the contents with that StoreMark those of the library, or returns false
	// because it has others. Those that MoveStore named replace them, unless an instance is
	// there.
	UseStore(mark string) (bool, error)
	// MoveStore lets the library use the contents with the StoreMark to instead of those
	// with the mark from. It returns false if its contents are others.
	MoveStore(from, to string) (bool, error)
	Empty() (bool, error) // there is no version of any file
	Clear() error         // deletes everything but what is known of the records themselves; see Deletion

	MakeFolder(path string, now time.Time) error // with all that lead to it; nothing where it exists
	FolderAt(path string) (*Folder, error)
	DeleteFolder(path string) error // with everything in it; see Deletion

	// Meets reports whether members, compared as custom metadata are, meet a match
	// about MatchGiven.
	Meets(members map[string]any, m *Match) (bool, error)

	Fields(deleted bool) ([]Field, error)      // by name; with those that were deleted, or without
	AddField(f *Field) error                   // ErrExists where the name is taken, also by a deleted field
	UpdateField(f *Field) error                // label, description and schema
	DeleteField(id string, at time.Time) error // with the values that files have under it; its name stays taken

	Presets(kind string) ([]Preset, error) // oldest first; of an empty kind: all
	AddPreset(p *Preset) error
	UpdatePreset(p *Preset) error // all but its kind, id and time of creation
	DeletePreset(kind, id string) error

	AddRun(r *Run) error // sets r.ID
	Run(id int64) (*Run, error)
	UpdateRun(r *Run) error
	Runs(fileID string) ([]Run, error) // oldest first, without owners
	PendingRuns() ([]Run, error)       // oldest first

	Usage(start, end time.Time) (Usage, error)

	// Unfinished counts the pending runs and the posts.
	Unfinished() (runs, posts int, err error)

	AddPost(p *Post) error // sets p.ID
	UpdatePost(p *Post) error
	DeletePost(id int64) error
	Posts() ([]Post, error)               // oldest first
	PostsOf(owner string) ([]Post, error) // oldest first

	// Present says that the instance is there for a span, by the clock of the database.
	Present(id string, span time.Duration) error
	Absent(id string) error // the instance is not there any more; "": none is
	// Claim reports whether the owner has a work of which there is one at a time.
	Claim(work, owner string) (bool, error)
	// Adopt gives an owner pending runs, which are awaited from then on, and posts of
	// instances that are not there; at most so many of each. It returns the runs.
	Adopt(owner string, most int) ([]Run, error)

	KeepJob(j *Job) error // adds it, or changes its body
	Job(id string) (*Job, error)
	DeleteJob(id string) error // does nothing without one
	// AdoptJobs gives an owner jobs of instances that are not there, at most so many.
	AdoptJobs(owner string, most int) ([]Job, error)

	UseToken(hash string, expire, now time.Time) error // ErrExists for one that was used; forgets those that expired before now
}

// File is a stored file with its current version.
type File struct {
	ID          string // 24 hex digits
	Folder      string // as api.CleanFolder writes it
	Name        string
	Private     bool
	Tags        []string                   // nil: none
	AITags      []api.AITag                // nil: none
	Region      string                     // "x,y,width,height"; empty: none
	Metadata    map[string]json.RawMessage // custom metadata; nil: none
	Description string
	Version     Version
	Created     time.Time
	Updated     time.Time
}

// Path is where the file is in the library.
func (f *File) Path() string { return f.Folder + f.Name }

// Version is one content that a file has or had. The first version has the
// file's own id.
type Version struct {
	ID       string
	Root     string // the uploaded version that it descends from by extensions; its own ID where it was uploaded
	Number   int    // from 1
	Hash     string // of the content
	Facts           // what the bytes say
	Created  time.Time
	Embedded map[string]json.RawMessage // written with a new version, read with Tx.Embedded only
}

// Removal says that a content is being removed from a store that several instances
// share, or with Done that it was. It stays for a while, because an upload of the same
// content may have found it there just before.
type Removal struct {
	Hash string
	At   time.Time // when it began, or ended
	Done bool
}

// RetiredError refuses a version whose content is being removed. Once that is done,
// commit the content again and forget the removal in the transaction that writes the
// version.
type RetiredError struct{ Removal Removal }

func (e *RetiredError) Error() string {
	return "the content " + e.Removal.Hash + " is being removed"
}

// Deletion says that a content may be removed for good: the transaction that
// removed its last version from the records recorded it. Nothing else allows it.
type Deletion struct {
	Hash string
	At   time.Time // a content that was written later is another upload's
}

// Facts are what the bytes of a content say of it.
type Facts struct {
	Size     int64
	Mime     string
	Kind     string // api.KindImage or api.KindNonImage
	Width    int    // pixels as stored, before any turning; 0: none or not known
	Height   int
	HasAlpha bool
}

// Folder is a folder of the library.
type Folder struct {
	ID      string
	Path    string // as api.CleanFolder writes it
	Name    string
	Created time.Time
	Updated time.Time
}

// Entry is one row of a listing: exactly one of its members is set.
type Entry struct {
	File    *File
	Folder  *Folder
	Earlier *File // a file with a version of it that is not the current one
}

// Query says what to list.
type Query struct {
	Files, Folders bool
	Earlier        bool   // versions of files that are not the current ones
	Folder         string // one level; empty: everywhere
	Kind           string // api.KindImage, api.KindNonImage; empty: any
	Tags           []string
	Match          *Match // nil: everything
	Order          Order  // empty: ByCreated
	Descending     bool
	Skip, Limit    int

	narrowed []condition // found by narrow
}

// Order is the sort key of a listing.
type Order string

// The orders of a listing; ties go by folder, then by name.
const (
	ByName    Order = "name"
	ByCreated Order = "created"
	ByUpdated Order = "updated"
	ByHeight  Order = "height"
	ByWidth   Order = "width"
	BySize    Order = "size"

	// ByRelevance has the names last that are shortest: of those the words that were
	// searched for are the greatest part.
	ByRelevance Order = "relevance"
)

// Match is one condition, or several that are joined.
type Match struct {
	All []Match // all of these
	Any []Match // or any of these

	Subject string // else: MatchName …
	Op      string // "=", ":" (begins with), "<", "<=", ">", ">=", "in", "has" (all words of Text[0], the last as the beginning of one), "exists"
	Text    []string
	Number  int64  // bytes, pixels or milliseconds
	Key     string // of the metadata that are asked for
	Values  []any  // what they are compared with: string, float64 or bool
	Not     bool
}

// What a Match can ask for.
const (
	MatchName    = "name"    // Text
	MatchKind    = "kind"    // Text
	MatchMime    = "mime"    // Text
	MatchTags    = "tags"    // Text, with "in": tags and AI tags
	MatchSize    = "size"    // Number, bytes
	MatchWidth   = "width"   // Number, pixels
	MatchHeight  = "height"  // Number, pixels
	MatchCreated = "created" // Number, milliseconds since 1970
	MatchUpdated = "updated" // Number, milliseconds since 1970
	MatchPrivate = "private" // Number, 0 or 1
	MatchRegion  = "region"  // Number, 0 or 1: has one
	MatchAlpha   = "alpha"   // Number, 0 or 1: has an alpha channel
	MatchID      = "id"      // Text
	MatchRow     = "row"     // Text: file, folder, file-version
	MatchFolder  = "folder"  // Text, a cleaned folder; ":" means with all below
	MatchText    = "text"    // Text: the description
	MatchFormat  = "format"  // Text: jpg, png …
	MatchCustom  = "custom"  // Key and Values: custom metadata
	MatchCamera  = "camera"  // Key and Values: embedded metadata
	MatchGiven   = "given"   // Key and Values: what Tx.Meets was given
)

// Field is a custom metadata field: a key must be one before a file can have
// a value under it (service.md §2.1).
type Field struct {
	ID          string
	Name        string
	Label       string
	Description string
	Schema      json.RawMessage // a JSON object with a member "type"
	Deleted     time.Time       // zero: it is in use
}

// Preset is a setting of the account that has a name: a saved extension or a named
// transformation.
type Preset struct {
	Kind    string
	ID      string // unique within its kind
	Name    string
	Body    json.RawMessage // a JSON object with what else it has
	Created time.Time
	Updated time.Time
}

// Run is one extension at work on one file.
type Run struct {
	ID        int64
	FileID    string
	VersionID string // the file's version when it was asked for
	Extension api.Extension
	Status    api.Status
	Error     string
	Webhook   string // empty: no post
	Awaited   bool   // the answer said "pending", so the end is posted
	Attempts  int    // how often its work began without coming to an end
	Created   time.Time
	Finished  time.Time // zero while pending
	Owner     string    // the instance that works on it; Run and AddRun know it
}

// Job is a folder job of which some is done.
type Job struct {
	ID    string
	Owner string          // the instance that works on it
	Body  json.RawMessage // what is to be done
}

// Usage is what a library uses.
type Usage struct {
	Bytes int64 // of all versions now
	Runs  int64 // that were asked for in the time, of files that are still there
}

// Post is a webhook post that waits to be delivered.
type Post struct {
	ID       int64
	Address  string
	Body     []byte
	Attempts int
	Next     time.Time
	Created  time.Time
	Owner    string // the instance that sends it; AddPost knows it
}
