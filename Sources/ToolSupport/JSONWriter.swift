/// A writer of one JSON text, for reports.
///
/// Members and elements stand on lines of their own, in the order in which they are written. Strings are escaped so that the text is
/// also safe on a terminal.
///
///     var json = JSONWriter()
///     json.object { json in
///       json.member("version", 1)
///       json.array("files") { json in json.value("data.json") }
///     }
///     output.write(json.text + "\n")
public struct JSONWriter: Sendable {
  /// A container that is being written.
  private struct Level {
    let isObject: Bool
    var isEmpty = true
  }

  /// What is written so far, without a line's end behind it.
  public private(set) var text = ""

  private var levels: [Level] = []
  private var isNamed = false

  /// A writer of an empty text.
  public init() {}
}

extension JSONWriter {
  /// Writes a value where one is due: as the whole text or as an array's next element.
  public mutating func value(_ value: some JSONWritable) {
    value.write(to: &self)
  }

  /// Writes an object's next member.
  public mutating func member(_ name: String, _ value: some JSONWritable) {
    writeName(name)
    value.write(to: &self)
  }

  /// Writes an object; `body` writes its members.
  public mutating func object(_ body: (inout JSONWriter) -> Void) {
    container(isObject: true, body)
  }

  /// Writes an object as an object's next member; `body` writes its members.
  public mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
    writeName(name)
    object(body)
  }

  /// Writes an array; `body` writes its elements.
  public mutating func array(_ body: (inout JSONWriter) -> Void) {
    container(isObject: false, body)
  }

  /// Writes an array as an object's next member; `body` writes its elements.
  public mutating func array(_ name: String, _ body: (inout JSONWriter) -> Void) {
    writeName(name)
    array(body)
  }
}

extension JSONWriter {
  /// Writes a number, `true`, `false` or `null` as a value.
  mutating func writeLiteral(_ literal: String) {
    beginValue()
    text += literal
  }

  /// Writes a string as a value.
  mutating func writeString(_ string: String) {
    beginValue()
    appendQuoted(string)
  }

  private mutating func container(isObject: Bool, _ body: (inout JSONWriter) -> Void) {
    beginValue()
    text += isObject ? "{" : "["
    levels.append(Level(isObject: isObject))
    let depth = levels.count
    body(&self)
    precondition(levels.count == depth && !isNamed, "a member has a name and no value")
    let level = levels.removeLast()
    if !level.isEmpty { breakLine() }
    text += isObject ? "}" : "]"
  }

  private mutating func writeName(_ name: String) {
    precondition(levels.last?.isObject == true && !isNamed, "a member stands in an object")
    beginItem()
    appendQuoted(name)
    text += ": "
    isNamed = true
  }

  private mutating func beginValue() {
    if isNamed {
      isNamed = false
    } else if let level = levels.last {
      precondition(!level.isObject, "an object's value has a name")
      beginItem()
    } else {
      precondition(text.isEmpty, "a JSON text is one value")
    }
  }

  private mutating func beginItem() {
    let last = levels.count - 1
    if !levels[last].isEmpty { text += "," }
    levels[last].isEmpty = false
    breakLine()
  }

  private mutating func breakLine() {
    text += "\n" + String(repeating: "  ", count: levels.count)
  }

  private mutating func appendQuoted(_ string: String) {
    text += "\""
    let needsNoEscapes = string.utf8.allSatisfy { byte in
      isPrintableASCII(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    if needsNoEscapes { text += string } else { appendEscaped(string) }
    text += "\""
  }

  private mutating func appendEscaped(_ string: String) {
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where isUnprintable(scalar): text += jsonEscape(scalar)
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
