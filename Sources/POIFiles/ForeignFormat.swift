/// A file format that is not JSON but is often passed as input. Parsed as JSON it would give a
/// reject for each line.
enum ForeignFormat: CaseIterable {
  case zip, sqlite, markup, largeFilePointer

  /// The first bytes of every such file: PKWARE's APPNOTE 4.3.7, SQLite's file format 1.3, XML 1.0
  /// and HTML, the pointer files of Git LFS.
  var magic: [UInt8] {
    switch self {
    case .zip: [0x50, 0x4B, 0x03, 0x04]
    case .sqlite: Array("SQLite".utf8)
    case .markup: [0x3C]
    case .largeFilePointer: Array("versio".utf8)
    }
  }

  /// What the file is and what to do, in lower case.
  var message: String {
    switch self {
    case .zip: "is a zip archive; unpack it and name the files in it"
    case .sqlite:
      "is a SQLite database, not JSON; name the JSON to import"
    case .markup: "is XML or HTML, not JSON; check whether a server answered with a web page"
    case .largeFilePointer:
      "is a pointer of Git LFS, not the file itself; get it with git lfs pull"
    }
  }

  /// The format of a content that begins with `bytes`; nil if there is no such format.
  init?(contentPrefix bytes: [UInt8]) {
    guard let found = Self.allCases.first(where: { bytes.starts(with: $0.magic) }) else {
      return nil
    }
    self = found
  }
}
