internal import JSONStreaming

/// A line of a reject file, which can be corrected and imported again.
///
/// Its members are `poikit_reject` (the format version, 1), `file`, `record`, `line` and `column`
/// (1-based, the column in bytes), `offset` (0-based, in bytes), `rule`, `attribute` and `message` of the
/// first issue, `issues`, `member` (the record's name in an object of objects), and the record: `raw`, or
/// `raw_base64` (RFC 4648) if it is not UTF-8. A record that exceeds the byte limit is truncated.
package struct RejectLine {
  /// The name of the member that marks a reject line; the first member unless another program moved it.
  package static let marker = "poikit_reject"

  /// The first bytes of every reject line.
  package static let beginning = Array("{\"\(marker)\":1,".utf8)

  var raw: [UInt8]

  /// The name of the member that held the record.
  var member: String?

  var rule: String?

  /// The line for one reject, including the newline.
  ///
  /// - Parameters:
  ///   - record: 1-based.
  ///   - byteOffset: 0-based.
  ///   - line: 1-based, or 0 if unknown.
  ///   - column: 1-based, in bytes, or 0 if unknown.
  package static func text(
    input: String, record: Int, byteOffset: Int, line: Int, column: Int, issues: JSONValue,
    member: String?, raw: Span<UInt8>
  ) -> String {
    let first = issues.elements?.first
    let rawText = unsafe raw.withUnsafeBufferPointer {
      unsafe String(validating: $0, as: UTF8.self)
    }
    var members: [JSONValue.Member] = [
      .init(name: marker, value: .number(1)),
      .init(name: "file", value: .string(input)),
      .init(name: "record", value: .number(record)),
      .init(name: "offset", value: .number(byteOffset)),
      .init(name: "line", value: .number(line)),
      .init(name: "column", value: .number(column)),
      .init(name: "rule", value: first?["rule"] ?? .null),
      .init(name: "attribute", value: first?["attribute"] ?? .null),
      .init(name: "message", value: first?["message"] ?? .null),
      .init(name: "issues", value: issues),
    ]
    if let member { members.append(.init(name: "member", value: .string(member))) }
    if let rawText {
      members.append(.init(name: "raw", value: .string(rawText)))
    } else {
      members.append(.init(name: "raw_base64", value: .string(Base64.encode(raw))))
    }
    return JSONValue.object(members).description + "\n"
  }

  /// Reads a reject line; nil if it has no record. `raw` has precedence over `raw_base64`.
  init?(_ element: JSONElement) {
    var raw: [UInt8]?
    var decoded: [UInt8]?
    var index = element.start + 1
    while element.tape[index].kind == .key {
      let name = String(copying: element.tape.text(of: element.tape[index]))
      let value = element.tape[index + 1]
      if value.kind == .string {
        let text = String(copying: element.tape.text(of: value))
        switch name {
        case "raw": raw = Array(text.utf8)
        case "raw_base64": decoded = Base64.decode(text)
        case "member": member = text
        case "rule": rule = text
        default: break
        }
      }
      index = element.tape.end(ofValueAt: index + 1)
    }
    guard let record = raw ?? decoded else { return nil }
    self.raw = record
  }

  /// Whether `raw` is a damaged member of an object of objects: it begins with the name.
  ///
  /// A string in place of a record also begins with a quote; its rule is `not-an-object`.
  var holdsMember: Bool { raw.first == UInt8(ascii: "\"") && rule != "not-an-object" }
}

extension Issue {
  /// Issues as reject lines and stores have them.
  package static func json(_ issues: [Issue]) -> JSONValue {
    .array(
      issues.map { issue in
        .object([
          "rule": .string(issue.rule), "attribute": issue.attribute.map(JSONValue.string) ?? .null,
          "message": .string(issue.message),
        ])
      })
  }
}
