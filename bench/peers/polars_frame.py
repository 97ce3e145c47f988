# variant: polars, lines | lines
# variant: polars, array | array
# needs: python polars
# remark: no checks; no journal, no sync; all in memory; a bad record ends it
"""polars reads and deduplicates, the sqlite3 module writes."""

import sys

import polars
from support import newest_store

path = sys.argv[1]
frame = polars.read_ndjson(path) if path.endswith(".ndjson") else polars.read_json(path)
frame = (
    frame.with_columns(frame["category"].struct.field("name").alias("category"))
    .sort("updatedAt", descending=True)
    .unique("identifier", keep="first", maintain_order=False)
    .sort("identifier")
    .select(*newest_store.COLUMNS, "category")
)


def make_rows(categories):
    for row in frame.iter_rows(buffer_size=4096):
        yield (*row[:-1], categories[row[-1]])


newest_store.fill(sys.argv[2], make_rows, has_duplicates=False)
