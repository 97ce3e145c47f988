/// What a comparison of two stores compares.
public struct DifferenceOptions: Sendable, Hashable {
  /// The table; nil for the only one of the newer store that is not empty.
  public var table: String?

  /// The attributes that identify a record; empty for the key of the newer store's model.
  public var key: [String] = []

  /// Attributes and relations whose differences do not count.
  public var ignoredAttributes: [String] = []

  /// All attributes, by the model's key.
  public init() {}
}
