internal import JSONStreaming

/// Detects the reject lines of one input.
///
/// If the first element is a reject line, the detector searches all members of each element for the
/// marker, because another program may have reordered them.
package struct RejectLineDetector {
  /// Nil before the first element.
  private var looksAtAllMembers: Bool?

  package init() {}

  /// Whether the next element of the input is a reject line.
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
