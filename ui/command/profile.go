package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"mediadesk/config"
	"mediadesk/ui/kit"
)

func newProfile(p *Program, f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "profile",
		Short: "The accounts that mediadesk knows",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newProfileAdd(p, f), newProfileList(p, f), newProfileShow(p, f), newProfileUse(p), newProfileRemove(p))
	return cmd
}

func newProfileAdd(p *Program, f *flags) *cobra.Command {
	var hosted string
	var maxSize int64
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Add an account, or change one",
		Long:  "Add an account: of the hosted service with --hosted, or of any server of this API with its addresses. The key is set apart: mediadesk key set.",
		Example: "mediadesk profile add work --hosted my_imagekit_id\n" +
			"mediadesk profile add lab --upload-url https://media.example.com --base-url https://media.example.com --delivery-url https://img.example.com",
		Args: oneArg("the name of the profile"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := config.Load(p.Paths.Config)
			if err != nil {
				return err
			}
			var profile config.Profile
			switch {
			case cmd.Flags().Changed("hosted"):
				profile = config.HostedPreset(args[0], hosted)
			case f.Unnamed():
				profile, err = Resolve(c, Request{UploadURL: f.UploadURL, BaseURL: f.BaseURL, DeliveryURL: f.DeliveryURL})
				if err != nil {
					return err
				}
				profile.Name = args[0]
			default:
				return usage("say which account: --hosted ID, or --upload-url and --base-url")
			}
			if maxSize > 0 {
				profile.MaxSize = maxSize
			}
			if _, err := c.SetProfile(profile); err != nil {
				return &exitError{exitUsage, err}
			}
			_, err = fmt.Fprintf(p.Stdout, "Profile %s is set. Next: mediadesk key set --profile %s, then mediadesk profile use %s\n", args[0], args[0], args[0])
			return err
		},
	}
	cmd.Flags().StringVar(&hosted, "hosted", "", "the account's id at the hosted service, as in https://ik.imagekit.io/ID")
	cmd.Flags().Int64Var(&maxSize, "max-size", 0, "greatest file that the account takes, in bytes")
	return cmd
}

// profileLine describes a profile for scripts.
type profileLine struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"`
	Used        bool   `json:"used"`
	UploadURL   string `json:"uploadUrl"`
	BaseURL     string `json:"baseUrl"`
	DeliveryURL string `json:"deliveryUrl"`
	MaxSize     int64  `json:"maxSize"`
}

func profileLineOf(c config.Config, name string) profileLine {
	q := c.Profiles[name]
	return profileLine{q.Name, string(q.Kind), name == c.Profile, q.UploadURL, q.BaseURL, q.DeliveryURL, q.MaxSize}
}

func newProfileList(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the profiles", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := config.Load(p.Paths.Config)
			if err != nil {
				return err
			}
			for _, name := range c.Names() {
				line := profileLineOf(c, name)
				if f.json {
					err = printJSON(p.Stdout, line)
				} else {
					mark := " "
					if line.Used {
						mark = "*"
					}
					address := line.UploadURL
					if address == "" {
						address = "the local library of this computer"
					}
					_, err = fmt.Fprintf(p.Stdout, "%s %-16s %-8s %s\n", mark, name, line.Kind, kit.Safe(address))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func newProfileShow(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a profile", Args: oneArg("the name of the profile"),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := config.Load(p.Paths.Config)
			if err != nil {
				return err
			}
			if _, err := c.Find(args[0]); err != nil {
				return err
			}
			line := profileLineOf(c, args[0])
			if f.json {
				return printJSON(p.Stdout, line)
			}
			for _, row := range [][2]string{{"name", line.Name}, {"kind", line.Kind}, {"upload", line.UploadURL}, {"base", line.BaseURL}, {"delivery", line.DeliveryURL}, {"largest file", kit.Bytes(line.MaxSize)}} {
				if row[1] != "" {
					fmt.Fprintf(p.Stdout, "%-14s %s\n", row[0], kit.Safe(row[1]))
				}
			}
			return nil
		},
	}
}

func newProfileUse(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "use NAME", Short: "Make a profile the one in use", Args: oneArg("the name of the profile"),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := config.Load(p.Paths.Config)
			if err != nil {
				return err
			}
			if _, err := c.Use(args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Profile %s is in use.\n", args[0])
			return err
		},
	}
}

func newProfileRemove(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a profile from the settings", Args: oneArg("the name of the profile"),
		Long: "Remove a profile from the settings. Nothing is removed at the service; the key stays in the keyring until mediadesk key forget.",
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := config.Load(p.Paths.Config)
			if err != nil {
				return err
			}
			if _, err := c.RemoveProfile(args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(p.Stdout, "Profile %s is removed.\n", args[0])
			return err
		},
	}
}
