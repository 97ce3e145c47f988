internal import JSONStreaming

/// A source of bytes that the program already holds, such as a response. It does not decompress
/// them.
public struct BytesSource: ByteSource {
  public let name: String

  private let bytes: [UInt8]
  private let chunkSize: Int
  private var position = 0

  /// A source of `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: the whole input, shared and not copied.
  ///   - name: the name of the input in messages.
  ///   - chunkSize: the maximum bytes of one read; at least 1, or nil for no limit.
  public init(_ bytes: [UInt8], name: String = "bytes", chunkSize: Int? = nil) {
    precondition(chunkSize ?? 1 > 0)
    self.bytes = bytes
    self.name = name
    self.chunkSize = chunkSize ?? Int.max
  }

  public var totalByteCount: Int? { bytes.count }

  public var consumedByteCount: Int { position }

  public mutating func read(into output: inout OutputSpan<UInt8>) {
    precondition(output.freeCapacity > 0)
    let count = min(bytes.count - position, chunkSize, output.freeCapacity)
    output.append(copying: bytes[position..<(position + count)])
    position += count
  }

  public mutating func restart() -> Bool {
    position = 0
    return true
  }
}
