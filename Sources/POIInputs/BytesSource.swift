internal import JSONStreaming

/// A source of bytes that the program already holds, such as a response that it fetched. They are not
/// decompressed.
public struct BytesSource: ByteSource {
  public let name: String

  private let bytes: [UInt8]
  private let chunkSize: Int
  private var position = 0

  /// A source of `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: the whole input, shared and not copied.
  ///   - name: what messages call the input.
  ///   - chunkSize: how many bytes one read hands over at most; at least 1. Nil sets no limit.
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
