package media

import "golang.org/x/sys/unix"

// limitsInWords completes why a program failed.
const limitsInWords = ", or needs more than 512 MB of memory for it"

// limit bounds the memory and the files of a running program.
func limit(pid int) {
	for what, most := range map[int]uint64{
		unix.RLIMIT_AS: converterSpace, unix.RLIMIT_DATA: converterMemory, unix.RLIMIT_FSIZE: converterOutput, unix.RLIMIT_CORE: 0,
	} {
		_ = unix.Prlimit(pid, what, &unix.Rlimit{Cur: most, Max: most}, nil)
	}
}
