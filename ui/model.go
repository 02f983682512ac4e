// Package ui is the root model. It selects the visible screen and routes messages.
package ui

import (
	"context"
	"errors"
	"image"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/screen/library"
	"mediadesk/ui/screen/picker"
	"mediadesk/ui/terminal"
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
	// Theme names a built-in theme or one of Themes, the user's own; empty means "auto".
	Theme  config.Theme
	Themes map[config.Theme]config.OwnTheme
	// Pictures is how pictures are drawn; empty means as well as the terminal can.
	Pictures picture.Setting
	// Colors describes the number of colors and its reason. TmuxSixel means that the terminal around tmux supports sixel.
	Colors    string
	TmuxSixel bool
	// Pane returns the position of the tmux pane on the terminal; nil means the top left corner.
	Pane func() image.Point
	// Previews caches slow previews; nil disables the cache.
	Previews *picture.Cache
	// Terminal is the program's terminal, used to get its size in pixels; nil skips that.
	Terminal *os.File
	// Signal is how the program notifies a user who is elsewhere; empty means the bell.
	Signal config.Signal
	// Paths are the program's files. Keys finds keys.
	Paths config.Paths
	Keys  *config.Keys
	// Getenv looks up environment variables, like os.Getenv.
	Getenv func(string) string
	// KeyMap has the user's keys. They must pass CheckKeys.
	KeyMap []KeySetting
	// Addresses are the flags that name the service if no profile does; otherwise nil.
	Addresses []string
	// Signals reports stop signals; nil disables them.
	Signals *terminal.Signals
	// Stopping tells the process that manages the terminal that this process stops now; nil means there is none.
	Stopping func()
	// Debug logs the type of every message.
	Debug bool
	// Version is the program's version.
	Version string
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
	ctx     context.Context //nolint:containedctx // of the session: it ends what the screens have under way
	stop    context.CancelFunc
	opening string // shown while a session opens; else empty
	host    page.Host
	picker  *picker.Model
	loader  *picture.Loader
	images  *picture.ImageStore
	pixels  bool // the terminal reports the mouse in pixels

	detector  *picture.Detector
	abilities picture.Abilities

	wave      wave
	uploading uploading
	messages  *kit.Messages
	stack     stack
	ticking   bool
	lastQuit  time.Time
	hover     int  // the number of the tab under the mouse, from 1; 0 if none
	keysTold  bool // the old key names have been reported
	hurried   bool // the user pressed ctrl+c twice

	tipsKnown bool     // the tips file has been read
	tipsShown []string // names of tips
}

// New returns the root model.
func New(o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{o: o, focused: true, messages: kit.NewMessages(o.Now), loader: picture.NewLoader(media.Limits{})}
	if m.o.Getenv == nil {
		m.o.Getenv = func(string) string { return "" }
	}
	m.detector = picture.NewDetector(o.Pictures, m.o.Getenv, true)
	m.detector.Colors, m.detector.TmuxSixel = o.Colors, o.TmuxSixel
	m.abilities = m.detector.Abilities()
	m.images = picture.NewImageStore(m.o.Getenv("TMUX") != "")
	m.images.Pane = o.Pane
	m.loader.Store, m.loader.Cache = m.images, o.Previews
	m.host.Program, m.host.Keys = m.programActions, keysByID(o.KeyMap)
	m.setTheme()
	return m
}

// Session returns the open session, or nil.
func (m *Model) Session() *session.Session { return m.session }

// Init queries the terminal's background and features and opens the first session.
func (m *Model) Init() tea.Cmd {
	if m.o.First {
		return tea.Batch(tea.RequestBackgroundColor, m.askTerminal(), m.welcome(m.o.Profile, nil))
	}
	return tea.Batch(m.startPicker(), tea.RequestBackgroundColor, m.askTerminal(), m.open(page.UseProfile{Name: m.o.Profile}))
}

// sessionOpened is the result of open.
type sessionOpened struct {
	profile string
	show    page.ID
	session *session.Session
	err     error
}

