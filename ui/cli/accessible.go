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

// errLeave ends the session: the user left or the input ended.
var errLeave = errors.New("end of input")

// accessible runs the session, starting with an upload of the given files.
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

// ask asks a question and returns the trimmed answer.
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

// askFlags asks for the values of flags and returns the flags with a value.
func (t *promptSession) askFlags(questions ...[2]string) (args []string) {
	for _, q := range questions {
		if answer := t.ask(q[1]); answer != "" {
			args = append(args, "--"+q[0]+"="+answer)
		}
	}
	return args
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

// menuItem is an item of a menu.
type menuItem struct {
	label string
	do    func()
}

// leave is the item of a menu that ends the prompts.
const leave = "Leave"

// menu lists items, asks for a number and runs the chosen item. 0 goes back, or ends the prompts if
// that is what back says.
func (t *promptSession) menu(title, back string, items ...menuItem) {
	t.say("\n%s", title)
	for i, item := range items {
		t.say("%d: %s", i+1, item.label)
	}
	t.say("0: %s", back)
	for {
		answer := t.ask("Type a number and press enter:")
		n, err := strconv.Atoi(answer)
		switch {
		case t.end != nil:
		case err != nil || n < 0 || n > len(items):
			t.say("%q is not one of the numbers 0 to %d.", answer, len(items))
			continue
		case n > 0:
			items[n-1].do()
		case back == leave:
			t.end = errLeave
		}
		return
	}
}

// runs returns a function that runs a command. Its error is printed.
func (t *promptSession) runs(args ...string) func() { return func() { _ = t.run(args...) } }

// run shows and runs a command of this program. It prints the error.
func (t *promptSession) run(args ...string) error {
	t.say("Command: %s", session.CommandLine(args))
	return t.execute(t.p, args...)
}

// output runs a command without showing it and returns its output, or nil after an error, which it
// prints.
func (t *promptSession) output(args ...string) []byte {
	var out bytes.Buffer
	p := t.p
	p.Stdout = &out
	if t.execute(p, args...) != nil {
		return nil
	}
	return out.Bytes()
}

func (t *promptSession) execute(p Program, args ...string) error {
	err := p.execute(t.ctx, append(args[:len(args):len(args)], t.global...))
	if err != nil {
		report(t.p.Stdout, err)
	}
	return err
}

// start asks the questions of a first start and then shows the main menu until the user leaves.
func (t *promptSession) start(files []string) {
	t.say("mediadesk: upload, tag and manage images, in prompts and sentences.")
	settings, err := config.Load(t.p.Paths)
	if t.end = err; err == nil && !settings.Exists && !t.p.Unnamed() && t.p.Profile == "" {
		t.menu("This is the first start. Nothing is written or connected before you choose.", leave,
			menuItem{"Try it here with the local library: no account, and nothing leaves this computer", func() {
				_, t.end = settings.Use(config.LocalProfile)
			}},
			menuItem{"Connect an account of the hosted service, or of another server", t.addProfile})
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
			menuItem{"Upload files", func() { t.send(t.pick()) }},
			menuItem{"Continue with unfinished uploads", t.runs("resume")},
			menuItem{"Watch extensions finish", t.runs("watch", "--timeout=5m")},
			menuItem{"Read the library and change files", t.library},
			menuItem{"Profiles and keys", t.profiles},
			menuItem{"Check the setup (doctor)", t.runs("doctor")})
	}
}

// send asks for the options of files, describes the upload, and sends it.
func (t *promptSession) send(files []string) {
	if len(files) == 0 {
		return
	}
	args := append([]string{"upload"}, files...)
	info, err := os.Stat(files[0]) // fails for a URL, which is one file
	args = append(args, t.askFlags(
		[2]string{"tags", "Tags, separated by commas; empty for none:"},
		[2]string{"folder", "Folder, such as /summer/; empty for the default:"},
		[2]string{"description", "Description; empty for none:"})...)
	if len(files) == 1 && (err != nil || !info.IsDir()) {
		args = append(args, t.askFlags(
			[2]string{"region", "Region as x,y,width,height in pixels; empty for none:"},
			[2]string{"name", "Name of the stored file; empty for the name of the source:"})...)
	}
	extensions := t.extensions()
	args = append(args, extensions...)
	if t.yes("Make it private?") {
		args = append(args, "--private")
	}
	if t.end != nil {
		return
	}
	n := t.describe(args)
	if n == 0 {
		return
	}
	if !t.yes(fmt.Sprintf("Send %s?", text.Plural(n, "file"))) {
		t.say("Nothing was sent.")
		return
	}
	if len(extensions) > 0 {
		args = append(args, "--wait", "--timeout=5m")
	}
	_ = t.run(args...)
}

