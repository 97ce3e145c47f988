/// A file format that is neither JSON nor delimited text but is often passed as input.
enum ForeignFormat: CaseIterable {
  case zip, parquet, flatGeobuf, geoPackage, sqlite, kml, markup, largeFilePointer

  /// The first bytes of every such file: PKWARE's APPNOTE 4.3.7, Parquet's and FlatGeobuf's own, SQLite's file format
  /// 1.3, XML 1.0 and HTML, the pointer files of Git LFS.
  var magic: [UInt8] {
    switch self {
    case .zip: [0x50, 0x4B, 0x03, 0x04]
    case .parquet: Array("PAR1".utf8)
    case .flatGeobuf: Array("fgb\u{03}".utf8)
    case .sqlite, .geoPackage: Array("SQLite".utf8)
    case .markup, .kml: [0x3C]
    case .largeFilePointer: Array("versio".utf8)
    }
  }

  /// Whether the bytes after the magic fit the format, as far as they are known.
  private func isLike(_ bytes: [UInt8]) -> Bool {
    switch self {
    // Text continues with a printable character or the end of a line.
    case .parquet: bytes.count > 4 && bytes[4] < 0x20 && ![0x09, 0x0A, 0x0D].contains(bytes[4])
    case .geoPackage: bytes.count >= 72 && bytes[68..<72].elementsEqual("GPKG".utf8)
    case .largeFilePointer: bytes.starts(with: "version https://git-lfs".utf8)
    case .kml: String(decoding: bytes, as: UTF8.self).contains("<kml")
    default: true
    }
  }

  /// The most bytes that tell the format of a regular file.
  static let longestBeginning = 1_024

  /// What the file is and what to do, in lower case.
  var message: String {
    switch self {
    case .zip: "is a zip archive" + Self.onlyByName
    case .parquet: "is a Parquet file" + Self.onlyByName
    case .flatGeobuf, .kml, .geoPackage: "holds features of a map" + Self.onlyByName
    case .sqlite:
      "is a SQLite database, not JSON; name the JSON to import"
    case .markup: "is XML or HTML, not JSON; check whether a server answered with a web page"
    case .largeFilePointer:
      "is a pointer of Git LFS, not the file itself; get it with git lfs pull"
    }
  }

  private static let onlyByName =
    ", which is read by its name only; store it in a file and name that"

  /// The format of a content that begins with `bytes`; nil if there is no such format.
  init?(contentPrefix bytes: [UInt8]) {
    guard
      let found = Self.allCases.first(where: { bytes.starts(with: $0.magic) && $0.isLike(bytes) })
    else { return nil }
    self = found
  }
}
