internal import POIFiles

/// An input of an import. For bytes that arrive in pieces, see `ImportSession`.
public struct ImportSource: Sendable {
  package enum Content: Sendable {
    case file(path: String)
    case bytes([UInt8])
  }

  package let content: Content

  /// The name in reports, rejects and messages. It also identifies an unfinished import.
  public let name: String

  private init(_ content: Content, name: String) {
    self.content = content
    self.name = name
  }

  /// A file or a named pipe. The programs gzip, zstd, xz and bzip2 decompress it; others read zip archives, Excel
  /// workbooks, Parquet and maps, see `FileSource`.
  ///
  /// - Parameter path: its path; `-` is standard input.
  public static func file(_ path: String) -> ImportSource {
    ImportSource(.file(path: path), name: FileSource.name(ofPath: path))
  }

  /// Standard input, decompressed like a file.
  public static let standardInput = file("-")

  /// Bytes in memory, such as a response. They are shared, not copied, and not decompressed.
  public static func bytes(_ bytes: [UInt8], named name: String = "bytes") -> ImportSource {
    ImportSource(.bytes(bytes), name: name)
  }

  /// JSON text in memory.
  public static func text(_ text: String, named name: String = "text") -> ImportSource {
    bytes(Array(text.utf8), named: name)
  }
}
