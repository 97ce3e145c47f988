internal import POIRecords
internal import POISQLite

/// The time of each attribute of a row, for the policy `newest-by-property`.
///
/// The column `poikit_times` holds a JSON object with a member for each column whose time differs
/// from the row's timestamp. It is NULL if none differs, as in rows written by other policies.
/// Values:
///
/// - a number: microseconds since 1970 UTC;
/// - `null`: the record that named the attribute had no timestamp;
/// - `false`: no record named the attribute;
/// - an object, for the column of unmapped members: the times of members by their names.
struct PropertyTimes {
  /// The times of unmapped members.
  struct Members {
    var times: [ExactText: PropertyTime] = [:]

    /// The time of the others.
    var common = PropertyTime.never

    subscript(name: String) -> PropertyTime { times[ExactText(name)] ?? common }
  }

  static let column = Bookkeeping.prefix + "times"

  let columns: [String]

  /// The column of unmapped members; nil if the model keeps no such members. It is not among `columns`.
  let unmappedColumn: String?

  var members = Members()

  /// The times of the attributes, in the order of `columns`.
  var times: [PropertyTime]

  /// Times of attributes that no record has named.
  init(columns: [String], unmapped: String?) {
    self.columns = columns
    unmappedColumn = unmapped
    times = Array(repeating: .never, count: columns.count)
  }

  static func isKept(in table: String, of connection: Connection) throws -> Bool {
    try connection.integer(
      """
      SELECT 1 FROM pragma_table_info(\(literal: table), 'main') WHERE name = \(literal: column)
      """) != nil
  }

  /// Makes the table store times. Existing rows get NULL: all times are the row's timestamp.
  static func keep(in table: String, of connection: Connection) throws {
    guard try !isKept(in: table, of: connection) else { return }
    try connection.execute(
      "ALTER TABLE \(name: table) ADD COLUMN \(name: column) TEXT")
  }

  /// Notes in all existing rows that no record named the attributes of some new columns.
  static func markUnnamed(_ columns: [String], in table: String, of connection: Connection) throws {
    guard !columns.isEmpty else { return }
    let times = JSONValue.object(
      columns.map { JSONValue.Member(name: $0, value: .bool(false)) }
    ).description
    var update = try connection.prepare(
      """
      UPDATE \(name: table)
      SET \(name: column) = json_patch(coalesce(\(name: column), '{}'), ?1)
      """, isPersistent: false)
    try update.bind(1, text: times)
    try update.run()
  }

  /// The stored times of a row, for the columns in the text and in `columns`.
  ///
  /// - Parameters:
  ///   - text: the stored value of `poikit_times`.
  ///   - columns: more columns.
  ///   - unmapped: the column of unmapped members.
  init(_ text: String?, and columns: [String], unmapped: String?, rowTime: PropertyTime) {
    let named = PropertyTimes.json(text)?.members?.map(\.name) ?? []
    self.init(
      columns: (named + columns.filter { !named.contains($0) }).filter { $0 != unmapped },
      unmapped: unmapped)
    read(text, rowTime: rowTime)
  }

  subscript(column: String) -> PropertyTime {
    get { columns.firstIndex(of: column).map { times[$0] } ?? .never }
    set { if let index = columns.firstIndex(of: column) { times[index] = newValue } }
  }

  /// Replaces the times by the times of a row.
  ///
  /// - Parameters:
  ///   - text: the stored value of `poikit_times`.
  ///   - rowTime: the timestamp of the row.
  mutating func read(_ text: String?, rowTime: PropertyTime) {
    let json = PropertyTimes.json(text)
    for index in times.indices {
      times[index] = PropertyTimes.time(json?[columns[index]], rowTime: rowTime)
    }
    let stored = unmappedColumn.flatMap { json?[$0] }
    members = Members(common: PropertyTimes.time(stored, rowTime: rowTime))
    for member in stored?.members ?? [] {
      members.times[ExactText(member.name)] = PropertyTimes.time(member.value, rowTime: rowTime)
    }
  }

  private static func time(_ value: JSONValue?, rowTime: PropertyTime) -> PropertyTime {
    switch value {
    case .bool: .never
    case .null: .untimed
    case .number(let lexeme): Int64(lexeme).map(PropertyTime.at) ?? rowTime
    default: rowTime
    }
  }

  private static func json(_ text: String?) -> JSONValue? { text.flatMap(JSONValue.stored) }

  /// The new value of `poikit_times` in a row in which the time of one column becomes the row's timestamp.
  ///
  /// - Parameter text: the stored value.
  static func text(_ text: String, withoutTimeOf column: String) -> String? {
    let members = (json(text)?.members ?? []).filter { $0.name != column }
    return members.isEmpty ? nil : JSONValue.object(members).description
  }

  /// The value of `poikit_times` for a row with the timestamp `rowTime`.
  func text(rowTime: PropertyTime) -> String? {
    var all = PropertyTimes.members(zip(columns, times), rowTime: rowTime)
    if let unmappedColumn {
      let times = members.times.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
      let own = PropertyTimes.members(times, rowTime: rowTime)
      if !own.isEmpty { all.append(JSONValue.Member(name: unmappedColumn, value: .object(own))) }
    }
    return all.isEmpty ? nil : JSONValue.object(all).description
  }

  private static func members(
    _ times: some Sequence<(String, PropertyTime)>, rowTime: PropertyTime
  ) -> [JSONValue.Member] {
    times.compactMap { name, time in
      guard time != rowTime else { return nil }
      let value: JSONValue =
        switch time {
        case .never: .bool(false)
        case .untimed: .null
        case .at(let microseconds): .number(microseconds)
        }
      return JSONValue.Member(name: name, value: value)
    }
  }
}

/// The time of an attribute's value: the timestamp of the record that named it.
enum PropertyTime: Comparable {
  /// No record named the attribute.
  case never
  /// A record without a timestamp named it.
  case untimed
  /// Microseconds since 1970-01-01T00:00:00Z.
  case at(Int64)
}
