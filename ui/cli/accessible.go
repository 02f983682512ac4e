package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/term"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// AccessibleVariable selects prompts and sentences instead of screens.
const AccessibleVariable = "MEDIADESK_ACCESSIBLE"

// promptSession runs the program with prompts and sentences: line by line, and no symbol without a
// word. Each answer runs a command, which is shown so that users learn the commands.
type promptSession struct {
	ctx    context.Context
	p      Program  // with our reader as its input
	global []string // global flags for every command
	in     *bufio.Reader
	tty    *os.File // to read a key without echo; nil if input is not a terminal
	end    error    // why the session ended; nil while it runs. Then every answer is empty
}

var errLeave = errors.New("end of input")

func accessible(ctx context.Context, p *Program, files []string) error {
	t := &promptSession{ctx: ctx, p: *p, in: bufio.NewReader(p.Stdin)}
	if in, ok := p.Stdin.(*os.File); ok && term.IsTerminal(in.Fd()) {
		t.tty = in
	}
	t.p.Stdin = t.in
	if p.Profile != "" {
		t.global = append(t.global, "--profile="+p.Profile)
	}
	t.global = append(append(t.global, p.Flags()...), "--accessible")
	if p.KeyFD >= 0 {
		t.global = append(t.global, "--key-fd="+strconv.Itoa(p.KeyFD))
	}
	if t.start(files); errors.Is(t.end, errLeave) {
		t.say("Goodbye.")
		return nil
	}
	return t.end
}

func (t *promptSession) say(format string, args ...any) {
	fmt.Fprintln(t.p.Stdout, safeLines(fmt.Sprintf(format, args...)))
}

func (t *promptSession) ask(question string) string {
	if t.end != nil {
		return ""
	}
	fmt.Fprint(t.p.Stdout, safeLines(question)+" ")
	line, err := terminal.Ask(t.ctx, t.p.Stdin, func() (string, error) { return t.in.ReadString('\n') })
	if t.tty == nil || err != nil {
		fmt.Fprintln(t.p.Stdout) // no terminal has echoed the enter key
	}
	if err != nil && line == "" || t.ctx.Err() != nil {
		t.end = errLeave
		return ""
	}
	return strings.TrimSpace(line)
}

// yes asks a yes-or-no question. An empty answer is no.
func (t *promptSession) yes(question string) bool {
	for {
		switch strings.ToLower(t.ask(question + " Type yes or no:")) {
		case "y", "yes":
			return true
		case "", "n", "no":
			return false
		}
		t.say("Please type yes or no.")
	}
}

type question struct{ flag, text string }

func (t *promptSession) askFlags(questions ...question) (args []string) {
	for _, q := range questions {
		if answer := t.ask(q.text); answer != "" {
			args = append(args, "--"+q.flag+"="+answer)
		}
	}
	return args
}

// menuItem calls do, or runs a command if do is nil.
type menuItem struct {
	label   string
	do      func()
	command []string
}

const leave = "Leave"

// menu lists items, asks for a number and runs the chosen item. 0 goes back, or ends the prompts if
// that is what back says.
func (t *promptSession) menu(title, back string, items ...menuItem) {
	t.say("\n%s", title)
	for i, item := range items {
		t.say("%d: %s", i+1, item.label)
	}
	t.say("0: %s", back)
	answer := t.ask("Type a number and press enter:")
	n, err := strconv.Atoi(answer)
	for t.end == nil && (err != nil || n < 0 || n > len(items)) {
		t.say("%q is not one of the numbers 0 to %d.", answer, len(items))
		answer = t.ask("Type a number and press enter:")
		n, err = strconv.Atoi(answer)
	}
	switch {
	case t.end != nil:
	case n == 0 && back == leave:
		t.end = errLeave
	case n > 0 && items[n-1].do != nil:
		items[n-1].do()
	case n > 0:
		_ = t.run(items[n-1].command...)
	}
}

