/// The values of the attributes that a record may lack, decoded once when the model is loaded.
struct DefaultValues: Sendable {
  /// What a field gets.
  struct Entry: BitwiseCopyable, Sendable {
    var field: Int
    /// Its text stands in `text`.
    var slot: ValueSlot
  }

  var entries: [Entry] = []
  var text: [UInt8] = []
}