// mostDescribed limits how many files of an upload are described one by one.
const mostDescribed = 20

// describe describes an upload and returns the number of files; 0 if it cannot be sent.
func (t *promptSession) describe(args []string) (n int) {
	phrases := map[string]string{
		"fileName": "with a name like ", "folder": "to the folder ", "tags": "with the tags ", "customCoordinates": "with the region ",
		"extensions": "with the extensions ", "isPrivateFile": "private: ",
	}
	for line := range bytes.Lines(t.output(append(args[:len(args):len(args)], "--dry-run", "--json")...)) {
		var r struct {
			File  string
			Parts []struct{ Name, Value string }
		}
		if json.Unmarshal(line, &r) != nil || len(r.Parts) == 0 {
			continue
		}
		if n++; n > mostDescribed {
			continue
		}
		var words []string
		for _, part := range r.Parts {
			if phrase := phrases[part.Name]; phrase != "" {
				words = append(words, phrase+part.Value)
			}
		}
		t.say("%s will be sent %s.", filepath.Base(r.File), strings.Join(words, ", "))
	}
	if more := n - mostDescribed; more > 0 {
		t.say("And %s.", text.Plural(more, "more file"))
	}
	return n
}

// extensions asks which extensions to run.
func (t *promptSession) extensions() []string {
	names := []string{api.RemoveBackground, api.GoogleTagging, api.AWSTagging}
	t.say("Extensions: 1: remove the background. 2: google tagging. 3: aws tagging.")
	for {
		var args []string
		wrong := ""
		for _, one := range api.SplitTags(t.ask("Numbers or names of extensions to run, separated by commas; empty for none:")) {
			if n, err := strconv.Atoi(one); err != nil {
				args = append(args, "--extension="+one)
			} else if n >= 1 && n <= len(names) {
				args = append(args, "--extension="+names[n-1])
			} else {
				wrong = one
			}
		}
		if wrong == "" {
			return args
		}
		t.say("Unknown extension: %s.", wrong)
	}
}

// pick asks for paths, or for file numbers in a folder.
func (t *promptSession) pick() (files []string) {
	folder, err := os.Getwd()
	if err != nil {
		folder = "."
	}
	t.say("\nWhich files? Type a path or an address. Type list for the files in %s.", folder)
	var listed []string
	for {
		answer := t.ask("Path, address, number, list, or empty when done:")
		switch answer {
		case "":
			return files
		case "list":
			listed = t.list(folder)
			continue
		}
		picked := answer
		if n, err := strconv.Atoi(answer); err == nil && n > 0 && n <= len(listed) {
			picked = listed[n-1]
		}
		if !strings.Contains(picked, "://") {
			if !filepath.IsAbs(picked) {
				picked = filepath.Join(folder, picked)
			}
			info, err := os.Stat(picked)
			if err != nil {
				t.say("No such file, or it cannot be read: %s", answer)
				continue
			}
			if info.IsDir() {
				folder = picked
				t.say("Current folder: %s. Type list for its files.", folder)
				continue
			}
		}
		files = append(files, picked)
		t.say("Picked: %s. %s so far.", filepath.Base(picked), text.Plural(len(files), "file"))
	}
}

// list lists the files of a folder and returns their paths.
func (t *promptSession) list(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.say("%v", err)
	}
	var listed []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		listed = append(listed, filepath.Join(folder, e.Name()))
		what := "folder"
		if info, err := e.Info(); err == nil && !e.IsDir() {
			what = text.Bytes(info.Size())
		}
		t.say("%d: %s, %s", len(listed), e.Name(), what)
	}
	if len(listed) == 0 {
		t.say("No files here.")
	}
	return listed
}

