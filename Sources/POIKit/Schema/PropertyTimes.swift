internal import POIRecords
internal import SQLiteKit

/// When each attribute of a row was changed, for the policy `newest-by-property`.
///
/// The column `poikit_times` holds a JSON object with a member for each column whose time differs
/// from the timestamp of the row: microseconds since 1970 UTC, `null` where the record that named
/// the attribute had no timestamp, `false` where no record named it. It is NULL where none differs,
/// as in rows that other policies wrote.
struct PropertyTimes {
  /// The column that keeps the times.
  static let column = Bookkeeping.prefix + "times"

  /// The columns of the attributes, in the order of `times`.
  let columns: [String]

  /// The time of each attribute.
  var times: [PropertyTime]

  /// The times of attributes that no record has named.
  init(columns: [String]) {
    self.columns = columns
    times = Array(repeating: .never, count: columns.count)
  }

  /// Whether the table keeps times.
  static func isKept(
    in table: String, of connection: Connection
  ) throws -> Bool {
    var statement = try connection.prepare(
      "SELECT 1 FROM pragma_table_info(?1, 'main') WHERE name = ?2", isPersistent: false)
    try statement.bind(1, text: table)
    try statement.bind(2, text: column)
    return try statement.step()
  }

  /// Makes the table keep times; rows that are there have those of their timestamps.
  static func keep(
    in table: String, of connection: Connection
  ) throws {
    guard try !isKept(in: table, of: connection) else { return }
    try connection.execute(
      "ALTER TABLE \(name: table) ADD COLUMN \(name: column) TEXT")
  }

  /// Makes the rows that are there say that no record named the attributes of some columns, which are
  /// new.
  static func markUnnamed(
    _ columns: [String], in table: String, of connection: Connection
  ) throws {
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

  /// The times of the attributes that a row says something of, and of others.
  ///
  /// - Parameters:
  ///   - text: what the column holds.
  ///   - columns: the others.
  init(_ text: String?, and columns: [String], rowTime: PropertyTime) {
    let members = PropertyTimes.json(text)?.members ?? []
    let named = members.map(\.name)
    self.init(columns: named + columns.filter { !named.contains($0) })
    read(text, rowTime: rowTime)
  }

  /// The time of a column's attribute.
  subscript(column: String) -> PropertyTime {
    get { columns.firstIndex(of: column).map { times[$0] } ?? .never }
    set { if let index = columns.firstIndex(of: column) { times[index] = newValue } }
  }

  /// Takes the times of a row.
  ///
  /// - Parameters:
  ///   - text: what the column holds.
  ///   - rowTime: the timestamp of the row.
  mutating func read(_ text: String?, rowTime: PropertyTime) {
    let json = PropertyTimes.json(text)
    for index in times.indices {
      times[index] =
        switch json?[columns[index]] {
        case .bool: .never
        case .null: .untimed
        case .number(let lexeme): Int64(lexeme).map(PropertyTime.at) ?? rowTime
        default: rowTime
        }
    }
  }

  /// What the column is to hold in a row where one attribute gets another time.
  ///
  /// - Parameters:
  ///   - column: the attribute's.
  ///   - text: what the column holds.
  ///   - other: what says the time, in the same form; where it does not, that is the timestamp of the
  ///     row.
  static func text(
    settingTimeOf column: String, in text: String?, from other: String?
  ) -> String? {
    var members = json(text)?.members ?? []
    members.removeAll { $0.name == column }
    if let value = json(other)?[column] {
      members.append(JSONValue.Member(name: column, value: value))
    }
    return members.isEmpty ? nil : JSONValue.object(members).description
  }

  private static func json(_ text: String?) -> JSONValue? { text.flatMap(JSONValue.stored) }

  /// What the column is to hold in a row with the timestamp `rowTime`.
  func text(rowTime: PropertyTime) -> String? {
    var members: [JSONValue.Member] = []
    for (column, time) in zip(columns, times) where time != rowTime {
      let value: JSONValue =
        switch time {
        case .never: .bool(false)
        case .untimed: .null
        case .at(let microseconds): .number(microseconds)
        }
      members.append(JSONValue.Member(name: column, value: value))
    }
    return members.isEmpty ? nil : JSONValue.object(members).description
  }
}
