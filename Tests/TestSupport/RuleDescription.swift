/// A rule as it is documented, with records that keep it and records that break it.
///
/// The examples are the rule's tests as well: each is decoded with a model whose attributes are
/// `attributes`.
public struct RuleDescription: Sendable {
  /// The name of the rule in rejects and reports.
  public let name: String

  /// What the rule asks for, as a fragment.
  public let summary: String

  /// The attributes of a model that states the rule, as the JSON text of its `properties`.
  public let attributes: String

  /// The names of the attributes that the model requires.
  public let required: [String]

  /// The other members of the model's root that state the rule, as JSON text without braces; or
  /// empty.
  public let root: String

  /// Records that keep the rule, as JSON texts.
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

  /// The document of a model that states the rule.
  public var model: String {
    let names = required.map { "\"\($0)\"" }.joined(separator: ",")
    let root = root.isEmpty ? "" : "," + root
    return """
      {"x-table":"example","type":"object","required":[\(names)],"properties":\(attributes)\(root)}
      """
  }
}
