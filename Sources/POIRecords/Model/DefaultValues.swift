/// The values of the attributes that a record may lack, decoded once when the model is loaded.
package struct DefaultValues: Sendable {
  /// What a field gets.
  package struct Entry: BitwiseCopyable, Sendable {
    package var field: Int
    /// Its text stands in `text`.
    package var slot: ValueSlot
  }

  package var entries: [Entry] = []
  package var text: [UInt8] = []
}
