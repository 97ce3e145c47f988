/// Something that hands over the bytes of an input from front to back.
///
/// An importer pulls from a source in a loop; a read that appends nothing is the end. A source has
/// one owner, and what it holds open is released with it.
public protocol ByteSource: ~Copyable {
  /// What messages call the input: the path as it was given, or `standard input`.
  var name: String { get }

  /// The size of the whole input in bytes, or nil where it cannot be known.
  ///
  /// For a compressed file it is the compressed size.
  var totalByteCount: Int? { get }

  /// How many bytes were taken from the input so far, in the unit of `totalByteCount`.
  ///
  /// It serves to show progress: it may run ahead of the bytes that were handed over, and beyond
  /// `totalByteCount` if the file grows meanwhile.
  var consumedByteCount: Int { get }

  /// Appends the next bytes of the input.
  ///
  /// Waits for the first byte, but not until `output` is full.
  ///
  /// - Parameter output: where the bytes go; it has room for at least one. It stays as it is at the
  ///   end of the input.
  /// - Throws: `InputError` if the bytes cannot be had; what was appended before is good.
  /// - Complexity: O(bytes appended)
  mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError)

  /// Goes back to the first byte, so that the next read hands over the same bytes again.
  ///
  /// - Returns: whether it could; a pipe cannot, and goes on where it was.
  /// - Throws: `InputError` if the input could be read before and no longer can.
  mutating func restart() throws(InputError) -> Bool
}

/// The part of an input that is read at a time.
package enum InputChunk {
  /// Its size in bytes, unless the source delivers less.
  package static let byteCount = 1 << 16
}
