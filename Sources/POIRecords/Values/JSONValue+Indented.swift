extension JSONValue {
  /// Readable JSON text: a value that does not fit on its line is broken into indented lines.
  ///
  /// - Parameter width: the most characters of a line that can be broken; 0 gives each member and element
  ///   its own line.
  package func indented(width: Int = 100) -> String {
    lines(indent: 0, offset: 0, width: width)
  }

  /// - Parameter offset: the number of characters before the value on its first line.
  private func lines(indent: Int, offset: Int, width: Int) -> String {
    let flat = oneLine
    guard offset + flat.count > width else { return flat }
    let inner = String(repeating: " ", count: indent + 2)
    let end = "\n" + String(repeating: " ", count: indent)
    switch self {
    case .array(let elements) where !elements.isEmpty && elements.allSatisfy(\.isScalar):
      return "[\n" + JSONValue.filledLines(elements, inner, width: width) + end + "]"
    case .array(let elements) where !elements.isEmpty:
      let lines = elements.map {
        inner + $0.lines(indent: indent + 2, offset: indent + 2, width: width - 1)
      }
      return "[\n" + lines.joined(separator: ",\n") + end + "]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { member in
        let name = inner + JSONText.quoted(member.name) + ": "
        return name
          + member.value.lines(indent: indent + 2, offset: name.count, width: width - 1)
      }
      return "{\n" + lines.joined(separator: ",\n") + end + "}"
    default: return flat
    }
  }

  private static func filledLines(_ elements: [JSONValue], _ indent: String, width: Int) -> String {
    var lines: [String] = []
    var line = ""
    for (index, element) in elements.enumerated() {
      let text = element.description + (index < elements.count - 1 ? "," : "")
      if !line.isEmpty, indent.count + line.count + 1 + text.count > width {
        lines.append(indent + line)
        line = ""
      }
      line += line.isEmpty ? text : " " + text
    }
    return (lines + [indent + line]).joined(separator: "\n")
  }

  private var isScalar: Bool { elements == nil && members == nil }

  private var oneLine: String {
    switch self {
    case .array(let elements) where !elements.isEmpty:
      "[" + elements.map(\.oneLine).joined(separator: ", ") + "]"
    case .object(let members) where !members.isEmpty:
      "{ "
        + members.map { JSONText.quoted($0.name) + ": " + $0.value.oneLine }
        .joined(separator: ", ") + " }"
    default: description
    }
  }
}
