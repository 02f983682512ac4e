package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"
)

// Values of File.Type and File.FileType (service.md §2.1).
const (
	TypeFile     = "file"
	TypeFolder   = "folder"
	TypeVersion  = "file-version" // an earlier version of a file, in listings of hosted services
	KindImage    = "image"
	KindNonImage = "non-image"
)

// TimeLayout is the format of createdAt and updatedAt (service.md §2.1), in UTC.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// File is the record of a stored file, or of a folder in a listing (service.md §2.1).
//
// A service may omit any field but FileID: text is then empty, and a Field absent. A field of the
// wrong type counts as missing and does not invalidate the record.
type File struct {
	FileID            string                     `json:"fileId,omitempty"`
	Type              string                     `json:"type,omitempty"`
	Name              string                     `json:"name,omitempty"`
	FilePath          string                     `json:"filePath,omitempty"`
	URL               string                     `json:"url,omitempty"`
	ThumbnailURL      string                     `json:"thumbnailUrl,omitempty"` // in the answer to an upload
	Thumbnail         string                     `json:"thumbnail,omitempty"`    // in the answer to details
	FileType          string                     `json:"fileType,omitempty"`     // KindImage or KindNonImage
	Mime              string                     `json:"mime,omitempty"`
	Height            Field[int]                 `json:"height,omitzero"` // pixels, images only
	Width             Field[int]                 `json:"width,omitzero"`  // pixels, images only
	Size              Field[int64]               `json:"size,omitzero"`   // bytes
	HasAlpha          Field[bool]                `json:"hasAlpha,omitzero"`
	Tags              Field[[]string]            `json:"tags,omitzero"`   // null: none are set
	AITags            Field[[]AITag]             `json:"AITags,omitzero"` // null: none are set
	VersionInfo       *VersionInfo               `json:"versionInfo,omitempty"`
	IsPrivateFile     Field[bool]                `json:"isPrivateFile,omitzero"`
	IsPublished       Field[bool]                `json:"isPublished,omitzero"`       // hosted-service.md §12
	CustomCoordinates Field[string]              `json:"customCoordinates,omitzero"` // x,y,width,height or null
	CustomMetadata    map[string]json.RawMessage `json:"customMetadata,omitzero"`
	EmbeddedMetadata  map[string]json.RawMessage `json:"embeddedMetadata,omitzero"`

	// SelectedFieldsSchema are the schemas of the custom metadata fields that the file
	// can have, by name; only some services send them.
	SelectedFieldsSchema map[string]json.RawMessage `json:"selectedFieldsSchema,omitempty"`

	CreatedAt       string            `json:"createdAt,omitempty"`
	UpdatedAt       string            `json:"updatedAt,omitempty"`
	ExtensionStatus map[string]Status `json:"extensionStatus,omitempty"` // by extension name

	// ExtensionErrors are the reasons of failed extensions, by name. The local library sends them in
	// its answers, hosted services at most in webhooks.
	ExtensionErrors map[string]string `json:"extensionErrors,omitempty"`

	// FolderID and FolderPath name a folder in a listing of a hosted service.
	FolderID   string `json:"folderId,omitempty"`
	FolderPath string `json:"folderPath,omitempty"`

	// Other are the members without a field here, such as the description.
	Other Members `json:"-"`

	// Raw is the JSON that the service sent, or nil for a record from elsewhere.
	Raw json.RawMessage `json:"-"`
}

// AITag is a tag that an automatic-tagging extension found (service.md §2.1).
type AITag struct {
	Name       string  `json:"name"`
	Confidence float64 `json:"confidence"` // percent
	Source     string  `json:"source"`     // name of the extension
}

// VersionInfo names one version of a file (service.md §2.1, §9).
type VersionInfo struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// VersionID returns the id of the version, or "".
func (f *File) VersionID() string {
	if f.VersionInfo == nil {
		return ""
	}
	return f.VersionInfo.ID
}

// Status is the status of an extension on a file (service.md §3).
type Status string

// The three states of service.md §3. A service may answer others; they are shown as they are.
const (
	StatusPending Status = "pending" // will finish later
	StatusSuccess Status = "success" // applied
	StatusFailed  Status = "failed"  // failed and will not be retried
)

// Final reports whether the status can no longer change.
func (s Status) Final() bool { return s == StatusSuccess || s == StatusFailed }

