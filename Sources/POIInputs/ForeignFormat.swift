/// A kind of file that holds no JSON as it is, and that people hand over all the same. Read as JSON it
/// would give a reject for each of its lines.
enum ForeignFormat: CaseIterable {
  case zip, sqlite, markup, textSequence

  /// The bytes that every file of this form begins with: PKWARE's APPNOTE 4.3.7, SQLite's file format
  /// 1.3, XML 1.0 and HTML, RFC 7464.
  var magic: [UInt8] {
    switch self {
    case .zip: [0x50, 0x4B, 0x03, 0x04]
    case .sqlite: Array("SQLite".utf8)
    case .markup: [0x3C]
    case .textSequence: [0x1E]
    }
  }

  /// What it is and what to do, in lower case.
  var message: String {
    switch self {
    case .zip: "is a zip archive; unpack it and name the files in it"
    case .sqlite:
      "is a SQLite database and no JSON; name the JSON to import"
    case .markup: "is XML or HTML and no JSON; look whether a server answered with a page instead"
    case .textSequence:
      "is a JSON text sequence; take its record separators out, for example with tr -d '\\036'"
    }
  }

  /// The form of a content that begins with `bytes`, or nil if it is none of them.
  init?(contentPrefix bytes: [UInt8]) {
    guard let found = Self.allCases.first(where: { bytes.starts(with: $0.magic) }) else {
      return nil
    }
    self = found
  }
}
