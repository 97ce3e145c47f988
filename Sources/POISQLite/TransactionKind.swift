/// When a transaction acquires its locks, named as in SQLite's `BEGIN`.
package enum TransactionKind: Sendable, Hashable {
  /// The write lock at once, so that another writer cannot make the transaction fail half-way.
  case immediate

  /// No lock until the first statement needs one: for transactions that only read.
  case deferred

  var beginning: SQL {
    switch self {
    case .immediate: "BEGIN IMMEDIATE"
    case .deferred: "BEGIN DEFERRED"
    }
  }
}
