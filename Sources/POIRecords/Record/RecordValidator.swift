internal import JSONStreaming

/// A program's own check of records, in addition to the rules of the model.
///
/// The importer calls it once for each record that is an object, on the decoding thread, after the rules
/// of the model. It does not call it for removals that delete.
public protocol RecordValidator: Sendable {
  /// Checks one record.
  ///
  /// - Parameter record: the decoded values, valid during the call. An attribute that violates a rule of
  ///   the model has no value.
  /// - Returns: the issues of the record; any issue rejects it.
  func issues(in record: borrowing RecordView) -> [Issue]
}

/// The decoded values of one record, by attribute; valid during the call that receives it.
///
/// Attributes of a related object have names such as `category.name`; a relation to a plain value has
/// that value. Objects and arrays are compact JSON text. Relations to many are not available.
///
/// - Precondition: the model has the attribute, and it is not a relation to many.
public struct RecordView: ~Escapable {
  private let slots: Span<ValueSlot>
  private let arena: Span<UInt8>
  private let layout: RecordLayout

  /// The values of a record in a batch.
  @_lifetime(borrow batch)
  package init(of record: Int, in batch: borrowing RecordBatch, _ layout: RecordLayout) {
    slots = batch.slots.span.extracting(
      record * batch.slotCount..<(record + 1) * batch.slotCount)
    arena = batch.arena.span
    self.layout = layout
  }

  /// Whether the record has the attribute (even as `null`) or the model has a default for it; false if the
  /// value violates a rule.
  ///
  /// - Parameter attribute: the attribute's name, such as `name` or `category.name`.
  public func isPresent(_ attribute: String) -> Bool { slot(attribute).kind != .absent }

  /// The value of an attribute stored as TEXT; nil if the value is not text.
  public func text(_ attribute: String) -> String? {
    let slot = slot(attribute)
    return slot.kind == .text ? String(copying: arena.extracting(slot.textRange)) : nil
  }

  /// The value of an attribute stored as INTEGER: an integer, a boolean as 0 or 1, or an instant in
  /// microseconds since 1970-01-01T00:00:00Z; nil for other values.
  public func integer(_ attribute: String) -> Int64? {
    let slot = slot(attribute)
    return slot.kind == .integer ? slot.integer : nil
  }

  /// The value of an attribute stored as REAL; nil for other values.
  public func real(_ attribute: String) -> Double? {
    let slot = slot(attribute)
    return slot.kind == .real ? slot.real : nil
  }

  private func slot(_ attribute: String) -> ValueSlot {
    guard let index = layout.fields.firstIndex(where: { $0.path == attribute }) else {
      preconditionFailure("the model has no attribute \"\(attribute)\"")
    }
    guard slots[index].kind == .related, let field = layout.fields[index].valueField else {
      return slots[index]
    }
    return slots[field]
  }
}
