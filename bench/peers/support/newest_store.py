"""The store that the peers in Python fill through the sqlite3 module, at its fastest settings: one
transaction, no journal (the file is new, so a failed run loses nothing), the unique index made
last, from rows that are sorted by it.

While rows come in they go to a table without an index; SQLite's own sorter then keeps the newest of
each identifier. That beats an upsert into a unique index at a million rows.
"""

import sqlite3

SETTINGS = """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA foreign_keys = OFF;
    PRAGMA cache_size = -65536;
"""

TABLES = """
    CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE poi (
      identifier TEXT NOT NULL, name TEXT NOT NULL, address TEXT, city TEXT, country TEXT,
      information TEXT, latitude REAL NOT NULL, longitude REAL NOT NULL, updatedAt TEXT,
      category INTEGER REFERENCES category (id));
"""

COLUMNS = ("identifier", "name", "address", "city", "country", "information", "latitude",
           "longitude", "updatedAt")
INSERTION = f"INSERT INTO poi VALUES ({', '.join('?' * (len(COLUMNS) + 1))})"

REMOVAL = """
    DELETE FROM poi WHERE rowid IN (
      SELECT rowid FROM (
        SELECT rowid, row_number() OVER (PARTITION BY identifier ORDER BY updatedAt DESC) AS place
        FROM poi)
      WHERE place > 1);
"""


class Categories(dict):
    """Row ids by name, made as names come."""

    def __missing__(self, name):
        self[name] = len(self) + 1
        return self[name]


def rows(records, categories):
    """Tuples for the table, from dictionaries."""
    for record in records:
        yield (record["identifier"], record["name"], record["address"], record["city"],
               record["country"], record["information"], record["latitude"], record["longitude"],
               record["updatedAt"], categories[record["category"]["name"]])


def fill(path, make_rows, has_duplicates=True):
    """Makes the store from the tuples of `make_rows(categories)`."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(SETTINGS + TABLES)
    categories = Categories()
    connection.execute("BEGIN")
    connection.executemany(INSERTION, make_rows(categories))
    connection.executemany("INSERT INTO category (name, id) VALUES (?, ?)", categories.items())
    if has_duplicates:
        connection.execute(REMOVAL)
    connection.execute("CREATE UNIQUE INDEX poi_identifier ON poi (identifier)")
    connection.execute("COMMIT")
    connection.close()
