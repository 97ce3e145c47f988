internal import JSONStreaming

extension ImportOptions.RecordLimits {
  /// Throws where a limit is not one that may be said.
  func check() throws(ImportError) {
    let limits = [
      ("depth", depth, Self.depths), ("byteCount", byteCount, Self.byteCounts),
      ("stringByteCount", stringByteCount, Self.stringByteCounts),
      ("keysPerObject", keysPerObject, Self.keyCounts),
    ]
    for (name, limit, range) in limits where !range.contains(limit) {
      throw ImportError(
        .usage,
        "the limit \(name) of a record is \(limit); it goes from \(range.lowerBound) to "
          + "\(range.upperBound)")
    }
  }

  /// The limits as the reader takes them.
  var forReading: ReadingLimits {
    var limits = ReadingLimits()
    limits.depth = depth
    limits.elementByteCount = byteCount
    limits.stringByteCount = stringByteCount
    limits.keysPerObject = keysPerObject
    return limits
  }

  /// How a message ends that tells of a limit, by the rule of the malformed element: with the option
  /// that moves it. Empty for other rules.
  static func advice(onRule rule: String) -> String {
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
  init(_ malformation: Malformation, ofElementAt start: Int) {
    let advice = ImportOptions.RecordLimits.advice(onRule: malformation.rule)
    let place = malformation.byteOffset - start + 1
    let isPlaced = advice.isEmpty && !malformation.isTruncated && place > 1
    self.init(
      rule: malformation.rule, attribute: nil,
      message: malformation.message + advice + (isPlaced ? ", byte \(place) of the record" : ""))
  }
}
