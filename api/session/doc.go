// Package session is the application: what the screens and the commands have in
// common. It knows nothing of terminals.
package session
