package import JSONStreaming

/// What the first bytes of an input tell of its content.
package enum ContentPrefix {
  private static let magics =
    Compression.allCases.map(\.magic) + ForeignFormat.allCases.map(\.magic)

  /// Whether it takes more bytes to tell what a content holds that begins with `bytes`.
  package static func isUndecided(_ bytes: [UInt8]) -> Bool {
    magics.contains { $0.count > bytes.count && $0.starts(with: bytes) }
  }

  /// Throws where a content that begins with `bytes` is no JSON.
  ///
  /// - Parameter name: what messages call the input.
  package static func check(_ bytes: [UInt8], ofInputNamed name: String) throws(InputError) {
    let message =
      ForeignFormat(contentPrefix: bytes)?.message
      ?? Compression(contentPrefix: bytes).map {
        "is \($0.program)-compressed; decompress it first, or have a FileSource read the file"
      }
    if let message { throw InputError(code: .notJSON, path: name, message: message) }
  }
}

extension ByteSource where Self: ~Copyable {
  /// Reads the first bytes, until they tell what the source holds, or up to its end; where the source
  /// can go back to them, also after it was read from.
  ///
  /// - Throws: `InputError` where the source cannot be read, or holds no JSON.
  package mutating func readBeginning() throws(InputError) -> GrowableBuffer<UInt8> {
    if consumedByteCount > 0 { _ = try restart() }
    var bytes = GrowableBuffer<UInt8>(minimumCapacity: InputChunk.byteCount)
    var prefix: [UInt8] = []
    while ContentPrefix.isUndecided(prefix) {
      let count = try bytes.appendInPlace(minimumFree: 1) { (output) throws(InputError) in
        try read(into: &output)
      }
      if count == 0 { break }
      while prefix.count < min(bytes.count, Compression.longestMagicByteCount) {
        prefix.append(bytes[prefix.count])
      }
    }
    try ContentPrefix.check(prefix, ofInputNamed: name)
    return bytes
  }
}
