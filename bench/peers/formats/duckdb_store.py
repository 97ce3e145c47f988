# variant: CSV: DuckDB | csv
# variant: Parquet: DuckDB | parquet
# needs: python duckdb
# store: duckdb
# remark: its own store, no SQLite; types of columns guessed, no other checks; 2 threads
"""DuckDB keeps its own store."""

import sys

import duckdb

path, store = sys.argv[1:]
reader = "read_parquet" if path.endswith(".parquet") else "read_csv"
connection = duckdb.connect(store, config={"threads": 2})
# The order of rows does not matter, and keeping it costs memory.
connection.execute("SET preserve_insertion_order = false")
connection.execute(f"CREATE TABLE poi AS SELECT * FROM {reader}(?)", [path])
connection.close()
