package session

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/config"
)

// openLibrary starts the local library, or finds the process that serves it, and sets its address
// in the profile. If that process ends first, this one takes over.
func (s *Session) openLibrary(o Options, settings config.Config, profile *config.Profile) (api.Key, error) {
	dir := o.Paths.Library()
	text, _, err := local.FolderKey(dir)
	if err != nil {
		return nil, err
	}
	key, err := config.NewSecret(text)
	if err != nil {
		return nil, err
	}
	o.Secrets.Add(key)
	served := local.Options{
		Dir: dir, Storage: settings.Local.Storage, Key: key, MaxSize: settings.Local.MaxSize,
		Commands: settings.Local.Commands, Named: settings.Local.Transformations,
		AllowAddresses: settings.Local.AllowAddresses, Database: settings.Local.Database,
	}
	var address string
	var library io.Closer
	address, s.Busy, library, err = serveOrFind(settings.Local.Addr, served, s.noteFaults)
	if err != nil {
		return nil, err
	}
	_, s.Serving = library.(*local.Server)
	s.onClose(func(context.Context) error { return library.Close() })
	profile.UploadURL, profile.BaseURL, profile.DeliveryURL = address, address, address
	return key, nil
}

// noteFaults sends a notice about the faults of the process that serves the library. A notice that
// nobody has read yet is replaced.
func (s *Session) noteFaults(faults string) {
	select {
	case <-s.Notices:
	default:
	}
	s.Notices <- faultNotice(faults)
}

func faultNotice(faults string) string {
	if faults == "" {
		return ""
	}
	return "faults on: " + faults
}

// serveOrFind serves the library of a folder, or finds the process that does. The library runs
// until the session closes it, after everything that uses it. If another program has the usual
// address, busy says so, and the address depends on the folder alone while that one is free.
func serveOrFind(usual string, o local.Options,
	changed func(string),
) (address, busy string, library io.Closer, err error) {
	addr := usual
	for range 4 {
		if address, _, ok := local.Find(o.Dir); ok {
			return address, "", local.StandBy(address, o, changed), nil
		}
		var server *local.Server
		server, err = local.Serve(context.Background(), addr, o)
		var taken *net.OpError
		switch {
		case err == nil:
			return server.Address, busy, server, nil
		case errors.As(err, &taken) && taken.Op == "listen":
			if addr = "127.0.0.1:0"; busy == "" {
				addr, busy = fixedAddress(o.Dir), "another program uses "+usual
			}
		case !errors.Is(err, local.ErrInUse):
			return "", "", nil, err
		}
	}
	return "", "", nil, err
}

// fixedAddress returns an address that depends only on the folder of a library, so that it stays
// the same from command to command. Its port is below those that systems give to any connection.
func fixedAddress(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	sum := sha256.Sum256([]byte(dir))
	return fmt.Sprintf("127.0.0.1:%d", 20_000+binary.BigEndian.Uint32(sum[:])%10_000)
}
