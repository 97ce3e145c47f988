# variant: DuckDB, array, 2 threads | array | 2
# variant: DuckDB, array, 1 thread | array | 1
# variant: DuckDB, lines, 2 threads | lines | 2
# needs: python duckdb
# store: duckdb
# remark: its own store, no SQLite; checks of types only
"""DuckDB reads, deduplicates and keeps its own store."""

import sys

import duckdb

path, store, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
form = "newline_delimited" if path.endswith(".ndjson") else "array"
connection = duckdb.connect(store, config={"threads": threads})
# The order of rows does not matter, and keeping it costs memory.
connection.execute("SET preserve_insertion_order = false")
connection.execute(
    f"""
    CREATE TEMP TABLE newest AS
    SELECT identifier, unnest(max_by(record, updatedAt)) FROM (
      SELECT identifier, updatedAt, struct_pack(
        name, address, city, country, information, latitude, longitude, updatedAt,
        category := category.name) AS record
      FROM read_json(?, format = '{form}', maximum_object_size = 16777216, columns = {{
        identifier: 'UUID', name: 'VARCHAR', address: 'VARCHAR', city: 'VARCHAR',
        country: 'VARCHAR', information: 'VARCHAR', latitude: 'DOUBLE', longitude: 'DOUBLE',
        updatedAt: 'TIMESTAMP', category: 'STRUCT(name VARCHAR)'}}))
    GROUP BY identifier
    """, [path])
connection.execute(
    """
    CREATE TABLE category (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL);
    INSERT INTO category SELECT row_number() OVER (), name FROM (
      SELECT DISTINCT category AS name FROM newest);
    CREATE TABLE poi AS
      SELECT newest.* EXCLUDE (category), category.id AS category
      FROM newest LEFT JOIN category ON category.name = newest.category;
    CREATE UNIQUE INDEX poi_identifier ON poi (identifier);
    """)
connection.close()
