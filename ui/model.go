// Package ui is the root model. It selects the visible screen and routes messages.
package ui

import (
	"cmp"
	"context"
	"errors"
	"image"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/screen/library"
	"mediadesk/ui/screen/onboarding"
	"mediadesk/ui/screen/picker"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Options configure the program.
type Options struct {
	// Open opens a profile; "" means the one in use. A nil key must be looked up.
	Open func(ctx context.Context, profile string, key api.Key) (*session.Session, error)
	// First means that nothing is configured yet: the program asks before it opens or writes anything.
	First bool
	// Profile is the profile to open first; empty means the one in use.
	Profile string
	// Folder is the picker's first folder; empty means the working directory.
	Folder string
	// Sources are the sources from the command line. They go into the tray.
	Sources []api.Source
	// Samples writes sample pictures and returns the path of the one to begin with.
	Samples func() (string, error)
	// Theme names a theme; empty means "auto".
	Theme config.Theme
	// Pictures is how pictures are drawn; empty means as well as the terminal can.
	Pictures config.Pictures
	// Colors describes the number of colors and its reason. TmuxSixel means that the terminal around
	// tmux supports sixel.
	Colors    string
	TmuxSixel bool
	// Terminal is the program's terminal, used to get its size in pixels; nil skips that.
	Terminal *os.File
	// Paths are the program's files. Keys finds keys.
	Paths config.Paths
	Keys  *config.Keys
	// Getenv looks up environment variables, like os.Getenv.
	Getenv func(string) string
	// KeyMap has the user's keys by action ID. They must pass CheckKeys.
	KeyMap map[string][]string
	// Addresses are the flags that name the service if no profile does; otherwise nil.
	Addresses []string
	// Debug logs the type of every message.
	Debug bool
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Model is the root model. It holds the screens and routes messages to them.
type Model struct {
	o       Options
	size    image.Point
	theme   *theme.Theme
	ground  tea.BackgroundColorMsg // zero until the terminal reports it
	profile tea.ColorProfileMsg    // zero until the terminal reports it
	focused bool                   // the terminal has the focus

	session *session.Session
	ctx     context.Context
	stop    context.CancelFunc
	opening string // shown while a session opens; else empty
	notice  string // about the service; may be empty
	host    page.Host
	picker  *picker.Model
	loader  *picture.Loader

	detector  *picture.Detector
	abilities picture.Abilities

	runs      runCounts
	uploading uploading
	messages  *kit.Messages
	seen      page.Toast // the message that was shown at the last input
	ticking   bool
	lastQuit  time.Time
	hurried   bool // the user pressed ctrl+c twice

	tipsKnown bool     // the tips file has been read
	tipsShown []string // names of tips
}

// New returns the root model.
func New(o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{o: o, focused: true, messages: kit.NewMessages(o.Now)}
	m.loader = picture.NewLoader()
	if m.o.Getenv == nil {
		m.o.Getenv = func(string) string { return "" }
	}
	m.detector = picture.NewDetector(o.Pictures, m.o.Getenv)
	m.detector.Colors, m.detector.TmuxSixel = o.Colors, o.TmuxSixel
	m.abilities = m.detector.Abilities()
	m.loader.Store = picture.NewImageStore(m.o.Getenv("TMUX") != "")
	m.host.Program, m.host.Keys = m.programActions, o.KeyMap
	m.setTheme()
	return m
}

// Init queries the terminal's background and features and opens the first session.
func (m *Model) Init() tea.Cmd {
	terminal := tea.Batch(tea.RequestBackgroundColor, m.queryTerminal(),
		tea.Tick(sizeDelay, func(time.Time) tea.Msg { return tea.RequestWindowSize() }))
	if m.o.First {
		return tea.Batch(terminal, m.onboard(m.o.Profile, nil))
	}
	begin := m.begin(page.Picker, m.openPicker())
	return tea.Batch(begin, terminal, m.open(page.UseProfile{Name: m.o.Profile}))
}

// sizeDelay is how long Bubble Tea may miss a new size at its start, when a window manager arranges windows.
const sizeDelay = 200 * time.Millisecond

type sessionOpened struct {
	profile string
	show    page.ID
	session *session.Session
	err     error
}

func (m *Model) open(use page.UseProfile) tea.Cmd {
	old, keep := m.session, m.saver()
	if m.stop != nil {
		m.stop()
	}
	m.session, m.ctx, m.stop = nil, nil, nil
	m.opening = "Opening the library…"
	open := m.o.Open
	var clear tea.Cmd // of the terminal's pictures of a screen that ends with its session
	if l, ok := m.host.Screen(page.Library).(*library.Model); ok {
		clear = l.DeleteImages()
	}
	return tea.Batch(clear, func() tea.Msg {
		if old != nil {
			ctx, cancel := context.WithTimeout(context.Background(), session.CloseTimeout)
			defer cancel()
			var err error
			if keep != nil {
				err = keep(ctx)
			}
			if err = errors.Join(err, old.Close(ctx)); err != nil {
				return sessionOpened{profile: use.Name, err: err}
			}
		}
		d, err := open(context.Background(), use.Name, use.Key)
		return sessionOpened{profile: use.Name, show: use.Show, session: d, err: err}
	})
}

// ExitTimeout returns how long to wait for uploads: session.CloseTimeout minus a second for
// closing the rest, or 0 after two ctrl+c.
func (m *Model) ExitTimeout() time.Duration {
	return text.Either(m.hurried, 0, session.CloseTimeout-time.Second)
}

// opened starts using a session, or shows why it could not be opened.
func (m *Model) opened(msg sessionOpened) tea.Cmd {
	m.opening = ""
	if msg.err != nil {
		return m.onboard(msg.profile, msg.err)
	}
	m.session = msg.session
	m.ctx, m.stop = context.WithCancel(m.session.Context())
	m.runs, m.uploading = runCounts{}, uploading{seen: m.o.Now()}
	running := m.host.Screen(page.Picker)
	m.host.Reset()
	if running != nil {
		m.host.Keep(page.Picker, running)
	}
	m.notice = m.session.Profile.Notice
	cmds := []tea.Cmd{
		m.countRuns(), m.countJobs(), m.findDraft(),
		follow(m, m.session.Queue.Changes(), func(struct{}) tea.Cmd {
			return tea.Batch(m.host.Broadcast(page.JobsChanged{}), m.tick(), m.countJobs())
		}),
		follow(m, m.session.Watch.Changes(), func(struct{}) tea.Cmd {
			return tea.Batch(m.host.Broadcast(page.RunsChanged{}), m.tick(), m.countRuns())
		}),
		follow(m, m.session.Notices, func(notice string) tea.Cmd {
			m.notice = notice // of another process that serves the library now
			return nil
		}),
	}
	for _, s := range screens {
		if s.missing == "" && m.host.Screen(s.ID) == nil {
			cmds = append(cmds, m.begin(s.ID, s.open(m)))
		}
	}
	for _, warning := range m.session.Warnings {
		cmds = append(cmds, page.Send(page.Problem(warning)))
	}
	cmds = append(cmds, m.tick(), m.show(cmp.Or(msg.show, page.Picker), false), m.readTips())
	return tea.Batch(cmds...)
}

// onboard shows the screen for a first start (problem is nil) or for a profile that could not be
// opened.
func (m *Model) onboard(profile string, problem error) tea.Cmd {
	m.host.Reset()
	s := onboarding.New(onboarding.Options{
		Context: m.ctx, Paths: m.o.Paths, Keys: m.o.Keys, TryKey: session.TryKey, Getenv: m.o.Getenv,
		Problem: problem,
		Profile: profile, Loader: m.loader,
	})
	return tea.Batch(m.begin(page.Onboarding, s), m.host.Show(page.Onboarding, false))
}

// then returns a message whose function runs in Update if the session is still in use.
func (m *Model) then(d *session.Session, do func() tea.Cmd) tea.Msg {
	return page.Then(func() tea.Cmd {
		if d != m.session {
			return nil
		}
		return do()
	})
}

// follow calls do in Update for everything that a channel of the open session delivers.
func follow[T any](m *Model, channel <-chan T, do func(T) tea.Cmd) tea.Cmd {
	ctx, d := m.ctx, m.session
	return func() tea.Msg {
		select {
		case news, open := <-channel:
			if open {
				return m.then(d, func() tea.Cmd { return tea.Batch(do(news), follow(m, channel, do)) })
			}
		case <-ctx.Done():
		}
		return nil
	}
}

const tickInterval = 100 * time.Millisecond

func (m *Model) tick() tea.Cmd {
	if m.ticking || m.session == nil || !m.session.Queue.Busy() {
		return nil
	}
	m.ticking = true
	d := m.session
	return tea.Tick(tickInterval, func(time.Time) tea.Msg {
		return page.Then(func() tea.Cmd {
			m.ticking = false
			if d != m.session {
				return nil
			}
			return tea.Batch(m.host.Broadcast(page.Tick{}), m.tick())
		})
	})
}
