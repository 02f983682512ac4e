package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

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
		Dir: dir, Storage: settings.Local.Storage, Key: key, MaxSize: settings.Local.MaxSize, Commands: settings.Local.Commands, Named: settings.Local.Transformations,
		AllowAddresses: settings.Local.AllowAddresses, Seed: settings.Local.Seed, Database: settings.Local.Database,
	}
	if served.Fault, err = local.ParseFault(settings.Local.Fault); err != nil {
		return nil, fmt.Errorf("[local] of %s: %w", settings.Path, err)
	}
	address, library, err := serveOrFind(settings.Local.Addr, served)
	if err != nil {
		return nil, err
	}
	_, s.Serving = library.(*local.Server)
	s.onClose(func(context.Context) error { return library.Close() })
	profile.UploadURL, profile.BaseURL, profile.DeliveryURL = address, address, address
	return key, nil
}

// serveOrFind serves the library of a folder, or finds the process that does. The library runs
// until the session closes it, after everything that uses it.
func serveOrFind(addr string, o local.Options) (address string, library io.Closer, err error) {
	for range 3 {
		if address, ok := local.Find(o.Dir); ok {
			return address, local.StandBy(address, o), nil
		}
		var server *local.Server
		server, err = local.Serve(context.Background(), addr, o)
		var taken *net.OpError
		switch {
		case err == nil:
			return server.Address, server, nil
		case errors.As(err, &taken) && taken.Op == "listen":
			addr = "127.0.0.1:0" // the usual port is in use
		case !errors.Is(err, local.ErrInUse):
			return "", nil, err
		}
	}
	return "", nil, err
}
