package session

import (
	"context"
	"errors"
	"slices"
	"sync"

	"mediadesk/config"
)

// others holds open profiles other than the one in use.
type others struct {
	mu   sync.Mutex
	open map[string]*Session // by name
}

// Other opens another profile for reading. The result has a client and the journal of s, but no
// queue and no watch. It closes with s: do not close it. A key given for this run belongs to the
// profile in use, unless that is the local library.
func (s *Session) Other(ctx context.Context, name string) (*Session, error) {
	if name == s.Profile.Name {
		return s, nil
	}
	s.others.mu.Lock()
	defer s.others.mu.Unlock()
	if other := s.others.open[name]; other != nil {
		return other, nil
	}
	o := s.options
	o.Request = Request{Profile: name, KeyFD: -1}
	if s.Profile.Local {
		o.Key, o.KeyFD = s.options.Key, s.options.KeyFD
	} else if o.Keys != nil {
		o.Keys = o.Keys.OfProfiles()
	}
	settings, profile, err := load(o)
	if err != nil {
		return nil, err
	}
	other := &Session{Cache: s.Cache, Journal: s.Journal, options: o, ctx: s.ctx}
	if other.Profile, err = NewProfile(profile); err != nil {
		return nil, err
	}
	if err := other.openClient(ctx, o, settings, &profile); err != nil {
		return nil, errors.Join(err, other.Close(ctx))
	}
	if s.others.open == nil {
		s.others.open = map[string]*Session{}
	}
	s.others.open[name] = other
	return other, nil
}

// closeOthers closes what Other opened.
func (s *Session) closeOthers(ctx context.Context) error {
	s.others.mu.Lock()
	defer s.others.mu.Unlock()
	var errs []error
	for _, other := range s.others.open {
		errs = append(errs, other.Close(ctx))
	}
	s.others.open = nil
	return errors.Join(errs...)
}

// OtherProfiles returns the names of the profiles in the settings except the one in use.
func (s *Session) OtherProfiles() ([]string, error) {
	settings, err := config.Load(s.options.Paths)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(settings.Names(), func(name string) bool { return name == s.Profile.Name }), nil
}
