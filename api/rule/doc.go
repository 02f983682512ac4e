// Package rule has the rules of the service: what it accepts, and what it does with names, folders,
// tags, regions, custom metadata, extensions, transformations, search queries and files that are
// overwritten.
//
// The rules are pure functions. Forms and commands show them before anything is sent, and the local
// library enforces the same functions, so a prediction and what then happens cannot differ.
package rule
