package media

import "golang.org/x/sys/unix"

// limitNote completes the error message of a failed program.
const limitNote = " (or needs more than 512 MB of memory)"

// limit limits the memory and the files of a running program.
func limit(pid int) {
	for what, most := range map[int]uint64{
		unix.RLIMIT_AS: converterSpace, unix.RLIMIT_DATA: converterMemory, unix.RLIMIT_FSIZE: converterOutput, unix.RLIMIT_CORE: 0,
	} {
		_ = unix.Prlimit(pid, what, &unix.Rlimit{Cur: most, Max: most}, nil)
	}
}
