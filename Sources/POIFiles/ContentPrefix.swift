package import JSONStreaming

/// What the first bytes of an input say about its content.
package enum ContentPrefix {
  private static let magics =
    Compression.allCases.map(\.magic) + ForeignFormat.allCases.map(\.magic) + TextDecoder.marks

  /// Whether more bytes are needed to identify a content that begins with `bytes`.
  package static func isUndecided(_ bytes: [UInt8]) -> Bool {
    magics.contains { $0.count > bytes.count && $0.starts(with: bytes) }
  }

  /// Refuses a content whose first bytes show that it is neither JSON nor text in rows.
  ///
  /// - Parameter name: the name of the input in messages.
  package static func check(_ bytes: [UInt8], ofInputNamed name: String) throws(InputError) {
    let message =
      ForeignFormat(contentPrefix: bytes)?.message
      ?? Compression(contentPrefix: bytes).map {
        "\($0.inputProgram.content); decompress it first, or have a FileSource read the file"
      }
    if let message { throw InputError(code: .notJSON, path: name, message: message) }
  }
}

extension ByteSource where Self: ~Copyable {
  /// Reads the first bytes, until they identify the content or the source ends. A source that was
  /// read before goes back to its start first, if it can.
  ///
  /// - Throws: `InputError` if the source cannot be read or its first bytes show that it is neither JSON nor text in rows.
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
