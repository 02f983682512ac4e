package ui

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/terminal"
)

// The garbage collector runs less at the start: most allocations then live on, and the first names of a large folder appear a
// third sooner.
const (
	startTime      = time.Second
	startGCPercent = 400
)

// framesPerSecond limits the frame rate. A key waits for the next frame: at most 8 ms, 4 ms on average. Bubble Tea's clock always
// runs: an idle picker takes 1.4 to 1.8 % of a core at this rate.
const framesPerSecond = 120

// Run shows the screens on the terminal until the user leaves them, then closes the session. It also reads the settings. If a
// signal ends the screens, it returns a *terminal.SignalError.
func Run(ctx context.Context, request session.Options, o Options) error {
	usual := debug.SetGCPercent(startGCPercent)
	time.AfterFunc(startTime, func() { debug.SetGCPercent(usual) })
	settings, err := config.Load(request.Paths)
	if err != nil {
		return err
	}
	if o.KeyMap, err = ownKeys(settings); err != nil {
		return err
	}
	if o.Previews, err = previews(request.Paths, settings); err != nil {
		return err
	}
	var program *tea.Program
	o.Open = func(ctx context.Context, profile string, key api.Key) (*session.Session, error) {
		again := request
		again.Request = request.Switch(profile, key)
		again.Waiting = func(wait time.Duration) {
			program.Send(page.Toast{Level: page.Info, Text: fmt.Sprintf("The service limits requests; waiting %.0f s.", max(1, wait.Seconds()))})
		}
		return session.Open(ctx, again)
	}
	o.First = !settings.Exists && !request.Unnamed() && request.Profile == ""
	o.Profile, o.Addresses = request.Profile, request.Flags()
	o.Theme, o.Themes, o.Signal, o.Pictures = settings.Theme, settings.Themes, settings.Signal, picture.Setting(settings.Pictures)
	o.Paths, o.Keys, o.Version = request.Paths, request.Keys, request.Version
	o.Debug = slog.Default().Enabled(ctx, slog.LevelDebug)
	guard := terminal.JoinGuard()
	o.Terminal, o.Signals, o.Stopping = os.Stdout, &terminal.Signals{}, guard.Stopping()

	features := terminal.TmuxFeatures(ctx, os.Getenv)
	colors, reason := terminal.Colors(string(settings.Colors), os.Stdout, os.Environ(), features)
	o.Colors, o.TmuxSixel = reason, slices.Contains(features, "sixel")
	o.Pane = func() image.Point { return terminal.TmuxPane(ctx, os.Getenv) }
	model := New(o)
	hangUp, ended := terminal.Endings(func() { program.Quit() })
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond), tea.WithFilter(dropMotion),
		tea.WithColorProfile(colors), tea.WithOutput(picture.NewPainter(os.Stdout, model.images)),
	}
	if term.IsTerminal(os.Stdin.Fd()) {
		options = append(options, tea.WithInput(terminal.Input{File: os.Stdin, Ended: hangUp}))
	}
	program = tea.NewProgram(model, options...)
	o.Signals.Watch(func() { program.Send(stopAsked{}) }, func() { program.Send(goneOn{}) })
	_, err = program.Run()
	o.Signals.Close()
	fmt.Fprint(os.Stdout, model.Farewell())
	guard.Restored()
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, model.close(os.Stdout), ended())
}

// close saves the screens' content and closes the session.
func (m *Model) close(out io.Writer) error {
	s := m.Session()
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), session.CloseTime)
	defer cancel()
	return errors.Join(m.Keep(ctx), finishSending(ctx, m.Patience(), out, s.Queue.Close), s.Close(ctx))
}

// silence is how long leaving may take before the program says what it waits for.
const silence = 300 * time.Millisecond

// finishSending waits for running uploads until patience is over or the user presses ctrl+c. If that takes a while, it says so on
// out, because the screens are gone by then.
func finishSending(ctx context.Context, patience time.Duration, out io.Writer, finish func(context.Context) error) error {
	ctx, enough := context.WithTimeout(ctx, patience)
	defer enough()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	say := time.AfterFunc(silence, func() {
		fmt.Fprintf(out, "Waiting up to %d seconds for running uploads; the others continue next time. ctrl+c leaves now.\n", int(patience.Seconds()))
	})
	defer say.Stop()
	return finish(ctx)
}

// previews returns the cache of previews. If the settings disable it, previews deletes the cache and returns nil.
func previews(paths config.Paths, settings config.Config) (*picture.Cache, error) {
	dir := filepath.Join(paths.Cache, "previews")
	if settings.Previews == config.PreviewsKeep {
		return picture.NewCache(dir, picture.DefaultCache), nil
	}
	return nil, os.RemoveAll(dir)
}

// ownKeys returns the keys of the settings, or the error in one of them.
func ownKeys(settings config.Config) ([]KeySetting, error) {
	var list []KeySetting
	for _, action := range slices.Sorted(maps.Keys(settings.Keys)) {
		list = append(list, KeySetting{Action: action, Keys: settings.Keys[action]})
	}
	if i, err := CheckKeys(list); err != nil {
		action := list[i].Action
		return nil, &config.FileError{Path: settings.Path, Line: settings.LineOf(action), Key: action, Text: err.Error()}
	}
	return list, nil
}
