/// A compressed file format that the toolkit reads and writes through an external program.
package enum Compression: CaseIterable {
  case gzip, zstd, xz, bzip2

  /// The program that decompresses, found in `PATH`.
  var program: String {
    switch self {
    case .gzip: "gzip"
    case .zstd: "zstd"
    case .xz: "xz"
    case .bzip2: "bzip2"
    }
  }

  var arguments: [String] {
    switch self {
    case .gzip, .xz, .bzip2: ["-dc"]
    case .zstd: ["-dcq"]
    }
  }

  /// The Debian package that holds the program.
  var package: String {
    switch self {
    case .gzip, .zstd, .bzip2: program
    case .xz: "xz-utils"
    }
  }

  /// The end of the names of such files.
  package var fileNameEnd: String {
    switch self {
    case .gzip: ".gz"
    case .zstd: ".zst"
    case .xz: ".xz"
    case .bzip2: ".bz2"
    }
  }

  /// The first bytes of every such file: RFC 1952, RFC 8878, the .xz file format 1.2.1, and bzip2.
  var magic: [UInt8] {
    switch self {
    case .gzip: [0x1F, 0x8B]
    case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
    case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    case .bzip2: [0x42, 0x5A, 0x68]
    }
  }

  /// The maximum bytes that `init(contentPrefix:)` looks at, here and in `ForeignFormat`.
  package static let longestMagicByteCount = 6

  /// The format of a content that begins with `bytes`; nil if it is not compressed.
  init?(contentPrefix bytes: [UInt8]) {
    guard let found = Self.allCases.first(where: { bytes.starts(with: $0.magic) }) else {
      return nil
    }
    self = found
  }
}
