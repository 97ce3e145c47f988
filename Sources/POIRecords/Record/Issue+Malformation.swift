package import JSONStreaming

extension Malformation {
  /// How the message of a malformed element ends: with the option that moves the limit if one was
  /// exceeded, else empty.
  ///
  /// - Parameter rule: the rule that the element breaks.
  package static func advice(onRule rule: String) -> String {
    let option: String
    switch rule {
    case "depth": option = "--max-depth"
    case "element-bytes": option = "--max-record-bytes"
    case "string-bytes": option = "--max-string-bytes"
    case "keys-per-object": option = "--max-keys"
    default: return ""
    }
    return "; \(option) moves the limit"
  }
}

extension Issue {
  /// What is wrong with an element that cannot be read, and where in it, unless that is its beginning
  /// or as far as a limit.
  ///
  /// - Parameter start: where the element begins, in bytes from the start of the input.
  package init(_ malformation: Malformation, ofElementAt start: Int) {
    let advice = Malformation.advice(onRule: malformation.rule)
    let place = malformation.byteOffset - start + 1
    let isPlaced = advice.isEmpty && !malformation.isTruncated && place > 1
    self.init(
      rule: malformation.rule, attribute: nil,
      message: malformation.message + advice + (isPlaced ? ", byte \(place) of the record" : ""))
  }
}
