#!/bin/sh
# Measures the library against other servers in the same run and prints the ratios:
#   uploads    pictures of 20 kB at 1 to 32 connections, against the library with one transaction
#              for each, a server that does only what is necessary, and create+write+fdatasync,
#              with the processor time of each
#   engines    PostgreSQL and an S3 store against SQLite and a folder: uploads at 8 connections,
#              and a page of 50 meanwhile, compared with a computation of the same length
#   instances  one, two and four instances on PostgreSQL and an S3 store, and the inputs of
#              docs/scale_test.go
#   large      300 MB by curl, against a server that only writes the bytes; memory
#   million    listing, searching, uploading and PATCH at 1,000,000 files against 1,000, in SQLite
#              and in PostgreSQL; pages during uploads at full speed, compared with a computation
#              of the same length (3 GB of records, takes minutes; MEDIADESK_BENCH_KEPT=DIR keeps
#              those of SQLite for the next run)
#   cutout     remove-bg of 2 and 12 megapixels, and the second against the flood fill of
#              ImageMagick (ours/its: our share of its time)
# Usage: bench.sh [uploads] [engines] [instances] [large] [million] [cutout]; without an argument all of
# them. Its folder is in TMPDIR, which should be on the disk to measure.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- uploads engines instances large million cutout
MEDIADESK_BENCH=$(IFS=,; echo "$*") go test -count=1 -timeout 60m -v -run '^TestRatios$' . | sed -n '/measured only/d; s/^ *[a-z]*_test.go:[0-9]*: //p'
case " $* " in
*" cutout "*) go test -run '^$' -bench RemoveBackground -benchtime 3x ./extension | grep -E '^Bench|FAIL' ;;
esac
