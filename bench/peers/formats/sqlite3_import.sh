#!/bin/sh
# variant: CSV: sqlite3 .import | csv
# needs: program sqlite3
# remark: no checks, all columns are texts; no journal, no sync
set -eu
sqlite3 -bail "$2" 'PRAGMA journal_mode = OFF' 'PRAGMA synchronous = OFF' 'PRAGMA cache_size = -65536' \
  ".import --csv '$1' poi" >/dev/null
