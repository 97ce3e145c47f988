internal import POIRecords

/// The distinct elements of JSON arrays.
///
/// Elements are equal if their canonical texts are; see `JSONValue.canonical`.
struct ListUnion {
  private var elements: Set<[UInt8]> = []

  /// The elements of an array; nil if the text is not a JSON array.
  init?(_ text: [UInt8]) {
    guard insert(text) != nil else { return nil }
  }

  /// Adds the elements of an array.
  ///
  /// - Returns: whether one of them is new; nil if the text is not a JSON array.
  mutating func insert(_ text: [UInt8]) -> Bool? {
    guard let list = JSONValue.stored(text.span)?.elements else { return nil }
    let countBefore = elements.count
    for element in list { elements.insert(Array(element.canonical.description.utf8)) }
    return elements.count > countBefore
  }

  /// A JSON array of the elements, in the order of their texts' bytes.
  var text: [UInt8] {
    let sorted = elements.sorted { $0.lexicographicallyPrecedes($1) }
    return Array("[".utf8) + sorted.joined(separator: ",".utf8) + Array("]".utf8)
  }
}
