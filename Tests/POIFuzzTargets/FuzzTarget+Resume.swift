import POIKit
import POISQLite

extension FuzzTarget {
  private static let feedModel =
    #"{"x-table":"note","x-key":"id","x-timestamp":"at","properties":"#
    + #"{"id":{"type":"integer"},"at":{"type":"integer","x-unit":"seconds"},"#
    + #""text":{"type":"string"}}}"#

  private static let feed = Array(
    ("[" + (0..<12).map { #"{"id":\#($0 % 7),"at":\#($0),"text":"a"}"# }.joined(separator: ",\n")
      + ",{\"id\":\"x\"}]").utf8)

  /// A checkpoint is refused, or the import ends with an intact store, whatever the landed records
  /// are.
  static func resumeImport(_ input: inout FuzzInput) throws {
    let scenario = input.choice(6)
    do {
      let model = try Model(parsing: feedModel)
      let store = try begun(scenario, model)
      let isChanged = try store.withConnection { connection in
        let kept = try connection.text("SELECT state FROM poikit_checkpoint") ?? ""
        let state = damaged(kept, by: &input)
        let isShifted = input.byte() == 255
        var statement = try connection.prepare(
          "UPDATE poikit_checkpoint SET state = ?, generation = coalesce(?, generation)")
        try statement.bind(1, text: state)
        if isShifted { try statement.bind(2, integer: .max) }
        try statement.run()
        let isChanged = state != kept || isShifted || !input.isAtEnd
        try damageLanded(scenario, in: connection, by: &input)
        return isChanged
      }
      try resume(scenario, model, store)
      try store.withConnection { connection in
        let verdict = try connection.text("PRAGMA integrity_check") ?? ""
        try expect(verdict == "ok", verdict)
        guard !isChanged else { return }
        let unfinished = try connection.integer(
          "SELECT count(*) FROM poikit_run WHERE state <> 'finished'")
        try expect(unfinished == 0, "a valid checkpoint is refused")
      }
    } catch let error as FuzzFinding {
      throw error
    } catch {
      throw FuzzFinding(message: "\(error)")
    }
  }

  /// The checkpoint with some numbers replaced, another text, or the unchanged checkpoint.
  private static func damaged(_ state: String, by input: inout FuzzInput) -> String {
    switch input.choice(4) {
    case 0:
      let text = input.text()
      return text.isEmpty ? state : text
    case 3: return state
    default: break
    }
    let numbers = [
      "0", "1", "2", "-1", "12", "9223372036854775807", "-9223372036854775808",
      "18446744073709551615", "4611686018427387904", "1e3", "null", "[]", "{}", "\"\"", "true",
      "[1,2]",
    ]
    var parts: [String] = []
    var isNumber = false
    for character in state {
      let continues = character.isNumber || character == "-"
      if continues != isNumber || parts.isEmpty { parts.append("") }
      isNumber = continues
      parts[parts.count - 1].append(character)
    }
    let places = parts.indices.filter { parts[$0].first?.isNumber ?? false }
    for _ in 0..<4 where !input.isAtEnd {
      parts[places[input.choice(places.count)]] = numbers[input.choice(numbers.count)]
    }
    return parts.joined()
  }

  /// Changes bytes of the landed records, if there are any.
  private static func damageLanded(
    _ scenario: Int, in connection: Connection, by input: inout FuzzInput
  ) throws {
    guard byteCount(scenario) != nil else { return }
    while !input.isAtEnd {
      let column: SQL = input.choice(2) == 0 ? "directory" : "content"
      // Drops the bytes after the place, keeps them or moves them by one.
      let continuation = [1 << 32, 2, 1][input.choice(3)]
      var statement = try connection.prepare(
        """
        UPDATE poikit_landing_1 SET \(column) =
        CAST(substr(\(column), 1, ?1) || ?2 || substr(\(column), ?1 + ?3) AS BLOB)
        """)
      try statement.bind(1, integer: Int64(input.word()))
      try statement.bind(2, blob: [input.byte()].span)
      try statement.bind(3, integer: Int64(continuation))
      try statement.run()
    }
  }

  private static func options(_ scenario: Int, isResuming: Bool) -> ImportOptions {
    var options = ImportOptions()
    options.jobCount = 1
    options.batchSize = 2
    options.pointer = ""
    // Under `newest` the records of a first import are appended, and never land.
    options.mergePolicy =
      scenario == 0 ? .append : [1, 4].contains(scenario) ? .newest : .overwrite
    options.isSnapshot = scenario >= 3
    options.isResuming = isResuming
    options.maximumSkew = nil
    options.clock = { Instant(microseconds: 0) }
    return options
  }

  /// An input size that makes some scenarios land records before merging them.
  private static func byteCount(_ scenario: Int) -> Int? {
    scenario % 3 == 2 ? 64 << 20 : nil
  }

  private static func begun(_ scenario: Int, _ model: Model) throws -> Store {
    var batches = 0
    let store = try Store.inMemory()
    var session = try ImportSession(
      into: store, model: model, options: options(scenario, isResuming: false)
    ) { _ in
      batches += 1
      return batches < (scenario == 2 ? 8 : 3) ? .proceed : .stop
    }
    try session.beginInput(named: "feed", byteCount: byteCount(scenario))
    try session.append(feed.span)
    _ = try session.finish()
    return store
  }

  /// Resumes the import; a refusal is accepted.
  private static func resume(_ scenario: Int, _ model: Model, _ store: Store) throws {
    do throws(StoreError) {
      var session = try ImportSession(
        into: store, model: model, options: options(scenario, isResuming: true))
      if try session.beginInput(named: "feed", byteCount: byteCount(scenario)) {
        try session.append(feed.span)
      }
      _ = try session.finish()
    } catch {
      try expect(error.code != .internalCheck, "\(error)")
    }
  }
}
