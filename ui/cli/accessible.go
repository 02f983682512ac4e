package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// AccessibleVariable asks for prompts and sentences instead of screens.
const AccessibleVariable = "MEDIADESK_ACCESSIBLE"

// talk is the program in prompts and sentences: one line after the other,
// nothing drawn over, no signs without words. Each answer becomes a command of
// this program, which is run and named, so that what is learnt here can be used
// without the questions.
type talk struct {
	ctx    context.Context //nolint:containedctx // of one run of the conversation
	p      Program         // with our reader as its input
	global []string        // flags of every command, as they were given
	in     *bufio.Reader
	tty    *os.File // to read a key without showing it; nil: input is no terminal
}

// errLeave ends the conversation: the input is at its end.
var errLeave = errors.New("the input is at its end")

// accessible holds the conversation. The files named on the command line are
// the first to be sent.
func accessible(ctx context.Context, p *Program, f *flags, files []string) error {
	t := &talk{ctx: ctx, p: *p, in: bufio.NewReader(p.Stdin)}
	if in, ok := p.Stdin.(*os.File); ok && term.IsTerminal(in.Fd()) {
		t.tty = in
	}
	t.p.Stdin = t.in
	for flag, value := range map[string]string{"profile": f.Profile, "upload-url": f.UploadURL, "base-url": f.BaseURL, "delivery-url": f.DeliveryURL} {
		if value != "" {
			t.global = append(t.global, "--"+flag+"="+value)
		}
	}
	slices.Sort(t.global)
	t.global = append(t.global, "--accessible")
	if f.KeyFD >= 0 {
		t.global = append(t.global, "--key-fd="+strconv.Itoa(f.KeyFD))
	}
	err := t.start(f, files)
	if errors.Is(err, errLeave) {
		t.say("Goodbye.")
		return nil
	}
	return err
}

func (t *talk) say(format string, args ...any) {
	fmt.Fprintln(t.p.Stdout, safeLines(fmt.Sprintf(format, args...)))
}

// ask asks a question and gives the answer without blanks around it.
func (t *talk) ask(question string) (string, error) {
	fmt.Fprint(t.p.Stdout, safeLines(question)+" ")
	if err := t.ctx.Err(); err != nil {
		return "", errLeave
	}
	line, err := terminal.Ask(t.ctx, t.p.Stdin, func() (string, error) { return t.in.ReadString('\n') })
	if t.tty == nil || err != nil {
		fmt.Fprintln(t.p.Stdout) // nobody pressed enter where it could be seen
	}
	if err != nil && line == "" {
		return "", errLeave
	}
	return strings.TrimSpace(line), nil
}

// yes asks a question that is answered with yes or no. An empty answer is no.
func (t *talk) yes(question string) (bool, error) {
	for {
		answer, err := t.ask(question + " Type yes or no:")
		if err != nil {
			return false, err
		}
		switch strings.ToLower(answer) {
		case "y", "yes":
			return true, nil
		case "", "n", "no":
			return false, nil
		}
		t.say("Please type yes or no.")
	}
}

