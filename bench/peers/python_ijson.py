# variant: ijson (yajl) | array
# needs: python ijson
# remark: no checks; no journal, no sync; a bad record ends it
"""A script of one's own: ijson streams the array through yajl, the sqlite3 module writes."""

import sys

import ijson.backends.yajl2_c as ijson
from support import newest_store


def make_rows(categories):
    with open(sys.argv[1], "rb") as file:
        yield from newest_store.rows(
            ijson.items(file, "item", use_float=True, buf_size=1 << 16), categories)


newest_store.fill(sys.argv[2], make_rows)
