package import JSONStreaming

/// A violation of one rule by one record.
public struct Issue: Sendable, Hashable {
  /// The name of the rule: a keyword of the model (`required`, `type`, `minimum`, …) or a rule of JSON
  /// itself (`syntax`, `utf-8`, `duplicate-key`, …).
  public var rule: String

  /// The attribute that violates the rule; nil if the issue concerns no single attribute.
  public var attribute: String?

  /// What is wrong, in lower case, with the value quoted.
  public var message: String

  /// An issue of a rule.
  ///
  /// - Parameters:
  ///   - rule: the name of the rule; a `RecordValidator` chooses its own names.
  ///   - attribute: the attribute that violates the rule, or nil.
  ///   - message: what is wrong, in lower case, with the value quoted.
  public init(rule: String, attribute: String?, message: String) {
    self.rule = rule
    self.attribute = attribute
    self.message = message
  }

  /// Whether it says that the column cannot hold the value, for its type, form or size. Only timestamps that can be
  /// kept have the issue `skew` then.
  var isMisfit: Bool {
    ["type", "format", "number-range", "integer-range", "instant-range", "nul", "skew"].contains(
      rule)
  }

  /// The most issues kept for one record: a large record could have an issue for every value.
  static let limit = 100
}

extension [Issue] {
  mutating func report(_ rule: String, _ attribute: String?, _ message: String) {
    guard count < Issue.limit else { return }
    append(Issue(rule: rule, attribute: attribute, message: message))
  }
}

extension Issue {
  /// Describes an element that cannot be read.
  ///
  /// - Parameter start: the byte offset of the element in the input.
  package init(_ malformation: Malformation, ofElementAt start: Int) {
    let place = malformation.byteOffset - start + 1
    // A limit concerns the whole record, so a position does not help.
    let isLimit = ["depth", "element-bytes", "string-bytes", "keys-per-object"].contains(
      malformation.rule)
    let isPlaced = !isLimit && !malformation.isTruncated && place > 1
    self.init(
      rule: malformation.rule, attribute: nil,
      message: malformation.message + (isPlaced ? Self.placed(at: "\(place)") : ""))
  }

  private static func placed(at byte: String) -> String { ", byte \(byte) of the record" }

  /// The byte of the record, from 1, that a message about unreadable bytes names; nil if it names none.
  package static func byte(namedBy message: String) -> Int? {
    let number = message.dropLast(placed(at: "").count - 7).reversed().prefix(while: \.isNumber)
    let byte = String(number.reversed())
    return message.hasSuffix(placed(at: byte)) ? Int(byte) : nil
  }
}
