/// The rules of a record as a whole; attributes are named by their index in the model.
struct RecordRules: Sendable {
  /// The schema with the rules that look at the record's object.
  var schema: Int

  /// The schema of members that no attribute reads; nothing where they may be anything.
  var additional: Int?

  /// The pairs of `dependentRequired`: a record with `attribute` must have `needed`, too.
  var dependencies: [Dependency]

  /// The attributes of `x-coordinates`.
  var coordinates: Coordinates?

  struct Dependency: BitwiseCopyable, Sendable {
    var attribute: Int
    var needed: Int
  }

  struct Coordinates: BitwiseCopyable, Sendable {
    var latitude: Int
    var longitude: Int
  }
}
