// Package api is the wire: the records of a media library, the rules that
// names, folders, tags and regions must follow, the errors, and the client.
//
// Everything here follows the two operations of the service's specification
// (upload, service.md §4.1, and update of file details, §4.2). The rules are pure
// functions, so that a form can show them while a person types and the local
// library can enforce the very same ones: StoredName, CleanFolder, CheckTags,
// ParseRegion, ParseExtensions, ParseMetadata, CheckSourceURL and
// Consequences.
//
// The package also holds the words that the parts around it share: Job, a
// single upload on its way to an Outcome, and Run, one extension at work on
// one file.
package api
