/// Merged values to write to a winner.
struct WinnerUpdate {
  let row: Int64

  /// The columns and their new values, at least one.
  let values: [(column: String, value: StoredValue)]

  /// The new times of the row's values; nil if they do not change or the table keeps no times.
  let times: String?

  var assignments: [(column: String, value: StoredValue)] {
    guard let times else { return values }
    return values + [(PropertyTimes.column, .text(Array(times.utf8)))]
  }

  var byteCount: Int { values.reduce(0) { $0 + $1.value.byteCount } }
}
