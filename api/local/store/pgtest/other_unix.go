//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// asOther makes a command run as another user than root, who gets the folder.
func asOther(cmd *exec.Cmd, dir string) error {
	if os.Getuid() != 0 {
		return nil
	}
	other, err := user.Lookup("postgres")
	if err != nil {
		if other, err = user.Lookup("nobody"); err != nil {
			return err
		}
	}
	id, err := strconv.ParseUint(other.Uid, 10, 32)
	if err != nil {
		return err
	}
	group, err := strconv.ParseUint(other.Gid, 10, 32)
	if err != nil {
		return err
	}
	credential := &syscall.Credential{Uid: uint32(id), Gid: uint32(group)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	return os.Chown(dir, int(id), int(group))
}
