/// A documented rule, with accepted and rejected records.
///
/// The examples are the rule's tests: each is decoded with a model that has `attributes`.
public struct RuleDescription: Sendable {
  /// The name of the rule in rejects and reports.
  public let name: String

  /// The requirement, as a fragment.
  public let summary: String

  /// The JSON text of `properties` in a model that uses the rule.
  public let attributes: String

  /// The attributes that the model requires.
  public let required: [String]

  /// The model's other root members for the rule, as JSON text without braces; may be empty.
  public let root: String

  /// Records that satisfy the rule, as JSON texts.
  public let accepted: [String]

  /// Records that break it, as JSON texts.
  public let rejected: [String]

  init(
    _ name: String, _ summary: String, attributes: String, required: [String] = [],
    root: String = "", accepted: [String], rejected: [String]
  ) {
    self.name = name
    self.summary = summary
    self.attributes = attributes
    self.required = required
    self.root = root
    self.accepted = accepted
    self.rejected = rejected
  }

  /// The document of a model that uses the rule.
  public var model: String {
    let names = required.map { "\"\($0)\"" }.joined(separator: ",")
    let root = root.isEmpty ? "" : "," + root
    return """
      {"x-table":"example","type":"object","required":[\(names)],"properties":\(attributes)\(root)}
      """
  }
}
