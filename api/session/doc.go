// Package session is the application behind screens and commands. Open connects the parts for a
// profile: journal, client, local service, watch and queue. The methods of a Session combine them,
// for example changing a file and keeping the undo information. The package does not depend on a
// terminal.
package session
