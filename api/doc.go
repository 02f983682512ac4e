// Package api defines the records of a media library, the rules for names, folders, tags and
// regions, the errors, and the client.
//
// It implements the operations of the service's specification: upload (service.md §4.1) and update
// of file details (§4.2). The rules are pure functions, which both forms and the local library use:
// StoredName, CleanFolder, CheckTags, ParseRegion, ParseExtensions, ParseMetadata, CheckSourceURL
// and Consequences.
//
// The package also defines types that other packages share: Job, a single upload, and Run, one
// extension on one file.
// one file.
package api
