// Package entry defines what a user prepares: a new upload, or a change of a stored file.
//
// [Fields] is the one table of fields. Flags, manifests, presets, drafts, the text for an editor,
// the form, details updates and the local library are loops over it: a new field is a new row.
package entry
