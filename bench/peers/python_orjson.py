# variant: orjson, lines | lines
# needs: python orjson
# remark: no checks; no journal, no sync; a bad record ends it
"""A script of one's own: orjson reads line after line, the sqlite3 module writes."""

import sys

import orjson
from support import newest_store


def records(path):
    with open(path, "rb") as lines:
        for line in lines:
            yield orjson.loads(line)


newest_store.fill(
    sys.argv[2], lambda categories: newest_store.rows(records(sys.argv[1]), categories))
