// Package api is the client of a media library: the records that the service sends, the requests
// that it takes, and the errors.
//
// [Client.Upload] and [ChangeDetails] are the operations of the service's specification: upload
// (service.md §4.1) and update of file details (§4.2). Hosted services and the local library
// support the other requests, too. [Client.Do] sends one and [Client.Describe] shows it.
//
// The packages below know what may be in a request: rule has the rules of the service, job the
// states of an upload and of an extension, entry what a user prepares.
package api
