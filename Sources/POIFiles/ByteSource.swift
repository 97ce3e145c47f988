/// A source of the bytes of an input, from front to back.
///
/// An importer reads from it in a loop; a read that appends nothing is the end. A source has one
/// owner and releases what it holds open.
public protocol ByteSource: ~Copyable {
  /// The name of the input in messages: the path as given, or `standard input`.
  var name: String { get }

  /// The size of the whole input in bytes, compressed if it is compressed; nil if unknown.
  var totalByteCount: Int? { get }

  /// The version of an input on a web server, once all of it was read; nil if it is unknown.
  var version: InputVersion? { get }

  /// The columns of the input that are left out, because no text can hold their values.
  var omittedColumns: [String] { get }

  /// The number of bytes consumed so far, in the unit of `totalByteCount`.
  ///
  /// For progress only: it may be ahead of the bytes that were returned, and exceed
  /// `totalByteCount` if the file grows.
  var consumedByteCount: Int { get }

  /// Appends the next bytes of the input.
  ///
  /// Waits for the first byte, but not until `output` is full.
  ///
  /// - Parameter output: has room for at least one byte; unchanged at the end of the input.
  /// - Throws: `InputError` if the bytes cannot be read; what was appended before is valid.
  /// - Complexity: O(bytes appended)
  mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError)

  /// Goes back to the first byte, so that the next read returns the same bytes again.
  ///
  /// - Returns: whether it could. A pipe cannot, and stays where it is.
  /// - Throws: `InputError` if the input could be read before and no longer can.
  mutating func restart() throws(InputError) -> Bool
}

extension ByteSource where Self: ~Copyable {
  public var version: InputVersion? { nil }

  public var omittedColumns: [String] { [] }
}

/// The version of an input on a web server.
public struct InputVersion: Sendable, Hashable {
  /// The whole address, which may hold secrets, or its key in a store.
  package var address: String
  /// The header that asks whether there is another version: `If-None-Match` or `If-Modified-Since`.
  package var condition: String

  package init(address: String, condition: String) {
    self.address = address
    self.condition = condition
  }
}

/// The size of one read.
package enum InputChunk {
  /// In bytes, unless the source delivers less.
  package static let byteCount = 1 << 16
}
