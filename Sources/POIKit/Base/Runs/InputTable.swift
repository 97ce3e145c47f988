internal import POISQLite

/// The table `poikit_input` with a row for each begun input of unfinished imports.
///
/// The inputs are not in the checkpoint: so a batch writes only its own input, however many there
/// are.
enum InputTable {
  /// The statement that inserts or replaces an input.
  static func writing(in connection: Connection) throws -> Statement {
    try connection.prepare(
      """
      INSERT OR REPLACE INTO main.poikit_input
        (run, number, name, pointer, is_pointer_found, token, byte_count)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """)
  }

  /// Binds an input to the parameters of `writing`.
  ///
  /// - Parameter number: 1 for the first input of the run.
  static func bind(
    _ input: ImportReport.Input, run: Int64, number: Int, to statement: inout Statement
  ) throws {
    try statement.bind(1, integer: run)
    try statement.bind(2, integer: Int64(number))
    try statement.bind(3, text: input.name)
    try statement.bind(4, text: input.pointer)
    try statement.bind(5, integer: input.isPointerFound ? 1 : 0)
    try statement.bind(6, text: input.token)
    if let byteCount = input.byteCount {
      try statement.bind(7, integer: Int64(byteCount))
    } else {
      try statement.bindNull(7)
    }
  }

  /// The inputs of a run, by number.
  static func inputs(ofRun run: Int64, in connection: Connection) throws -> [ImportReport.Input] {
    try connection.rows(
      """
      SELECT name, pointer, is_pointer_found, token, byte_count
      FROM main.poikit_input WHERE run = \(run) ORDER BY number
      """
    ) {
      ImportReport.Input(
        name: $0.text(0), pointer: $0.isNull(1) ? nil : $0.text(1),
        isPointerFound: $0.integer(2) == 1, token: $0.isNull(3) ? nil : $0.text(3),
        byteCount: $0.isNull(4) ? nil : Int($0.integer(4)))
    }
  }

  static func remove(ofRun run: Int64, in connection: Connection) throws {
    try connection.execute("DELETE FROM main.poikit_input WHERE run = \(run)")
  }
}
