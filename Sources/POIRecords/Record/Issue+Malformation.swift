package import JSONStreaming

extension Issue {
  /// What is wrong with an element that cannot be read, and where.
  ///
  /// - Parameter start: where the element begins, in bytes from the start of the input.
  package init(_ malformation: Malformation, ofElementAt start: Int) {
    let place = malformation.byteOffset - start + 1
    let isLimit = ["depth", "element-bytes", "string-bytes", "keys-per-object"].contains(
      malformation.rule)
    let isPlaced = !isLimit && !malformation.isTruncated && place > 1
    self.init(
      rule: malformation.rule, attribute: nil,
      message: malformation.message + (isPlaced ? ", byte \(place) of the record" : ""))
  }
}
