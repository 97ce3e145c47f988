/// How a record says that it was removed, and what then becomes of its row.
public struct Tombstone: Sendable, Hashable {
  /// What becomes of the row of a removed record.
  public enum Removal: String, Sendable, Hashable, CaseIterable {
    /// It stays, with the attribute that marks it.
    case mark
    /// It is deleted. Key and timestamp of the removal are remembered, so that an older record does
    /// not come back.
    case delete
  }

  /// The name of the attribute that says so: a boolean that is true, or an instant other than the
  /// start of 1970. Nil if only a null record does.
  public let attribute: String?

  /// What becomes of the row.
  public let removal: Removal

  /// Whether a JSON `null` in the place of a record is a removal, in an object of records whose
  /// members' names are their keys.
  public let isNullRecord: Bool
}

extension Model {
  /// The column that marks the rows of removed records; nil if they are deleted.
  package var tombstoneColumn: String? {
    tombstone?.removal == .mark ? tombstoneAttributeColumn : nil
  }

  /// The column of the attribute that says which records are removals, whatever becomes of their rows.
  package var tombstoneAttributeColumn: String? {
    tombstone?.attribute.flatMap { attribute(named: $0)?.column }
  }

  /// What the column holds in a row that is removed at a moment: the moment, or true.
  package func removalMark(at moment: Instant) -> Int64 {
    isTombstoneInstant ? moment.microseconds : 1
  }

  /// Whether the mark of a removed row is the moment of its removal.
  package var isTombstoneInstant: Bool {
    let attribute = tombstone?.attribute.flatMap(attribute(named:))
    if case .instant = attribute?.storage { return true }
    return false
  }
}
