// Package session is the application: it opens a profile, and does with it what
// the screens and the commands offer.
//
// Open wires the parts: the journal, the local service for the profile that uses
// it, the client, the watch and the queue. The methods of a Session combine them:
// they read a file and keep its record, change it and keep the way back, manage
// and download files, and write receipts of what was sent. The package knows
// nothing of terminals.
package session
