/// What one rule found in one record.
public struct Issue: Sendable, Hashable {
  /// The name of the rule: the keyword of the model (`required`, `type`, `minimum`, …) or what the
  /// text itself broke (`syntax`, `utf-8`, `duplicate-key`, …).
  public var rule: String

  /// The attribute that the rule looked at, where it looked at one.
  public var attribute: String?

  /// What was found, with the value, in lower case.
  public var message: String

  /// What the rule called `rule` found.
  ///
  /// - Parameters:
  ///   - rule: its name; a program's own rules have names of their own.
  ///   - attribute: the attribute that it looked at; nothing where it looked at none.
  ///   - message: what was found, with the value, in lower case.
  public init(rule: String, attribute: String?, message: String) {
    self.rule = rule
    self.attribute = attribute
    self.message = message
  }
}
