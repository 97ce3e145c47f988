/// The rules of a record as a whole; attributes are indices in the model.
package struct RecordRules: Sendable {
  var schema: Int

  /// The schema of unmapped members; nil if it allows every value.
  var additional: Int?

  /// The pairs of `dependentRequired`: a record with `attribute` must also have `needed`.
  package var dependencies: [Dependency]

  /// The attributes of `x-coordinates`.
  package var coordinates: Coordinates?

  package struct Dependency: BitwiseCopyable, Sendable {
    package var attribute: Int
    package var needed: Int
  }

  package struct Coordinates: BitwiseCopyable, Sendable {
    package var latitude: Int
    package var longitude: Int
  }
}