func (t *promptSession) run(args ...string) error {
	t.say("Command: %s", session.CommandLine(args))
	p := t.p
	err := p.execute(t.ctx, slices.Concat(args, t.global))
	if err != nil {
		report(t.p.Stdout, err)
	}
	return err
}

func (t *promptSession) start(files []string) {
	t.say("mediadesk: upload, tag and manage images, in prompts and sentences.")
	settings, err := config.Load(t.p.Paths)
	if t.end = err; err == nil && !settings.Exists && !t.p.Unnamed() && t.p.Profile == "" {
		t.menu("This is the first start. Nothing is written or connected before you choose.", leave,
			menuItem{label: "Try it here with the local library: no account, and nothing leaves this computer", do: func() {
				_, t.end = settings.Use(config.LocalProfile)
			}},
			menuItem{label: "Connect an account of the hosted service, or of another server", do: t.addProfile})
	}
	if len(files) > 0 && t.end == nil {
		t.send(files)
	}
	for t.end == nil {
		settings, err := config.Load(t.p.Paths)
		var profile config.Profile
		if err == nil {
			profile, err = session.Resolve(settings, t.p.Request)
		}
		if t.end = err; err != nil {
			return
		}
		t.menu(fmt.Sprintf("Profile in use: %s. What do you want to do?", profile.Name), leave,
			menuItem{label: "Upload files", do: func() { t.send(t.pick()) }},
			menuItem{label: "Continue with unfinished uploads", command: []string{"resume"}},
			menuItem{label: "Watch extensions finish", command: []string{"watch", "--timeout=5m"}},
			menuItem{label: "Read the library and change files", do: t.library},
			menuItem{label: "Profiles and keys", do: t.profiles},
			menuItem{label: "Check the setup (doctor)", command: []string{"doctor"}})
	}
}

func (t *promptSession) send(files []string) {
	if len(files) == 0 {
		return
	}
	questions := []question{
		{"tags", "Tags, separated by commas; empty for none:"},
		{"folder", "Folder, such as /summer/; empty for the default:"},
		{"description", "Description; empty for none:"},
		{"extension", "Extension to run: remove-bg, google-auto-tagging or aws-auto-tagging; empty for none:"},
	}
	// an address is one file
	if info, err := os.Stat(files[0]); len(files) == 1 && (err != nil || !info.IsDir()) {
		questions = append(questions,
			question{"region", "Region as x,y,width,height in pixels; empty for none:"},
			question{"name", "Name of the stored file; empty for the name of the source:"})
	}
	options := t.askFlags(questions...)
	if t.yes("Make it private?") {
		options = append(options, "--private")
	}
	words := text.If(len(options) > 0, " with "+strings.ReplaceAll(strings.Join(options, ", "), "--", ""))
	if t.end != nil || !t.yes(fmt.Sprintf("Send %s%s?", strings.Join(files, ", "), words)) {
		t.say("Nothing was sent.")
		return
	}
	if strings.Contains(words, "extension=") {
		options = append(options, "--wait", "--timeout=5m")
	}
	_ = t.run(session.Command("upload", files, options...)...)
}

func (t *promptSession) pick() (files []string) {
	t.say("\nWhich files? Type a path or a URL, or a folder to list its files.")
	var listed []string
	for {
		answer := t.ask("Path, URL, number, or empty when done:")
		if answer == "" {
			return files
		}
		if n, err := strconv.Atoi(answer); err == nil && n > 0 && n <= len(listed) {
			answer = listed[n-1]
		}
		info, err := os.Stat(answer)
		switch {
		case err != nil && !strings.Contains(answer, "://"):
			t.say("No such file, or it cannot be read: %s", answer)
			continue
		case err == nil && info.IsDir():
			listed = t.list(answer)
			continue
		}
		files = append(files, answer)
		t.say("Picked: %s. %s so far.", filepath.Base(answer), text.Plural(len(files), "file"))
	}
}

