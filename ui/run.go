package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// framesPerSecond limits the frame rate. A key waits for the next frame: at most 8 ms, 4 ms on
// average. Bubble Tea's clock always runs: an idle picker takes 1.4 to 1.8 % of a core at this
// rate.
const framesPerSecond = 120

// Run shows the screens on the terminal until the user leaves them, then closes the session. It
// also reads the settings. If a signal ends the screens, it returns a *terminal.SignalError.
func Run(ctx context.Context, request session.Options, o Options) error {
	settings, err := config.Load(request.Paths)
	if err != nil {
		return err
	}
	o.KeyMap = settings.Keys
	if action, err := CheckKeys(o.KeyMap); err != nil {
		return &config.FileError{Path: settings.Path, Line: settings.LineOf(action), Text: err.Error()}
	}
	var program *tea.Program
	o.Open = func(ctx context.Context, profile string, key api.Key) (*session.Session, error) {
		again := request
		again.Request = request.Switch(profile, key)
		again.Waiting = func(notice string) {
			program.Send(page.Toast{Level: page.Info, Text: text.Sentence(notice)})
		}
		return session.Open(ctx, again)
	}
	o.First = !settings.Exists && !request.Unnamed() && request.Profile == ""
	o.Profile, o.Addresses = request.Profile, request.Flags()
	o.Theme, o.Pictures = settings.Theme, settings.Pictures
	o.Paths, o.Keys = request.Paths, request.Keys
	o.Debug = slog.Default().Enabled(ctx, slog.LevelDebug)
	o.Terminal = os.Stdout

	features := terminal.TmuxFeatures(ctx, os.Getenv)
	colors, reason := terminal.Colors(string(settings.Colors), os.Stdout, os.Environ(), features)
	o.Colors, o.TmuxSixel = reason, slices.Contains(features, "sixel")
	model := New(o)
	ctx, hangUp := terminal.ScreensContext(ctx)
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond),
		tea.WithColorProfile(colors), tea.WithOutput(picture.NewPainter(os.Stdout, model.loader.Store)),
	}
	if term.IsTerminal(os.Stdin.Fd()) {
		options = append(options, tea.WithInput(terminal.Input{File: os.Stdin, Ended: hangUp}))
	}
	program = tea.NewProgram(model, options...)
	_, err = program.Run()
	fmt.Fprint(os.Stdout, model.loader.Store.Clear())
	if ctx.Err() != nil && err != nil { // a terminal that is gone fails in several ways
		err = context.Cause(ctx)
	}
	return errors.Join(err, model.close(os.Stdout))
}

func (m *Model) close(out io.Writer) error {
	s := m.session
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), session.CloseTimeout)
	defer cancel()
	var err error
	if keep := m.saver(); keep != nil {
		err = keep(ctx)
	}
	return errors.Join(err, finishSending(ctx, m.ExitTimeout(), out, s.Queue.Close), s.Close(ctx))
}

// quietDelay is how long leaving may take before the program says what it waits for.
const quietDelay = 300 * time.Millisecond

// finishSending waits for running uploads until the timeout or the user presses ctrl+c. If that
// takes a while, it says so on out, because the screens are gone by then.
func finishSending(ctx context.Context, timeout time.Duration, out io.Writer,
	finish func(context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	say := time.AfterFunc(quietDelay, func() {
		fmt.Fprintf(out, "Waiting up to %d seconds for running uploads; the others continue next time. ctrl+c leaves now.\n", int(timeout.Seconds()))
	})
	defer say.Stop()
	return finish(ctx)
}

// copyText copies text with the system's clipboard tool, if any, and through the terminal (OSC
// 52), which also works over SSH.
func copyText(c page.Copy) tea.Cmd {
	return tea.Batch(
		tea.SetClipboard(c.Text),
		func() tea.Msg {
			for _, args := range clipboardTools() { // as far as they work
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				tool := exec.CommandContext(ctx, args[0], args[1:]...)
				tool.Stdin = strings.NewReader(c.Text)
				_ = tool.Run()
				cancel()
			}
			return page.Toast{Level: page.Good, Text: "Copied the " + c.What + ".", Detail: c.Text}
		},
	)
}

func clipboardTools() [][]string {
	var tools [][]string
	switch {
	case runtime.GOOS == "darwin":
		tools = append(tools, []string{"pbcopy"})
	case runtime.GOOS == "windows":
		tools = append(tools, []string{"clip.exe"})
	case os.Getenv("WAYLAND_DISPLAY") != "":
		tools = append(tools, []string{"wl-copy"})
	case os.Getenv("DISPLAY") != "":
		tools = append(tools, []string{"xclip", "-selection", "clipboard"})
	}
	if os.Getenv("TMUX") != "" {
		tools = append(tools, []string{"tmux", "load-buffer", "-w", "-"})
	}
	return tools
}

func openAddress(link string) tea.Cmd {
	return func() tea.Msg {
		if err := rule.CheckSourceURL(link); err != nil {
			return page.Problem(err)
		}
		if terminal.OpenAddress(link) == nil {
			return page.Toast{Level: page.Good, Text: "Opened in the browser.", Detail: link}
		}
		return page.Toast{Level: page.Warn, Text: "No browser opened. The URL: " + link, Detail: link}
	}
}

// equivalents returns the commands that do what the front screen does, or nil.
func (m *Model) equivalents() [][]string {
	s, ok := m.host.InFront().(page.Commander)
	if !ok || m.session == nil {
		return nil
	}
	commands := s.Commands()
	for i, args := range commands {
		switch {
		case len(args) == 0 || args[0] == "profile":
		case config.CheckProfileName(m.session.Profile.Name) != nil: // addresses from the command line
			commands[i] = session.WithFlags(args, m.o.Addresses...)
		default:
			commands[i] = session.WithFlags(args, "--profile="+m.session.Profile.Name)
		}
	}
	return commands
}

// queryTerminal queries the terminal's features. Until it answers, pictures are drawn with glyphs
// that work everywhere.
func (m *Model) queryTerminal() tea.Cmd {
	cmds := []tea.Cmd{m.measure()}
	if questions := m.detector.Query(); questions != "" {
		cmds = append(cmds, tea.Raw(questions), tea.Tick(picture.AnswerTimeout, func(time.Time) tea.Msg {
			return page.Then(func() tea.Cmd {
				m.detector.TimedOut()
				return m.abilitiesChanged()
			})
		}))
	}
	return tea.Batch(cmds...)
}

// measure asks the operating system for the cell size, or returns nil if the terminal is unknown.
func (m *Model) measure() tea.Cmd {
	out := m.o.Terminal
	if out == nil {
		return nil
	}
	return func() tea.Msg { return picture.MeasureWindow(out) }
}

func (m *Model) terminalChanged(msg tea.Msg) tea.Cmd {
	m.detector.Update(msg)
	var again tea.Cmd
	if _, resized := msg.(tea.WindowSizeMsg); resized {
		again = m.measure()
	}
	return tea.Batch(again, m.abilitiesChanged())
}

func (m *Model) abilitiesChanged() tea.Cmd {
	now := m.detector.Abilities()
	if now == m.abilities {
		return nil
	}
	m.abilities = now
	var clear tea.Cmd
	if m.loader.Store.Use(now.Method) {
		clear = tea.ClearScreen
	}
	return tea.Batch(clear, m.host.Broadcast(now))
}
