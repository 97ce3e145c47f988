/// How a record says that it was removed, and what happens to its row.
package struct Tombstone: Sendable, Hashable {
  /// What happens to the row of a removed record.
  package enum Removal: String, Sendable, Hashable, CaseIterable {
    /// The row stays, marked by the attribute.
    case mark
    /// The row is deleted. The store remembers key and timestamp, so that an older record is not restored.
    case delete
  }

  /// The name of the attribute that marks a removal: a boolean that is true, or an instant other than the
  /// start of 1970. Nil if only a null record is a removal.
  package let attribute: String?

  /// What happens to the row.
  package let removal: Removal

  /// Whether `null` in place of a record is a removal, in an object whose member names are the keys of its
  /// records.
  package let acceptsNullRecord: Bool
}

extension Model {
  /// The column that marks the rows of removed records; nil if they are deleted.
  package var tombstoneColumn: String? {
    tombstone?.removal == .mark ? tombstoneAttributeColumn : nil
  }

  /// The column of the attribute that marks removals, with either kind of `Removal`.
  package var tombstoneAttributeColumn: String? {
    tombstone?.attribute.flatMap { attribute(named: $0)?.column }
  }

  /// The value of the column in a row removed at `moment`: microseconds since 1970, or 1 for true.
  package func removalMark(at moment: Instant) -> Int64 {
    isTombstoneInstant ? moment.microseconds : 1
  }

  /// Whether the mark of a removed row is the instant of the removal.
  package var isTombstoneInstant: Bool {
    let attribute = tombstone?.attribute.flatMap(attribute(named:))
    if case .instant = attribute?.storage { return true }
    return false
  }
}
