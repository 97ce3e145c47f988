/// What one rule found in one record.
public struct Issue: Sendable, Hashable {
  /// The name of the rule: the keyword of the model (`required`, `type`, `minimum`, …) or what the
  /// text itself broke (`syntax`, `utf-8`, `duplicate-key`, …).
  public var rule: String

  /// The attribute that the rule looked at, if any.
  public var attribute: String?

  /// What was found, with the value, in lower case.
  public var message: String

  /// What the rule called `rule` found.
  ///
  /// - Parameters:
  ///   - rule: its name; a program's own rules have names of their own.
  ///   - attribute: the attribute that it looked at; nil if it looked at none.
  ///   - message: what was found, with the value, in lower case.
  public init(rule: String, attribute: String?, message: String) {
    self.rule = rule
    self.attribute = attribute
    self.message = message
  }

  /// How many issues are kept of one record: there may be as many as it has values.
  static let limit = 100
}

extension [Issue] {
  /// Adds an issue, unless the record has as many as are kept of one.
  mutating func report(_ rule: String, _ attribute: String?, _ message: String) {
    guard count < Issue.limit else { return }
    append(Issue(rule: rule, attribute: attribute, message: message))
  }
}
