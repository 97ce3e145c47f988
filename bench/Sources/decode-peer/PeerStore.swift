internal import PeerSQLite

/// A new SQLite store, written through the C interface as programs do.
@unsafe
struct PeerStore {
  private let connection: OpaquePointer

  init(path: String) {
    var opened: OpaquePointer?
    unsafe Self.check(sqlite3_open(path, &opened), opened)
    guard let opened = unsafe opened else { fatalError("no memory for a connection") }
    unsafe connection = opened
    unsafe execute(
      """
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA cache_size = -65536;
      CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
      CREATE TABLE poi (
        identifier TEXT NOT NULL, name TEXT NOT NULL, address TEXT, city TEXT, country TEXT,
        information TEXT, latitude REAL NOT NULL, longitude REAL NOT NULL, updatedAt TEXT,
        category INTEGER REFERENCES category (id));
      """)
  }

  /// Writes everything in one transaction, the unique index last.
  func write(_ places: some Sequence<DecodePeer.Place>) {
    unsafe execute("BEGIN")
    let insertion = unsafe prepare("INSERT INTO poi VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    let categoryInsertion = unsafe prepare("INSERT INTO category (name) VALUES (?)")
    var categories: [String: Int64] = [:]
    for place in places {
      let texts = [
        place.identifier, place.name, place.address, place.city, place.country, place.information,
      ]
      for (index, text) in texts.enumerated() {
        unsafe bind(text, to: insertion, at: Int32(index + 1))
      }
      unsafe sqlite3_bind_double(insertion, 7, place.latitude)
      unsafe sqlite3_bind_double(insertion, 8, place.longitude)
      unsafe bind(place.updatedAt, to: insertion, at: 9)
      if let name = place.category?.name {
        if categories[name] == nil {
          unsafe bind(name, to: categoryInsertion, at: 1)
          unsafe step(categoryInsertion)
          unsafe categories[name] = sqlite3_last_insert_rowid(connection)
        }
        unsafe sqlite3_bind_int64(insertion, 10, categories[name] ?? 0)
      } else {
        unsafe sqlite3_bind_null(insertion, 10)
      }
      unsafe step(insertion)
    }
    unsafe sqlite3_finalize(insertion)
    unsafe sqlite3_finalize(categoryInsertion)
    unsafe execute("CREATE UNIQUE INDEX poi_identifier ON poi (identifier); COMMIT")
    unsafe sqlite3_close(connection)
  }

  private func execute(_ sql: String) {
    unsafe Self.check(sqlite3_exec(connection, sql, nil, nil, nil), connection)
  }

  private func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    unsafe Self.check(sqlite3_prepare_v2(connection, sql, -1, &statement, nil), connection)
    return unsafe statement
  }

  private func bind(_ text: String?, to statement: OpaquePointer?, at parameter: Int32) {
    guard let text else {
      unsafe sqlite3_bind_null(statement, parameter)
      return
    }
    // SQLITE_TRANSIENT, a cast in C, which Swift does not import: SQLite copies the text.
    let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    unsafe sqlite3_bind_text(statement, parameter, text, -1, transient)
  }

  private func step(_ statement: OpaquePointer?) {
    guard unsafe sqlite3_step(statement) == SQLITE_DONE else {
      unsafe Self.check(sqlite3_errcode(connection), connection)
      return
    }
    unsafe sqlite3_reset(statement)
  }

  private static func check(_ status: Int32, _ connection: OpaquePointer?) {
    guard status != SQLITE_OK else { return }
    unsafe fatalError(String(cString: sqlite3_errmsg(connection)))
  }
}
