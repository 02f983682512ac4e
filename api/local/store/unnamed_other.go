//go:build !linux

package store

import (
	"errors"
	"os"
)

func canDraftUnnamed(string) bool { return false }

func draftUnnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkUnnamed(*os.File, string) error { return errors.ErrUnsupported }