func (t *promptSession) list(folder string) (listed []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.say("%v", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			listed = append(listed, filepath.Join(folder, e.Name()))
			t.say("%d: %s%s", len(listed), e.Name(), text.If(e.IsDir(), ", folder"))
		}
	}
	t.say("%d files and folders here.", len(listed))
	return listed
}

func (t *promptSession) library() {
	var out bytes.Buffer
	p := t.p
	p.Stdout = &out
	if err := p.execute(t.ctx, append([]string{"list", "--json"}, t.global...)); err != nil {
		report(t.p.Stdout, err)
		return
	}
	var items []menuItem
	for line := range bytes.Lines(out.Bytes()) {
		var f api.File
		if err := json.Unmarshal(line, &f); err == nil && !f.IsFolder() {
			tags, region := strings.Join(f.Tags.Or(nil), ", "), f.CustomCoordinates.Or("")
			label := f.FilePath + text.Either(tags == "", ", no tags", ", tags "+tags)
			label += text.If(region != "", ", region "+region)
			items = append(items, menuItem{label: label, do: func() { t.change(&f) }})
		}
	}
	if len(items) == 0 {
		t.say("The library has no files yet.")
		return
	}
	t.menu(text.Plural(len(items), "file")+" in the library. Which one?", "Back", items...)
}

func (t *promptSession) change(f *api.File) {
	_ = t.run("details", f.FileID)
	flags := t.askFlags(
		question{"add-tags", "Tags to add, separated by commas; empty for none:"},
		question{"remove-tags", "Tags to remove, separated by commas; empty for none:"},
		question{"region", "Region as x,y,width,height in pixels; empty to keep it:"})
	words := strings.ReplaceAll(strings.Join(flags, ", "), "--", "")
	unchanged := f.CustomCoordinates.Or("") != "" && !strings.Contains(words, "region=")
	if unchanged && t.yes("Remove the region?") {
		flags, words = append(flags, "--unset-region"), words+" unset-region"
	}
	if len(flags) > 0 && t.yes("Save this change: "+words+"?") {
		_ = t.run(session.Command("details", []string{f.FileID}, flags...)...)
	} else {
		t.say("Nothing was changed.")
	}
}

func (t *promptSession) profiles() {
	t.menu("Profiles and keys.", "Back",
		menuItem{label: "List the profiles", command: []string{"profile", "list"}},
		menuItem{label: "Use another profile", do: func() {
			if name := t.ask("Name of the profile:"); name != "" {
				_ = t.run("profile", "use", name)
			}
		}},
		menuItem{label: "Add an account", do: t.addProfile},
		menuItem{label: "Store a key in the keyring", do: func() { t.storeKey() }},
		menuItem{label: "Show where the key comes from", command: []string{"key", "where"}},
		menuItem{label: "Forget the key in the keyring", command: []string{"key", "forget"}})
}

func (t *promptSession) addProfile() {
	name := t.ask("A name for the account, of letters and digits:")
	if name == "" {
		return
	}
	args := t.askFlags(question{"hosted", "The account's id at the hosted service; empty for another server:"})
	if len(args) == 0 {
		args = t.askFlags(
			question{"upload-url", "URL for uploads:"},
			question{"base-url", "URL for all other calls; empty for the same:"},
			question{"delivery-url", "URL that serves the files; empty for none:"})
	}
	added := append([]string{"profile", "add", name}, args...)
	if t.end == nil && t.run(added...) == nil && t.run("profile", "use", name) == nil {
		t.storeKey("--profile=" + name)
	}
}

func (t *promptSession) storeKey(profile ...string) {
	if !t.yes("Store its private key in the keyring of the operating system?") {
		t.say("You can also set the variable %s, or a key file or key command in the profile.", api.KeyVariable)
		return
	}
	hidden := *t
	if t.tty != nil {
		hidden.p.Stdin = t.tty // to type it without echo
	}
	_ = hidden.run(append([]string{"key", "set"}, profile...)...)
}
