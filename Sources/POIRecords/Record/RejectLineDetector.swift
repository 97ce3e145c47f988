internal import JSONStreaming

/// Knows the reject lines of one input.
///
/// A tool may have brought their members into another order, but looking through those of every record
/// would take its time: it is done where the input's first element is a reject line.
package struct RejectLineDetector {
  /// Whether the marker is looked for among all members; nothing before the first element.
  private var looksAtAllMembers: Bool?

  package init() {}

  /// Whether an element of the input is a reject line; the first one is asked for first.
  @inline(__always)
  package mutating func isRejectLine(_ element: JSONElement) -> Bool {
    guard looksAtAllMembers == false else { return isMarkedAnywhere(element) }
    guard element.tape[element.start].kind == .startObject else { return false }
    let first = element.tape[element.start + 1]
    return first.kind == .key && first.textByteCount == RejectLine.marker.utf8.count
      && element.tape.text(of: first).hasSameBytes(as: RejectLine.marker.utf8Span.span)
  }

  private mutating func isMarkedAnywhere(_ element: JSONElement) -> Bool {
    let isMarked = element.hasMember(RejectLine.marker)
    if looksAtAllMembers == nil { looksAtAllMembers = isMarked }
    return isMarked
  }
}

extension JSONElement {
  /// Whether it is an object with a member of the name.
  fileprivate func hasMember(_ name: String) -> Bool {
    guard tape[start].kind == .startObject else { return false }
    var index = start + 1
    while tape[index].kind == .key {
      if tape.text(of: tape[index]).hasSameBytes(as: name.utf8Span.span) { return true }
      index = tape.end(ofValueAt: index + 1)
    }
    return false
  }
}
