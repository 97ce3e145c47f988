internal import POISQLite

/// The positions of the records that became rows in this run, in a temporary table.
struct PlaceLog: ~Copyable {
  private var insertion: Statement
  private var lookup: Statement

  init(connection: Connection) throws {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS poikit_place (row INTEGER PRIMARY KEY, place TEXT NOT NULL);
      DELETE FROM temp.poikit_place;
      """)
    let insertion = try connection.prepare(
      "INSERT OR REPLACE INTO temp.poikit_place VALUES (?1, ?2)")
    let lookup = try connection.prepare("SELECT place FROM temp.poikit_place WHERE row = ?1")
    self.insertion = insertion
    self.lookup = lookup
  }

  mutating func add(_ place: String, of rowID: Int64) throws {
    try insertion.bind(1, integer: rowID)
    try insertion.bind(2, text: place)
    try insertion.run()
  }

  /// The position of the record that became a row; nil if the row is older than this run.
  mutating func place(of rowID: Int64) throws -> String? {
    try lookup.bind(1, integer: rowID)
    let place = try lookup.step() ? lookup.text(0) : nil
    try lookup.reset()
    return place
  }
}
