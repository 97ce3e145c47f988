internal import POIRecords
internal import POISQLite

/// The toolkit's own tables, which exist beside the tables of records.
///
/// The names of all that the toolkit adds to a database begin with `poikit_`. The statements create
/// only what is missing, so they also serve a foreign database that only gets an archive.
enum Bookkeeping {
  static let prefix = Model.reservedPrefix

  /// The condition that the name of a table, which may be another program's, has the prefix.
  static func owns(_ name: SQL) -> SQL {
    "lower(substr(\(name), 1, \(prefix.count))) = \(literal: prefix)"
  }

  /// The statements that create missing bookkeeping tables.
  static let creation: SQL = """
    CREATE TABLE IF NOT EXISTS poikit_table (
      name TEXT NOT NULL PRIMARY KEY,
      model TEXT NOT NULL,
      enforced_key TEXT
    ) STRICT;
    CREATE TABLE IF NOT EXISTS poikit_run (
      id INTEGER NOT NULL PRIMARY KEY,
      tool TEXT NOT NULL,
      version TEXT NOT NULL,
      table_name TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'failed', 'abandoned', 'undone')),
      started INTEGER NOT NULL,
      ended INTEGER,
      options TEXT NOT NULL,
      counters TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS poikit_checkpoint (
      run INTEGER NOT NULL PRIMARY KEY REFERENCES poikit_run (id) ON DELETE CASCADE,
      generation INTEGER NOT NULL,
      state TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS poikit_input (
      run INTEGER NOT NULL REFERENCES poikit_run (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      name TEXT NOT NULL,
      pointer TEXT,
      is_pointer_found INTEGER NOT NULL,
      token TEXT,
      byte_count INTEGER,
      PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS poikit_reject (
      id INTEGER NOT NULL PRIMARY KEY,
      run INTEGER NOT NULL REFERENCES poikit_run (id) ON DELETE CASCADE,
      input TEXT NOT NULL,
      record INTEGER NOT NULL,
      byte_offset INTEGER NOT NULL,
      line INTEGER NOT NULL,
      "column" INTEGER NOT NULL,
      rule TEXT NOT NULL,
      attribute TEXT,
      message TEXT NOT NULL,
      issues TEXT NOT NULL,
      member TEXT,
      raw BLOB NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS poikit_redirect (
      run INTEGER NOT NULL REFERENCES poikit_run (id) ON DELETE CASCADE,
      table_name TEXT NOT NULL,
      loser_key TEXT NOT NULL,
      winner_key TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS poikit_journal (
      id INTEGER NOT NULL PRIMARY KEY,
      run INTEGER NOT NULL REFERENCES poikit_run (id) ON DELETE CASCADE,
      table_name TEXT NOT NULL,
      row_id INTEGER NOT NULL,
      column_name TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('reference', 'value', 'mark', 'other')),
      old_value ANY,
      new_value ANY
    ) STRICT;
    """

  /// Whether all tables of `creation` exist.
  static func isComplete(in connection: Connection) throws -> Bool {
    try missingCount(in: connection) == 0
  }

  /// The number of tables of `creation` that do not exist.
  static func missingCount(in connection: Connection) throws -> Int64 {
    let count = try connection.integer(
      """
      SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name IN ('poikit_table',
        'poikit_run', 'poikit_checkpoint', 'poikit_input', 'poikit_reject', 'poikit_redirect',
        'poikit_journal')
      """)
    return 7 - (count ?? 0)
  }

  /// Whether all tables of `creation` exist, and one of them names a table of records. An archive alone does
  /// not make a store of another program's database.
  static func isUsed(in connection: Connection) throws -> Bool {
    try isComplete(in: connection)
      && connection.integer("SELECT 1 FROM main.poikit_table LIMIT 1") != nil
  }

  /// The document of the model that a table of records was created with, or last changed to.
  static func document(ofTable table: String, in connection: Connection) throws -> String? {
    var statement = try connection.prepare("SELECT model FROM poikit_table WHERE name = ?")
    try statement.bind(1, text: table)
    return try statement.step() ? statement.text(0) : nil
  }
}