// MarshalJSON encodes the members that are known.
func (f File) MarshalJSON() ([]byte, error) {
	type members File
	return marshalWith(members(f), f.Other)
}

// UnmarshalJSON reads a record. Unknown members stay in Raw; a member of the wrong type counts as
// missing. It fails only for text that is not a JSON object.
func (f *File) UnmarshalJSON(data []byte) error {
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(data, &sent); err != nil {
		return err
	}
	if sent == nil {
		return errors.New("the record is null, not an object")
	}
	*f = File{Raw: bytes.Clone(data), Other: without(sent, recordMembers)}
	record := reflect.ValueOf(f).Elem()
	for name, text := range sent {
		if i, ok := recordFields[name]; ok && json.Unmarshal(text, record.Field(i).Addr().Interface()) != nil {
			record.Field(i).SetZero() // json.Unmarshal leaves a partial value
		}
	}
	f.ExtensionStatus = readStatuses(sent["extensionStatus"])
	return nil
}

var recordMembers = membersOf[File]()

var recordFields = func() map[string]int {
	fields := maps.Clone(recordMembers)
	delete(fields, "selectedFieldsSchema") // entry.HostedFacts reads it
	return fields
}()

// IsRecordMember reports whether name is a member of File.
func IsRecordMember(name string) bool {
	_, ok := recordFields[name]
	return ok
}

// readStatuses returns the members that are texts.
func readStatuses(text json.RawMessage) (statuses map[string]Status) {
	_ = json.Unmarshal(text, &statuses) // other members are empty, and anything but an object has none
	maps.DeleteFunc(statuses, func(_ string, status Status) bool { return status == "" })
	return statuses
}

// IsFolder reports whether the record is of a folder.
func (f *File) IsFolder() bool { return f.Type == TypeFolder }

// IsImage reports whether the service classifies the file as an image.
func (f *File) IsImage() bool { return f.FileType == KindImage }

// ThumbURL returns the address of the thumbnail, under either of its names in the specification, or
// "".
func ThumbURL(f *File) string { return cmp.Or(f.ThumbnailURL, f.Thumbnail) }

// Members are members of a JSON object, of which a struct has no field.
type Members map[string]json.RawMessage

// Text returns a member that is a text, or "".
func (m Members) Text(name string) (text string) {
	_ = json.Unmarshal(m[name], &text)
	return text
}

// With returns the members with one replaced; nil removes it.
func (m Members) With(name string, value json.RawMessage) Members {
	with := maps.Clone(m)
	if delete(with, name); value != nil {
		if with == nil {
			with = Members{}
		}
		with[name] = value
	}
	return with
}

func without(object map[string]json.RawMessage, fields map[string]int) (other Members) {
	for name, value := range object {
		if _, ok := fields[name]; !ok {
			other = other.With(name, value)
		}
	}
	return other
}

func membersOf[T any]() map[string]int {
	fields := map[string]int{}
	for f := range reflect.TypeFor[T]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			fields[name] = f.Index[0]
		}
	}
	return fields
}

func marshalWith(object any, other Members) ([]byte, error) {
	text, err := json.Marshal(object)
	if err != nil || len(other) == 0 {
		return text, err
	}
	more, err := json.Marshal(other)
	if err == nil && len(text) > len("{}") {
		more = append(append(text[:len(text)-1], ','), more[1:]...)
	}
	return more, err
}

// MetadataField is a custom metadata field of the account (service.md §2.1) with its constraints.
type MetadataField struct {
	ID     string         `json:"id"`
	Name   string         `json:"name"`  // the key
	Label  string         `json:"label"` // for the user
	Schema MetadataSchema `json:"schema"`
	// Description is for users; may be empty.
	Description string `json:"description,omitempty"`
}

// MetadataSchema describes the values of a field. Bounds are raw JSON, because they are numbers or
// dates depending on the type.
type MetadataSchema struct {
	Type      string            `json:"type"`
	Options   []json.RawMessage `json:"selectOptions,omitempty"`
	MinValue  json.RawMessage   `json:"minValue,omitempty"`
	MaxValue  json.RawMessage   `json:"maxValue,omitempty"`
	MinLength *int              `json:"minLength,omitempty"` // characters; nil if unlimited
	MaxLength *int              `json:"maxLength,omitempty"`
	// Required means that every file has a value, and Default is the value if none is sent.
	Required bool            `json:"isValueRequired,omitempty"`
	Default  json.RawMessage `json:"defaultValue,omitempty"`
}