// library lists the files of the library and changes one.
func (t *promptSession) library() {
	out := t.output("list", "--json")
	var items []menuItem
	for line := range bytes.Lines(out) {
		var f api.File
		if err := json.Unmarshal(line, &f); err == nil && !f.IsFolder() {
			items = append(items, menuItem{f.FilePath + ", " + describeTags(&f), func() { t.details(&f) }})
		}
	}
	switch {
	case len(items) > 0:
		t.menu(text.Plural(len(items), "file")+" in the library. Which one?", "Back", items...)
	case out != nil:
		t.say("The library has no files yet.")
	}
}

func describeTags(f *api.File) string {
	tags := "no tags"
	if list := f.Tags.Or(nil); len(list) > 0 {
		tags = "tags " + strings.Join(list, ", ")
	}
	if region := f.CustomCoordinates.Or(""); region != "" {
		tags += ", region " + region
	}
	return tags
}

// details describes a file and changes its tags or region.
func (t *promptSession) details(f *api.File) {
	if w, h, ok := f.PixelSize(); ok {
		t.say("%s has %d by %d pixels.", f.FilePath, w, h)
	}
	for _, ai := range f.AITags.Or(nil) {
		t.say("Found by %s: %s, %.0f percent sure.", ai.Source, ai.Name, ai.Confidence)
	}
	change := func(label, flag, question string) menuItem {
		return menuItem{label, func() {
			flags := []string{"--" + flag}
			if question != "" {
				flags = t.askFlags([2]string{flag, question})
			}
			if len(flags) == 0 {
				return
			}
			t.say("Before: %s.", describeTags(f))
			if !t.yes("Save this change: " + strings.TrimPrefix(flags[0], "--") + "?") {
				t.say("Nothing was changed.")
				return
			}
			_ = t.run(session.Command("details", []string{f.FileID}, flags...)...)
		}}
	}
	t.menu(fmt.Sprintf("%s: %s.", f.FilePath, describeTags(f)), "Back",
		change("Add tags", "add-tags", "Tags to add, separated by commas:"),
		change("Remove tags", "remove-tags", "Tags to remove, separated by commas:"),
		change("Replace the tags", "tags", "The tags, separated by commas:"),
		change("Remove all tags", "unset-tags", ""),
		change("Set the region", "region", "Region as x,y,width,height in pixels:"),
		change("Remove the region", "unset-region", ""),
		menuItem{"Read the whole record", t.runs(session.Command("details", []string{f.FileID})...)})
}

// profiles lists and changes accounts.
func (t *promptSession) profiles() {
	t.menu("Profiles and keys.", "Back",
		menuItem{"List the profiles", t.runs("profile", "list")},
		menuItem{"Use another profile", func() {
			if name := t.ask("Name of the profile:"); name != "" {
				_ = t.run("profile", "use", name)
			}
		}},
		menuItem{"Add an account", t.addProfile},
		menuItem{"Store a key in the keyring", func() { t.storeKey() }},
		menuItem{"Show where the key comes from", t.runs("key", "where")},
		menuItem{"Forget the key in the keyring", t.runs("key", "forget")})
}

// addProfile asks for an account and makes it the profile in use.
func (t *promptSession) addProfile() {
	name := t.ask("A name for the account, of letters and digits:")
	if name == "" {
		return
	}
	args := t.askFlags([2]string{"hosted", "The account's id at the hosted service; empty for another server:"})
	if len(args) == 0 {
		args = t.askFlags(
			[2]string{"upload-url", "Address for uploads:"},
			[2]string{"base-url", "Address for all other calls; empty for the same:"},
			[2]string{"delivery-url", "Address that serves the files; empty for none:"})
	}
	if t.end == nil && t.run(append([]string{"profile", "add", name}, args...)...) == nil && t.run("profile", "use", name) == nil {
		t.storeKey("--profile=" + name)
	}
}

// storeKey asks whether to store the key of a profile in the keyring, and does so.
func (t *promptSession) storeKey(profile ...string) {
	if !t.yes("Store its private key in the keyring of the operating system?") {
		t.say("You can also give the key by the variable %s, or by a key file or key command of the profile.", api.KeyVariable)
		return
	}
	hidden := *t
	if t.tty != nil {
		hidden.p.Stdin = t.tty // to type it without echo
	}
	_ = hidden.run(append([]string{"key", "set"}, profile...)...)
}
