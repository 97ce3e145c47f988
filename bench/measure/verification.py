"""Checks the content of a store."""

import json
import sqlite3
import subprocess

from places import BENCH, PYTHON
from process import Failure

# Rows, identifiers, and sums over the newest record of each identifier: the instant, the instant weighted
# by the identifier's first character, the length of a text, and the coordinates in millionths of a degree
# if the store has such columns.
SECONDS = """(CASE typeof(updatedAt) WHEN 'integer' THEN updatedAt / 1000000
              ELSE CAST(strftime('%s', updatedAt) AS INTEGER) END)"""
CONTENT = f"""
    SELECT count(*), count(DISTINCT identifier), sum({SECONDS}),
      sum({SECONDS} * unicode(upper(identifier))), sum(length(information))
    FROM poi
"""
COORDINATES = """
    SELECT sum(CAST(longitude * 1e6 AS INTEGER) + CAST(latitude * 1e6 AS INTEGER)) FROM poi
"""
HAS_COORDINATES = "SELECT count(*) FROM pragma_table_info('poi') WHERE name = 'latitude'"
# Any unique index of the identifier is accepted, also a primary key.
UNIQUE = """
    SELECT count(*) FROM pragma_index_list('poi') AS list
    WHERE list."unique" = 1
      AND (SELECT group_concat(name) FROM pragma_index_info(list.name)) = 'identifier'
"""


def content_of(store):
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        if connection.execute(UNIQUE).fetchone()[0] == 0:
            raise Failure("the store does not keep identifiers unique")
        found = list(connection.execute(CONTENT).fetchone())
        if connection.execute(HAS_COORDINATES).fetchone()[0] == 1:
            found += connection.execute(COORDINATES).fetchone()
        return list(map(int, found))


def loaded_of(store):
    """Rows, identifiers and the length of a text of a store that may have duplicates."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        return list(connection.execute(
            "SELECT count(*), count(DISTINCT identifier), sum(length(information)) FROM poi").fetchone())


def duckdb_content_of(store):
    done = subprocess.run(
        [PYTHON, BENCH / "peers" / "support" / "describe_duckdb.py", store],
        capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"the store cannot be read: {done.stderr.strip()[-200:]}")
    return json.loads(done.stdout)


def row_count(store):
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT count(*) FROM poi").fetchone()[0]


def expect_equal(found, expected, what):
    if found != expected:
        raise Failure(f"{what}: found {found}, expected {expected}")


def expect_winners(found, work, knows_newest=True):
    """Checks a store after the whole job; `knows_newest` is false if the last record wins."""
    left = work.expected["rowsLeft"]
    expect_equal(found[:2], [left, left], "rows and identifiers")
    # More records would need more memory here than the measured tools.
    if knows_newest and work.record_count <= 1_000_000:
        expect_equal(found, work.winners()[:len(found)], "content of the winners")


def expect_counters(report, expected):
    found = {name: report["counters"].get(name) for name in expected}
    expect_equal(found, expected, f"counters of {report['tool']}")
