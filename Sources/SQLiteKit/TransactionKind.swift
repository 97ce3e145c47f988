/// When a transaction takes its locks.
///
/// The names are those of SQLite's `BEGIN`.
public enum TransactionKind: Sendable, Hashable {
  /// The write lock at once, so the transaction cannot fail half-way because another writer was
  /// first.
  case immediate

  /// No lock until the first statement needs one: for transactions that only read.
  case deferred

  /// The statement that begins such a transaction.
  var beginning: SQL {
    switch self {
    case .immediate: "BEGIN IMMEDIATE"
    case .deferred: "BEGIN DEFERRED"
    }
  }
}
