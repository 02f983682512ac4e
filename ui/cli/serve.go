package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// serveFlags are those of mediadesk serve.
type serveFlags struct {
	addr, data    string
	maxSize       int64
	hosts         []string
	public        string
	allow, faults []string
	seed          uint64
	named         []string
	check, repair bool
	from          string
}

func newServe(p *Program, f *flags) *cobra.Command {
	s := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the local library alone, for other programs",
		Long: "Run the service of this program by itself: both operations of the specification over a folder of this computer. " +
			"Address, folder and where the key is are printed; with --json as one line. The key is that of " + api.KeyVariable + ", else one that is made once and kept in the folder.\n\n" +
			"With --check nothing is served: every record is verified against its content, by hash and size, and each problem is printed as a line (with --json as an object); the exit code is 0 where there is none. " +
			"--repair checks and repairs: it rebuilds damaged, lost or outdated records from what can be read of them, from the last snapshot and from the contents, cancels extension runs that ended the program, and makes a copy of the folder consistent that was made while the library ran; --from names the folder that it is a copy of, if that is still there. It removes no content.",
		Example: "mediadesk serve\nMEDIADESK_PRIVATE_KEY=test mediadesk serve --addr 127.0.0.1:0 --data /tmp/library --json\n" +
			"mediadesk serve --check\ncp -r library backup && mediadesk serve --repair --data backup --from library",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd, p, f, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&s.addr, "addr", config.DefaultLocalAddr, "address and port to listen on; port 0 picks one")
	fl.StringVar(&s.data, "data", "", "folder of the library (default: that of the local profile)")
	fl.StringArrayVar(&s.hosts, "host", nil, "host name that requests may use (repeatable); beyond loopback the names of the computer count by themselves")
	fl.StringVar(&s.public, "public-url", "", "address for the files in records (default: the one that the request used)")
	fl.Int64Var(&s.maxSize, "max-size", config.DefaultMaxSize, "greatest file in bytes")
	fl.StringArrayVar(&s.allow, "allow-address", nil, "address HOST:PORT that URL sources and webhooks may reach although it is internal; may be given again")
	fl.StringArrayVar(&s.faults, "fault", nil, "fault to make on purpose, KIND=VALUE; may be given again: delay=2s, drop-after=BYTES, answers=lost, refuse=STATUS, extensions=pending|fail, webhooks=lost|repeated|out-of-order; all but delay take a chance, such as refuse=503:0.3")
	fl.StringArrayVar(&s.named, "transformation", nil, "named transformation, NAME=STEPS such as card=fo-custom,w-400:h-300; may be given again")
	fl.BoolVar(&s.check, "check", false, "verify the library instead of serving it")
	fl.BoolVar(&s.repair, "repair", false, "verify the library and repair it")
	fl.StringVar(&s.from, "from", "", "with --repair: the folder that this one is a copy of; it may be in use")
	fl.Uint64Var(&s.seed, "seed", 0, "seed of the faults that happen by chance")
	return cmd
}

// serveLine is the contract's first line.
type serveLine struct {
	Address string `json:"address"`
	Data    string `json:"data"`
	Key     string `json:"key"` // where the key is from, never the key
}

func runServe(cmd *cobra.Command, p *Program, f *flags, s *serveFlags) error {
	ctx := cmd.Context()
	if s.data == "" {
		s.data = p.Paths.Library()
	}
	dir, err := filepath.Abs(s.data)
	if err != nil {
		return err
	}
	if s.check || s.repair || s.from != "" {
		return runCheck(cmd.Context(), p, f, s, dir)
	}
	c, err := config.Load(p.Paths)
	if err != nil {
		return err
	}
	o, err := s.options(cmd, c.Local)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	key, source, err := serveKey(p, dir)
	if err != nil {
		return err
	}
	o.Dir, o.Key, o.Log = dir, key, serviceLog(p, key)
	o.Embeddable = true // pages under development show its pictures
	server, err := local.Serve(ctx, s.addr, o)
	if err != nil {
		return err
	}
	if server.Public() {
		fmt.Fprintln(p.Stderr, "Listening beyond this computer: everyone who can reach "+s.addr+" and has the key can use this library.")
	}
	if faults := o.Fault.String(); faults != "" {
		fmt.Fprintln(p.Stderr, "faults on: "+faults)
	}
	if f.json {
		err = printJSON(p.Stdout, serveLine{server.Address, dir, source})
	} else {
		_, err = fmt.Fprintf(p.Stdout, "The local library listens on %s\n  folder  %s\n  key     %s\nctrl+c ends it.\n", server.Address, text.Safe(dir), text.Safe(source))
	}
	if err == nil {
		<-ctx.Done()
	}
	if closing := server.Close(); err == nil {
		err = closing
	}
	return err
}

