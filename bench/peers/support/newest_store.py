"""The store of the Python peers, written through the sqlite3 module with its fastest settings: one
transaction, no journal (the file is new, so a failed run loses nothing).

Rows are upserted into a table with a unique key. This is as fast as inserting all of them, removing the
older ones with a window function and creating the index last, and needs less memory.
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
UPSERT = (
    f"{INSERTION} ON CONFLICT (identifier) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in (*COLUMNS[1:], "category"))
    + " WHERE excluded.updatedAt > poi.updatedAt")
INDEX = "CREATE UNIQUE INDEX poi_identifier ON poi (identifier)"


class Categories(dict):
    """Row ids by name, assigned in order of appearance."""

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
    if has_duplicates:
        connection.execute(INDEX)
    connection.executemany(UPSERT if has_duplicates else INSERTION, make_rows(categories))
    connection.executemany("INSERT INTO category (name, id) VALUES (?, ?)", categories.items())
    if not has_duplicates:
        connection.execute(INDEX)
    connection.execute("COMMIT")
    connection.close()
