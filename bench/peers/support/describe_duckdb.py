"""Prints the content of a DuckDB store in the form that verification.py reads from SQLite."""

import json
import sys

import duckdb

connection = duckdb.connect(sys.argv[1], read_only=True)
row = connection.execute(
    """
    SELECT count(*), count(DISTINCT identifier), sum(epoch_us(updatedAt) // 1000000),
      sum(epoch_us(updatedAt) // 1000000 * unicode(upper(CAST(identifier AS VARCHAR)))),
      sum(length(information)),
      sum(trunc(longitude * 1e6)::BIGINT + trunc(latitude * 1e6)::BIGINT)
    FROM poi
    """).fetchone()
print(json.dumps([int(value) for value in row]))
