package cli

import (
	"errors"
	"fmt"
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
		Short: "Run the local service for other programs",
		Long: "Run the service of this program for other programs: the whole API over a folder of this computer. " +
			"It prints its address, its folder and where the key is; with --json on one line. The key is that of " + api.KeyVariable + ", or one that is made once and kept in the folder.\n\n" +
			"--check serves nothing: it verifies every record against its content, by hash and size, and prints each problem on a line (with --json as an object). The exit code is 0 if there is none.\n\n" +
			"--repair checks and repairs. It rebuilds damaged, lost or outdated records from the readable parts, the last snapshot and the contents; it cancels extension runs that crashed the program; " +
			"and it makes a copy of the folder consistent that was made while the library ran (--from names the original, if it still exists). It removes no content.",
		Example: "mediadesk serve\nMEDIADESK_PRIVATE_KEY=test mediadesk serve --data /tmp/library --json\n" +
			"mediadesk serve --check\ncp -r library backup\nmediadesk serve --repair --data backup --from library",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd, p, f, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&s.addr, "addr", config.DefaultLocalAddr, "listen on this address; port 0 picks one (default: "+config.DefaultLocalAddr+")")
	fl.StringVar(&s.data, "data", "", "folder of the library (default: that of the local profile)")
	fl.StringArrayVar(&s.hosts, "host", nil, "host name that requests may use (repeatable); beyond loopback, the names of the computer are known")
	fl.StringVar(&s.public, "public-url", "", "address for the files in records (default: the one that the request used)")
	fl.Int64Var(&s.maxSize, "max-size", config.DefaultMaxSize, "largest file in bytes (default: 25000000)")
	fl.StringArrayVar(&s.allow, "allow-address", nil, "internal address that URL sources and webhooks may reach (repeatable)")
	fl.StringArrayVar(&s.faults, "fault", nil, "make faults on purpose: delay=2s, drop-after=BYTES, answers=lost, refuse=STATUS, extensions=pending|fail, webhooks=lost|repeated|out-of-order; "+
		"all but delay take a chance, such as refuse=503:0.3 (repeatable)")
	fl.StringArrayVar(&s.named, "transformation", nil, "named transformation, such as card=fo-custom,w-400:h-300 (repeatable)")
	fl.BoolVar(&s.check, "check", false, "verify the library instead of serving it")
	fl.BoolVar(&s.repair, "repair", false, "verify the library and repair it")
	fl.StringVar(&s.from, "from", "", "with --repair: folder that this one is a copy of; it may be in use")
	fl.Uint64Var(&s.seed, "seed", 0, "seed of faults that happen by chance")
	return cmd
}

// serveLine is the contract's first line.
type serveLine struct {
	Address string `json:"address"`
	Data    string `json:"data"`
	Key     string `json:"key"` // where the key comes from, never the key
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
		p.note(f, "faults on: %s", faults)
	}
	if f.json {
		err = printJSON(p.Stdout, serveLine{server.Address, dir, source})
	} else {
		_, err = fmt.Fprintf(p.Stdout, "The local library listens on %s\n  folder  %s\n  key     %s\nPress ctrl+c to stop it.\n", server.Address, text.Safe(dir), text.Safe(source))
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
	stderr := slog.NewTextHandler(secrets.Writer(p.Stderr), nil)
	return slog.New(slog.NewMultiHandler(slog.Default().Handler(), stderr))
}

// options are those of the flags, else those of the settings.
func (s *serveFlags) options(cmd *cobra.Command, settings config.Local) (local.Options, error) {
	given := cmd.Flags().Changed
	o := local.Options{MaxSize: settings.MaxSize, AllowAddresses: settings.AllowAddresses, Seed: settings.Seed, Commands: settings.Commands, Named: map[string]string{}}
	faults := settings.Fault
	if _, port, err := net.SplitHostPort(s.addr); err != nil {
		return o, fmt.Errorf("--addr takes HOST:PORT, not %q", s.addr)
	} else if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return o, fmt.Errorf("--addr %q: the port must be a number up to 65535", s.addr)
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
			return o, errors.New("--max-size takes a number of bytes above 0")
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
			return o, fmt.Errorf("--transformation takes NAME=STEPS, not %q", text)
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