// open closes the current session and opens another in the background.
func (m *Model) open(use page.UseProfile) tea.Cmd {
	old, keep := m.session, m.keep()
	if m.stop != nil {
		m.stop()
		m.stop = nil
	}
	m.session = nil
	m.opening = "Opening the library…"
	open := m.o.Open
	return tea.Batch(m.closeScreens(), func() tea.Msg {
		if old != nil {
			ctx, cancel := context.WithTimeout(context.Background(), session.CloseTime)
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

// closeScreens deletes the terminal's pictures of screens that end with their session.
func (m *Model) closeScreens() tea.Cmd {
	if l, ok := m.host.Screen(page.Library).(*library.Model); ok {
		return l.DeleteImages()
	}
	return nil
}

// Patience returns how long to wait for uploads: session.CloseTime minus a second for closing the rest, or 0 after two ctrl+c.
func (m *Model) Patience() time.Duration {
	if m.hurried {
		return 0
	}
	return session.CloseTime - time.Second
}

// opened starts using a session, or shows why it could not be opened.
func (m *Model) opened(msg sessionOpened) tea.Cmd {
	m.opening = ""
	if msg.err != nil {
		return m.welcome(msg.profile, msg.err)
	}
	m.session = msg.session
	m.ctx, m.stop = context.WithCancel(m.session.Context())
	m.wave, m.uploading = wave{}, uploading{seen: m.o.Now()}
	reading := m.startPicker()
	picking := m.host.Screen(page.Picker)
	m.host.Reset()
	m.host.Keep(page.Picker, picking)
	cmds := []tea.Cmd{reading, listen(m.ctx, m.session), countRuns(m.session), m.countJobs(0), findDraft(m.ctx, m.session)}
	for id, s := range m.tabScreens() {
		cmds = append(cmds, m.greet(id, s))
	}
	cmds = append(cmds, m.host.Tell(picking, page.JobsChanged{})) // jobs of the new library
	if notes := OldNames(m.o.KeyMap); len(notes) > 0 && !m.keysTold {
		m.keysTold = true
		cmds = append(cmds, page.Send(page.Toast{Level: page.Info, Text: notes[0], Detail: strings.Join(notes, "\n")}))
	}
	cmds = append(cmds, m.tick(), m.show(msg.show, false), m.readTips())
	return tea.Batch(cmds...)
}

// greet adds and starts a screen and tells it about the terminal.
func (m *Model) greet(id page.ID, s page.Screen) tea.Cmd {
	return tea.Batch(
		m.host.Add(id, s),
		m.host.Tell(s, tea.WindowSizeMsg{Width: m.size.X, Height: m.size.Y}),
		m.host.Tell(s, m.profile),
		m.host.Tell(s, m.abilities),
	)
}

// welcome shows the onboarding screen.
func (m *Model) welcome(profile string, problem error) tea.Cmd {
	m.host.Reset()
	return tea.Batch(m.greet(page.Onboarding, m.onboarding(profile, problem)), m.host.Show(page.Onboarding, false))
}

// listen waits for changes of the queue and the watch. Each reply is one change, after which the root waits again.
func listen(ctx context.Context, d *session.Session) tea.Cmd {
	return tea.Batch(waitChange(ctx, d, d.Queue.Changes(), page.JobsChanged{}), waitChange(ctx, d, d.Watch.Changes(), page.RunsChanged{}))
}

// edge is one change and the wait for the next.
type edge struct {
	session *session.Session
	news    tea.Msg
	again   tea.Cmd
}

func waitChange(ctx context.Context, d *session.Session, edges <-chan struct{}, news tea.Msg) tea.Cmd {
	var wait tea.Cmd
	wait = func() tea.Msg {
		select {
		case _, open := <-edges:
			if open {
				return edge{d, news, wait}
			}
		case <-ctx.Done():
		}
		return nil
	}
	return wait
}

// tickTime is the interval for reading counters while jobs run.
const tickTime = 100 * time.Millisecond

type ticked struct{ session *session.Session }

// tick starts the clock if jobs are running.
func (m *Model) tick() tea.Cmd {
	if m.ticking || m.session == nil || !m.session.Queue.Busy() {
		return nil
	}
	m.ticking = true
	d := m.session
	return tea.Tick(tickTime, func(time.Time) tea.Msg { return ticked{d} })
}
