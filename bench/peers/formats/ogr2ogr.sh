#!/bin/sh
# variant: CSV: ogr2ogr | csv
# needs: program ogr2ogr
# remark: no checks, all columns are texts; no journal, no sync
set -eu
export OGR_SQLITE_SYNCHRONOUS=OFF OGR_SQLITE_JOURNAL=OFF OGR_SQLITE_CACHE=64
ogr2ogr -q -f SQLite "$2" "$1" -nln poi -gt unlimited -lco LAUNDER=NO