// serviceLog writes to the log of the program and to stderr, without the key.
func serviceLog(p *Program, key config.Secret) *slog.Logger {
	secrets := p.Options.Secrets
	if secrets == nil {
		secrets = new(config.Redactor)
	}
	secrets.Add(key)
	stderr := slog.NewTextHandler(redactedLines{p.Stderr, secrets}, nil)
	return slog.New(slog.NewMultiHandler(slog.Default().Handler(), stderr))
}

// redactedLines writes lines without the known keys.
type redactedLines struct {
	to      io.Writer
	secrets *config.Redactor
}

func (w redactedLines) Write(line []byte) (int, error) {
	_, err := io.WriteString(w.to, w.secrets.String(string(line)))
	return len(line), err
}

// options are what the flags say, and the settings where there are none.
func (s *serveFlags) options(cmd *cobra.Command, settings config.Local) (local.Options, error) {
	given := cmd.Flags().Changed
	o := local.Options{MaxSize: settings.MaxSize, AllowAddresses: settings.AllowAddresses, Seed: settings.Seed, Commands: settings.Commands, Named: map[string]string{}}
	faults := settings.Fault
	if _, port, err := net.SplitHostPort(s.addr); err != nil {
		return o, fmt.Errorf("--addr %q is not HOST:PORT", s.addr)
	} else if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return o, fmt.Errorf("--addr %q: the port is a number up to 65535", s.addr)
	}
	for _, host := range s.hosts {
		if err := local.CheckHost(host); err != nil {
			return o, fmt.Errorf("--host: %w", err)
		}
	}
	if given("public-url") {
		if err := local.CheckPublicURL(s.public); err != nil {
			return o, fmt.Errorf("--public-url: %w", err)
		}
	}
	o.Hosts, o.Address = s.hosts, s.public
	if given("max-size") {
		if o.MaxSize = s.maxSize; s.maxSize <= 0 {
			return o, errors.New("--max-size is a number of bytes above 0")
		}
	}
	if given("allow-address") {
		o.AllowAddresses = s.allow
		for _, text := range s.allow {
			if err := local.CheckAllowed(text); err != nil {
				return o, err
			}
		}
	}
	if given("fault") {
		faults = s.faults
	}
	if given("seed") {
		o.Seed = s.seed
	}
	maps.Copy(o.Named, settings.Transformations)
	for _, text := range s.named {
		name, steps, ok := strings.Cut(text, "=")
		if !ok {
			return o, fmt.Errorf("--transformation %q is not NAME=STEPS", text)
		}
		o.Named[name] = steps
	}
	if err := local.CheckNamed(o.Named); err != nil {
		return o, err
	}
	var err error
	o.Fault, err = local.ParseFault(faults)
	return o, err
}

// serveKey is the key of the environment, else the folder's own.
func serveKey(p *Program, dir string) (config.Secret, string, error) {
	if text := p.Getenv(api.KeyVariable); text != "" {
		key, err := config.NewSecret(text)
		if err != nil {
			return key, "", &exitError{exitKey, fmt.Errorf("%s: %w", api.KeyVariable, err)}
		}
		return key, "environment " + api.KeyVariable, nil
	}
	text, path, err := local.FolderKey(dir)
	if err != nil {
		return config.Secret{}, "", err
	}
	key, err := config.NewSecret(text)
	return key, path, err
}
