internal import JSONStreaming

/// A check of a program's own, beside the rules of the model.
///
/// It is called once for each record that is an object, on the thread that decodes, after the rules of
/// the model; a record that gets an issue is rejected. Removals that delete are not shown to it.
public protocol RecordValidator: Sendable {
  /// The issues of one record; none accepts it.
  ///
  /// - Parameter record: the decoded values, valid during the call. An attribute that broke a rule
  ///   of the model has no value.
  func issues(in record: borrowing RecordView) -> [Issue]
}

/// The decoded values of one record, by attribute; valid during the call that is given it.
///
/// The attributes of a related object have names such as `category.name`; a relation to a plain value has
/// that value. Objects and arrays are compact JSON text.
///
/// Relations to many are not shown. To ask for one, or for an attribute that the model does not have, is a
/// programmer's error, and ends the program.
public struct RecordView: ~Escapable {
  private let slots: Span<ValueSlot>
  private let arena: Span<UInt8>
  private let layout: RecordLayout

  @_lifetime(copy slots, copy arena)
  init(slots: Span<ValueSlot>, arena: Span<UInt8>, layout: RecordLayout) {
    self.slots = slots
    self.arena = arena
    self.layout = layout
  }

  /// Whether the record names the attribute, also with `null`, or the model has a default for it; false
  /// if it broke a rule.
  ///
  /// - Parameter attribute: a name of the model; one of a related object as `category.name`.
  public func isPresent(_ attribute: String) -> Bool { slot(attribute).kind != .absent }

  /// The text of an attribute kept as TEXT; nil if the value is no text.
  public func text(_ attribute: String) -> String? {
    let slot = slot(attribute)
    return slot.kind == .text ? String(copying: arena.extracting(slot.textRange)) : nil
  }

  /// The value of an attribute kept as INTEGER: an integer, a boolean as 0 or 1, or an instant in
  /// microseconds since 1970-01-01T00:00:00Z; nil if the value is none.
  public func integer(_ attribute: String) -> Int64? {
    let slot = slot(attribute)
    return slot.kind == .integer ? slot.integer : nil
  }

  /// The value of an attribute kept as REAL; nil if the value is none.
  public func real(_ attribute: String) -> Double? {
    let slot = slot(attribute)
    return slot.kind == .real ? slot.real : nil
  }

  private func slot(_ attribute: String) -> ValueSlot {
    guard let index = layout.fields.firstIndex(where: { $0.path == attribute }) else {
      preconditionFailure("the model has no attribute \"\(attribute)\"")
    }
    guard slots[index].kind == .related, let field = layout.fields[index].plainField else {
      return slots[index]
    }
    return slots[field]
  }
}
