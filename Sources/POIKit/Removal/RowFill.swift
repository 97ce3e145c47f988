/// Values of losers that their winner gets.
struct RowFill {
  /// The id of the winner.
  let row: Int64

  /// The columns and their new values, at least one.
  let values: [(column: String, value: StoredValue)]

  /// What the row says from then on of when its values were set, where its table keeps that and it
  /// changes.
  let times: String?

  /// What the row gets in all.
  var assignments: [(column: String, value: StoredValue)] {
    guard let times else { return values }
    return values + [(PropertyTimes.column, .text(Array(times.utf8)))]
  }

  /// The bytes that the values take, about.
  var byteCount: Int { values.reduce(0) { $0 + $1.value.byteCount } }
}
