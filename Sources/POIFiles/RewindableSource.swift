internal import JSONStreaming

/// A source whose first bytes can be read several times, even if it is a pipe.
///
/// It ends after `byteLimit` bytes, until `restartFinally` makes all bytes readable.
package struct RewindableSource: ~Copyable, ByteSource {
  /// The number of bytes after which no more are read. The last read may exceed it.
  package static let byteLimit = 16 << 20

  private var source: FileSource
  /// The bytes of a pipe that were read.
  private var beginning: [UInt8] = []
  private var position = 0
  private var isLimited = true

  /// Whether the input was read up to the limit, so that it may go on.
  package var hasReachedLimit: Bool { isLimited && position >= Self.byteLimit }

  /// Opens the input at `path`, as `FileSource` does.
  package init(
    path: String, encoding: TextEncoding?, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(InputError) {
    source = try FileSource(path: path, encoding: encoding, isInterrupted: isInterrupted)
  }

  package var name: String { source.name }

  package var totalByteCount: Int? { source.totalByteCount }

  package var version: InputVersion? { source.version }

  package var omittedColumns: [String] { source.omittedColumns }

  package var consumedByteCount: Int { source.consumedByteCount }

  package mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError) {
    if position < beginning.count {
      let count = min(beginning.count - position, output.freeCapacity)
      output.append(copying: beginning[position..<(position + count)])
      position += count
      if !isLimited, position == beginning.count { beginning = [] }
      return
    }
    guard isLimited else { return try source.read(into: &output) }
    guard position < Self.byteLimit else { return }
    let start = output.count
    try source.read(into: &output)
    position += output.count - start
    if !source.canRestart {
      for index in start..<output.count { beginning.append(output.span[index]) }
    }
  }

  /// Goes back to the first byte; a pipe cannot after `restartFinally`.
  package mutating func restart() throws(InputError) -> Bool {
    guard try source.restart() || isLimited else { return false }
    position = 0
    return true
  }

  /// Goes back to the first byte for the last time, and makes all bytes readable.
  package mutating func restartFinally() throws(InputError) {
    _ = try restart()
    isLimited = false
  }
}
