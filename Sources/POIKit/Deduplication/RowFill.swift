/// Values of losers that their winner gets.
struct RowFill {
  /// The id of the winner.
  let row: Int64

  /// The columns and their new values, at least one.
  let values: [(column: String, value: StoredValue)]

  /// The bytes that the values take, about.
  var byteCount: Int { values.reduce(0) { $0 + $1.value.byteCount } }
}
