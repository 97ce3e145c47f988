#!/bin/sh
# variant: CSV: sqlite-utils | csv
# needs: python sqlite_utils
# remark: no checks; types of columns guessed; a bad record ends it
set -eu
utility=$BENCH_PYTHON_FOLDER/sqlite-utils
# The write-ahead log is its fastest journal: it commits each of its batches.
"$utility" create-database "$2" --enable-wal
"$utility" insert "$2" poi "$1" --csv --batch-size 1000
