// Package ui is the root model: it decides who is on screen and who gets a
// message.
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

// Options are what main gives the program.
type Options struct {
	// Open opens the profile of that name, the one in use where it is empty.
	// A key of nil is looked for.
	Open func(ctx context.Context, profile string, key api.Key) (*session.Session, error)
	// First says that nothing has been chosen yet: the person is asked before
	// anything is opened or written.
	First bool
	// Profile is the profile to open first; empty: the one in use.
	Profile string
	// Folder is where picking begins; empty: the working directory.
	Folder string
	// Sources were named on the command line and land in the tray.
	Sources []api.Source
	// Samples writes sample pictures and returns their folder.
	Samples func() (string, error)
	// Theme names a built-in theme or one of Themes; empty: "auto". Themes are
	// the person's own.
	Theme  config.Theme
	Themes map[config.Theme]config.OwnTheme
	// Pictures is how pictures are drawn; empty: as the terminal can.
	Pictures picture.Setting
	// Colors says how many colors are drawn with, and why. TmuxSixel tells that the
	// terminal around tmux has sixel.
	Colors    string
	TmuxSixel bool
	// Pane tells where the pane of tmux begins on the terminal; nil: at its corner.
	Pane func() image.Point
	// Previews keeps small pictures of files that take long to decode; nil: they
	// are made again each time.
	Previews *picture.Cache
	// Terminal is the terminal that the program runs on, to ask the operating
	// system for its size in pixels; nil: it is not asked.
	Terminal *os.File
	// Signal is how the end of the last pending extension is told to somebody
	// who is elsewhere; empty: by the bell.
	Signal config.Signal
	// Paths are the program's own files, and Keys where keys are looked for.
	Paths config.Paths
	Keys  *config.Keys
	// Getenv is os.Getenv in the program.
	Getenv func(string) string
	// KeyMap are the person's own keys. CheckKeys has found nothing wrong.
	KeyMap []KeySetting
	// Addresses are the flags that name the service where it is no profile; nil
	// where it is one.
	Addresses []string
	// Signals are watched for a stop from outside; nil: they are not.
	Signals *terminal.Signals
	// Stopping tells the process that looks after the terminal that this one
	// stops now; nil: there is none.
	Stopping func()
	// Debug writes the type of every message into the log.
	Debug bool
	// Version of the program.
	Version string
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Model is the root model. It holds the screens and routes messages to them;
// what they show is their own.
type Model struct {
	o       Options
	size    image.Point
	theme   *theme.Theme
	ground  tea.BackgroundColorMsg // the zero one before the terminal's is known
	profile tea.ColorProfileMsg    // the zero one before the terminal's is known
	focused bool                   // the terminal has the focus

	session *session.Session
	ctx     context.Context //nolint:containedctx // of the session: it ends what the screens have under way
	stop    context.CancelFunc
	opening string // sentence shown while a desk is opened; empty: none is
	host    page.Host
	picker  *picker.Model
	loader  *picture.Loader
	images  *picture.ImageStore
	pixels  bool // the terminal tells of the mouse by pixels

	detector  *picture.Detector
	abilities picture.Abilities

	wave      wave
	uploading uploading
	messages  *kit.Messages
	stack     stack
	ticking   bool
	lastQuit  time.Time
	keysTold  bool // the names of version 0.1 in the settings were told
	hurried   bool // the person left by ctrl+c twice

	tipsKnown bool     // the file of the tips was read
	tipsShown []string // names of tips
}

// New makes the root model.
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

// Session is what is open; nil before something is.
func (m *Model) Session() *session.Session { return m.session }

// Init asks the terminal for its background and what it can, and opens the first
// session.
func (m *Model) Init() tea.Cmd {
	if m.o.First {
		return tea.Batch(tea.RequestBackgroundColor, m.askTerminal(), m.welcome(m.o.Profile, nil))
	}
	return tea.Batch(m.startPicker(), tea.RequestBackgroundColor, m.askTerminal(), m.open(page.UseProfile{Name: m.o.Profile}))
}

// sessionOpened is the answer to open.
type sessionOpened struct {
	profile string
	show    page.ID
	session *session.Session
	err     error
}

// open closes the session in use and opens another, off the event loop.
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

// closeScreens has the terminal forget the pictures of a screen that ends with its
// session.
func (m *Model) closeScreens() tea.Cmd {
	if l, ok := m.host.Screen(page.Library).(*library.Model); ok {
		return l.DeleteImages()
	}
	return nil
}

// Patience is how long of that uploads are waited for: not at all for who
// pressed ctrl+c twice. What closes after them has the rest.
func (m *Model) Patience() time.Duration {
	if m.hurried {
		return 0
	}
	return session.CloseTime - time.Second
}

// opened takes a session into use, or shows why there is none.
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
	cmds = append(cmds, m.host.Tell(picking, page.JobsChanged{})) // those of another library
	if notes := OldNames(m.o.KeyMap); len(notes) > 0 && !m.keysTold {
		m.keysTold = true
		cmds = append(cmds, page.Send(page.Toast{Level: page.Info, Text: notes[0], Detail: strings.Join(notes, "\n")}))
	}
	cmds = append(cmds, m.tick(), m.show(msg.show, false), m.readTips())
	return tea.Batch(cmds...)
}

// greet takes a screen and starts it: it is told what is known of the terminal.
func (m *Model) greet(id page.ID, s page.Screen) tea.Cmd {
	return tea.Batch(
		m.host.Add(id, s),
		m.host.Tell(s, tea.WindowSizeMsg{Width: m.size.X, Height: m.size.Y}),
		m.host.Tell(s, m.profile),
		m.host.Tell(s, m.abilities),
	)
}

// welcome puts the onboarding screen in front.
func (m *Model) welcome(profile string, problem error) tea.Cmd {
	m.host.Reset()
	return tea.Batch(m.greet(page.Onboarding, m.onboarding(profile, problem)), m.host.Show(page.Onboarding, false))
}

// listen waits for news of the queue and the watch. Each answer is one edge;
// the root asks again after it.
func listen(ctx context.Context, d *session.Session) tea.Cmd {
	return tea.Batch(waitChange(ctx, d, d.Queue.Changes(), page.JobsChanged{}), waitChange(ctx, d, d.Watch.Changes(), page.RunsChanged{}))
}

// edge is one piece of news with the wait for the next.
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

// tickTime is how often counters are looked at while something moves.
const tickTime = 100 * time.Millisecond

type ticked struct{ session *session.Session }

// tick starts the clock where it does not run and something moves.
func (m *Model) tick() tea.Cmd {
	if m.ticking || m.session == nil || !m.session.Queue.Busy() {
		return nil
	}
	m.ticking = true
	d := m.session
	return tea.Tick(tickTime, func(time.Time) tea.Msg { return ticked{d} })
}
