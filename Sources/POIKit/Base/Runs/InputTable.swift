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
  static func inputs(
    ofRun run: Int64, in connection: Connection
  ) throws -> [ImportReport.Input] {
    var statement = try connection.prepare(
      """
      SELECT name, pointer, is_pointer_found, token, byte_count
      FROM main.poikit_input WHERE run = ?1 ORDER BY number
      """, isPersistent: false)
    try statement.bind(1, integer: run)
    var inputs: [ImportReport.Input] = []
    while try statement.step() {
      inputs.append(
        ImportReport.Input(
          name: statement.text(0), pointer: statement.isNull(1) ? nil : statement.text(1),
          isPointerFound: statement.integer(2) == 1,
          token: statement.isNull(3) ? nil : statement.text(3),
          byteCount: statement.isNull(4) ? nil : Int(statement.integer(4))))
    }
    return inputs
  }

  static func remove(
    ofRun run: Int64, in connection: Connection
  ) throws {
    try connection.execute("DELETE FROM main.poikit_input WHERE run = \(run)")
  }
}