// choose reads choices and asks for a number; 0 is the last one, which goes
// back. It gives the index of the choice, -1 for back.
func (t *talk) choose(title, back string, choices ...string) (int, error) {
	t.say("\n%s", title)
	for i, c := range choices {
		t.say("%d: %s", i+1, c)
	}
	t.say("0: %s", back)
	for {
		answer, err := t.ask("Type a number and press enter:")
		if err != nil {
			return -1, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 0 && n <= len(choices) {
			return n - 1, nil
		}
		t.say("%q is not one of the numbers 0 to %d.", answer, len(choices))
	}
}

// run runs a command of this program, and says what it was.
func (t *talk) run(args ...string) error {
	t.say("Command: %s", session.CommandLine(args))
	return t.quiet(t.p.Stdout, args...)
}

// quiet runs a command with its output elsewhere. An error is said here, and
// given back.
func (t *talk) quiet(out io.Writer, args ...string) error {
	p := t.p
	p.Stdout = out
	root := newRoot(&p)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetArgs(append(slices.Clone(args), t.global...))
	root.SetOut(out)
	root.SetErr(t.p.Stderr)
	err := root.ExecuteContext(t.ctx)
	if err != nil {
		report(t.p.Stdout, err)
	}
	return err
}

// start asks what a first start asks, and then the main questions.
func (t *talk) start(f *flags, files []string) error {
	t.say("mediadesk, a desk for a media library, in prompts and sentences.")
	settings, err := config.Load(t.p.Paths)
	if err != nil {
		return err
	}
	if !settings.Exists && !f.Unnamed() && f.Profile == "" {
		if err := t.first(settings); err != nil {
			return err
		}
	}
	if len(files) > 0 {
		if err := t.send(files); err != nil {
			return err
		}
	}
	for {
		settings, err := config.Load(t.p.Paths)
		if err != nil {
			return err
		}
		profile, err := session.Resolve(settings, f.Request)
		if err != nil {
			return err
		}
		n, err := t.choose(fmt.Sprintf("Profile in use: %s. What do you want to do?", profile.Name), "Leave",
			"Send files", "Go on with what waits in the journal", "Watch extensions finish", "Look at the library and change files", "Profiles and keys", "Look for problems (doctor)")
		if err != nil {
			return err
		}
		switch n {
		case 0:
			err = t.send(nil)
		case 1:
			_ = t.run("resume")
		case 2:
			_ = t.run("watch", "--timeout=5m")
		case 3:
			err = t.library()
		case 4:
			err = t.profiles()
		case 5:
			_ = t.run("doctor")
		default:
			t.say("Goodbye.")
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// first are the choices of a first start. Nothing is written before one is
// taken.
func (t *talk) first(settings config.Config) error {
	choices := []string{
		"Try it here, with the local library: no account, and nothing leaves this computer",
		"Connect an account of the hosted service, or of another server",
	}
	n, err := t.choose("This is the first start. Nothing is written and nothing is connected before you choose.", "Leave", choices...)
	if err != nil {
		return err
	}
	switch n {
	case 0:
		_, err = settings.Use(config.LocalProfile)
		return err
	case 1:
		return t.addProfile()
	}
	return errLeave
}

// send asks for files and what they are, says what sending will do, and sends.
func (t *talk) send(files []string) error {
	if len(files) == 0 {
		var err error
		if files, err = t.pick(); err != nil || len(files) == 0 {
			return err
		}
	}
	args := append([]string{"upload"}, files...)
	info, err := os.Stat(files[0]) // fails for a URL, which is one file
	single := len(files) == 1 && (err != nil || !info.IsDir())
	for _, q := range []struct{ flag, question string }{
		{"tags", "Tags, parted by commas; empty for none:"},
		{"folder", "Folder, such as /summer/; empty for the usual one:"},
		{"region", "Area of interest as x,y,width,height in pixels; empty for none:"},
		{"description", "Description; empty for none:"},
	} {
		if q.flag == "region" && !single {
			continue
		}
		answer, err := t.ask(q.question)
		if err != nil {
			return err
		}
		if answer != "" {
			args = append(args, "--"+q.flag+"="+answer)
		}
	}
	if single {
		name, err := t.ask("Name of the stored file; empty for that of the source:")
		if err != nil {
			return err
		}
		if name != "" {
			args = append(args, "--name="+name)
		}
	}
	extensions, err := t.extensions()
	if err != nil {
		return err
	}
	args = append(args, extensions...)
	if private, err := t.yes("Shall it be private?"); err != nil {
		return err
	} else if private {
		args = append(args, "--private")
	}
	n := t.describe(args)
	if n == 0 {
		return nil
	}
	send, err := t.yes(fmt.Sprintf("Send %s?", text.Plural(n, "file")))
	if err != nil || !send {
		t.say("Nothing was sent.")
		return err
	}
	if len(extensions) > 0 {
		args = append(args, "--wait", "--timeout=5m")
	}
	_ = t.run(args...)
	return nil
}

// mostDescribed is how many files of an upload are described one by one.
const mostDescribed = 20

// describe says in sentences what an upload will send, and of how many files
// that is; 0: it cannot be sent.
func (t *talk) describe(args []string) (n int) {
	var out bytes.Buffer
	if t.quiet(&out, append(slices.Clone(args), "--dry-run", "--json")...) != nil {
		return 0
	}
	for line := range bytes.Lines(out.Bytes()) {
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
		words := []string{}
		for _, part := range r.Parts {
			switch part.Name {
			case "fileName":
				words = append(words, "under a name like "+part.Value)
			case "folder":
				words = append(words, "in the folder "+part.Value)
			case "tags":
				words = append(words, "with the tags "+part.Value)
			case "customCoordinates":
				words = append(words, "with the region "+part.Value)
			case "extensions":
				words = append(words, "with the extensions "+part.Value)
			case "isPrivateFile":
				words = append(words, "private: "+part.Value)
			}
		}
		t.say("%s will be sent %s.", filepath.Base(r.File), strings.Join(words, ", "))
	}
	if more := n - mostDescribed; more > 0 {
		t.say("And %s likewise.", text.Plural(more, "more file"))
	}
	return n
}

// extensions asks which to run.
func (t *talk) extensions() ([]string, error) {
	names := []string{api.RemoveBackground, api.GoogleTagging, api.AWSTagging}
	t.say("Extensions: 1: remove the background. 2: google tagging. 3: aws tagging.")
	for {
		answer, err := t.ask("Numbers of those to run, parted by commas, or names; empty for none:")
		if err != nil {
			return nil, err
		}
		var args []string
		wrong := ""
		for _, one := range api.SplitTags(answer) {
			if n, err := strconv.Atoi(one); err == nil {
				if n < 1 || n > len(names) {
					wrong = one
					break
				}
				one = names[n-1]
			}
			args = append(args, "--extension="+one)
		}
		if wrong == "" {
			return args, nil
		}
		t.say("There is no extension %s.", wrong)
	}
}

// pick asks for paths, or for numbers of the files of a folder.
func (t *talk) pick() ([]string, error) {
	folder, err := os.Getwd()
	if err != nil {
		folder = "."
	}
	var files []string
	t.say("\nWhich files? Type a path or an address. Type list to hear the files of the folder you are in, %s.", folder)
	var listed []string
	for {
		answer, err := t.ask("Path, address, number, list, or empty when done:")
		if err != nil {
			return nil, err
		}
		picked := answer
		if n, err := strconv.Atoi(answer); err == nil && n > 0 && n <= len(listed) {
			picked = listed[n-1]
		}
		switch {
		case answer == "":
			return files, nil
		case answer == "list":
			if listed, err = t.list(folder); err != nil {
				t.say("%v", err)
			}
			continue
		case !strings.Contains(picked, "://") && !filepath.IsAbs(picked):
			picked = filepath.Join(folder, picked)
		}
		if strings.Contains(picked, "://") {
			files = append(files, picked)
		} else if info, err := os.Stat(picked); err != nil {
			t.say("%s cannot be picked: it is not there, or cannot be read.", answer)
			continue
		} else if info.IsDir() {
			folder = picked
			t.say("You are in the folder %s now. Type list to hear its files.", folder)
			continue
		} else {
			files = append(files, picked)
		}
		t.say("Picked: %s. %s so far.", filepath.Base(picked), text.Plural(len(files), "file"))
	}
}

// list reads the files of a folder aloud.
func (t *talk) list(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
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
		t.say("There are no files here.")
	}
	return listed, nil
}

// library lists the files and changes one.
func (t *talk) library() error {
	var out bytes.Buffer
	if t.quiet(&out, "list", "--json") != nil {
		return nil
	}
	var files []api.File
	for line := range bytes.Lines(out.Bytes()) {
		var f api.File
		if err := json.Unmarshal(line, &f); err == nil && !f.IsFolder() {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		t.say("The library has no files yet.")
		return nil
	}
	words := make([]string, len(files))
	for i, f := range files {
		words[i] = f.FilePath + ", " + tagWords(&f)
	}
	n, err := t.choose(text.Plural(len(files), "file")+" in the library. Which one?", "Back", words...)
	if err != nil || n < 0 {
		return err
	}
	return t.details(&files[n])
}

func tagWords(f *api.File) string {
	tags := "no tags"
	if list := f.Tags.Or(nil); len(list) > 0 {
		tags = "tags " + strings.Join(list, ", ")
	}
	if region, ok := f.CustomCoordinates.Get(); ok && region != "" {
		tags += ", region " + region
	}
	return tags
}

// details reads one file aloud and changes its tags or region.
func (t *talk) details(f *api.File) error {
	if w, ok := f.Width.Get(); ok {
		if h, ok := f.Height.Get(); ok {
			t.say("%s has %d by %d pixels.", f.FilePath, w, h)
		}
	}
	for _, ai := range f.AITags.Or(nil) {
		t.say("Found by %s: %s, %.0f percent sure.", ai.Source, ai.Name, ai.Confidence)
	}
	n, err := t.choose(fmt.Sprintf("%s: %s.", f.FilePath, tagWords(f)), "Back",
		"Add tags", "Remove tags", "Set the tags anew", "Unset the tags", "Set the region", "Unset the region", "Read the whole record")
	if err != nil || n < 0 {
		return err
	}
	change := ""
	switch n {
	case 0, 1, 2, 4:
		question := [...]string{"Tags to add, parted by commas:", "Tags to remove, parted by commas:", "The tags, parted by commas:", "", "Region as x,y,width,height in pixels:"}[n]
		answer, err := t.ask(question)
		if err != nil || answer == "" {
			return err
		}
		change = [...]string{"--add-tags=", "--remove-tags=", "--tags=", "", "--region="}[n] + answer
	case 3:
		change = "--unset-tags"
	case 5:
		change = "--unset-region"
	default:
		_ = t.run(session.Command("details", []string{f.FileID})...)
		return nil
	}
	t.say("Before: %s.", tagWords(f))
	save, err := t.yes("Save this change: " + strings.TrimPrefix(change, "--") + "?")
	if err != nil || !save {
		t.say("Nothing was changed.")
		return err
	}
	_ = t.run(session.Command("details", []string{f.FileID}, change)...)
	return nil
}

// profiles lists the accounts and changes them.
func (t *talk) profiles() error {
	n, err := t.choose("Profiles and keys.", "Back", "Hear the profiles", "Use another profile", "Add an account", "Keep a key in the keyring", "Hear where the key is from", "Forget the key in the keyring")
	if err != nil || n < 0 {
		return err
	}
	switch n {
	case 0:
		_ = t.run("profile", "list")
	case 1:
		name, err := t.ask("Name of the profile:")
		if err != nil || name == "" {
			return err
		}
		_ = t.run("profile", "use", name)
	case 2:
		return t.addProfile()
	case 3:
		return t.keepKey("")
	case 4:
		_ = t.run("key", "where")
	case 5:
		_ = t.run("key", "forget")
	}
	return nil
}

// addProfile asks for an account and takes it into use.
func (t *talk) addProfile() error {
	name, err := t.ask("A name for the account, of letters and digits:")
	if err != nil || name == "" {
		return err
	}
	id, err := t.ask("The account's id at the hosted service; empty for another server:")
	if err != nil {
		return err
	}
	args := []string{"profile", "add", name}
	if id != "" {
		args = append(args, "--hosted="+id)
	} else {
		for _, q := range []struct{ flag, question string }{
			{"upload-url", "Address of the upload operation:"},
			{"base-url", "Address of the details operation; empty for the same:"},
			{"delivery-url", "Address that serves the files; empty for none:"},
		} {
			answer, err := t.ask(q.question)
			if err != nil {
				return err
			}
			if answer != "" {
				args = append(args, "--"+q.flag+"="+answer)
			}
		}
	}
	if t.run(args...) != nil || t.run("profile", "use", name) != nil {
		return nil
	}
	return t.keepKey(name)
}

// keepKey puts a key into the keyring, where there is one.
func (t *talk) keepKey(profile string) error {
	keep, err := t.yes("Keep its private key in the keyring of the operating system?")
	if err != nil || !keep {
		t.say("The key can also be given by the variable %s, or by a key file or key command of the profile.", api.KeyVariable)
		return err
	}
	args := []string{"key", "set"}
	if profile != "" {
		args = append(args, "--profile="+profile)
	}
	p := t.p
	if t.tty != nil {
		p.Stdin = t.tty // to type it without its being shown
	}
	hidden := *t
	hidden.p = p
	_ = hidden.run(args...)
	return nil
}
