internal import JSONStreaming
internal import Synchronization

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
/// An attribute that the model does not have, or a relation to many, has no value; the import fails when the call
/// returns.
public struct RecordView: ~Escapable {
  private let slots: Span<ValueSlot>
  private let arena: Span<UInt8>
  private let layout: RecordLayout
  private let questions: RecordQuestions

  /// The values of a record in a batch.
  @_lifetime(borrow batch)
  package init(
    of record: Int, in batch: borrowing RecordBatch, _ layout: RecordLayout,
    _ questions: RecordQuestions
  ) {
    slots = batch.slots.span.extracting(
      record * batch.slotCount..<(record + 1) * batch.slotCount)
    arena = batch.arena.span
    self.layout = layout
    self.questions = questions
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
      questions.note(attribute)
      return .absent
    }
    guard slots[index].kind == .related, let field = layout.fields[index].valueField else {
      return slots[index]
    }
    return slots[field]
  }
}

/// What a program's closures ask of records.
package final class RecordQuestions: Sendable {
  private let firstUnknown = Mutex<String?>(nil)

  package init() {}

  fileprivate func note(_ attribute: String) {
    firstUnknown.withLock { $0 = $0 ?? attribute }
  }

  /// Why the answers are worth nothing: the first attribute that was asked for and that no record can have; nil without
  /// one.
  package func flaw(of model: Model) -> String? {
    firstUnknown.withLock(\.self).map { name in
      "the program asks a record for \"\(name)\", but the model \(model.name) has no such attribute, or it is a "
        + "relation to many; correct the name in the validator or in choosePolicy"
    }
  }
}
