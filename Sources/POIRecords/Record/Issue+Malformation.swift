package import JSONStreaming

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
      message: malformation.message + (isPlaced ? ", byte \(place) of the record" : ""))
  }
}
