/// The model's defaults, decoded once when the model is loaded.
package struct DefaultValues: Sendable {
  /// The default of one field.
  package struct Entry: BitwiseCopyable, Sendable {
    package var field: Int
    /// Its text range is in `text`.
    package var slot: ValueSlot
  }

  package var entries: [Entry] = []
  package var text: [UInt8] = []
}
