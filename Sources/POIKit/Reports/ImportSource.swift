internal import POIInputs

/// What an import reads records from.
///
/// For bytes that arrive in pieces there is `ImportSession`.
public struct ImportSource: Sendable {
  enum Content: Sendable {
    case file(path: String)
    case bytes([UInt8])
  }

  let content: Content

  /// What reports, rejects and messages call the input. An unfinished import is found by it.
  public let name: String

  private init(_ content: Content, name: String) {
    self.content = content
    self.name = name
  }

  /// A file or a named pipe. gzip, zstd, xz and bzip2 are decompressed by the programs of these names.
  ///
  /// - Parameter path: its path; `-` is standard input.
  public static func file(_ path: String) -> ImportSource {
    ImportSource(.file(path: path), name: FileSource.name(ofPath: path))
  }

  /// Standard input, decompressed like a file.
  public static let standardInput = file("-")

  /// Bytes that the program holds, such as a response. They are shared, not copied, and not decompressed.
  public static func bytes(_ bytes: [UInt8], named name: String = "bytes") -> ImportSource {
    ImportSource(.bytes(bytes), name: name)
  }

  /// JSON text that the program holds.
  public static func text(_ text: String, named name: String = "text") -> ImportSource {
    bytes(Array(text.utf8), named: name)
  }
}
