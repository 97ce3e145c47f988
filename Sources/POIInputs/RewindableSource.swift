internal import JSONStreaming

/// A source whose first bytes can be read twice, even if it is a pipe.
package struct RewindableSource: ~Copyable, ByteSource {
  /// The number of bytes that are kept of a pipe. It leaves room for a last read beyond 16 MiB.
  package static let byteLimit = 17 << 20

  private var source: FileSource
  private var beginning: [UInt8] = []
  private var position = 0

  /// Whether bytes that are read are kept.
  private var keepsBytes = true

  /// Opens the input at `path`, as `FileSource` does.
  package init(
    path: String, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(InputError) {
    source = try FileSource(path: path, isInterrupted: isInterrupted)
  }

  package var name: String { source.name }

  package var totalByteCount: Int? { source.totalByteCount }

  package var consumedByteCount: Int { source.consumedByteCount }

  package mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError) {
    if position < beginning.count {
      let count = min(beginning.count - position, output.freeCapacity)
      output.append(copying: beginning[position..<(position + count)])
      position += count
      if !keepsBytes, position == beginning.count { forgetBeginning() }
      return
    }
    let start = output.count
    try source.read(into: &output)
    guard keepsBytes else { return }
    if beginning.count + output.count - start > Self.byteLimit {
      forgetBeginning()
    } else {
      for index in start..<output.count { beginning.append(output.span[index]) }
      position = beginning.count
    }
  }

  /// Goes back to the first byte; a pipe only if no more than `byteLimit` bytes were read.
  package mutating func restart() throws(InputError) -> Bool {
    if try source.restart() {
      forgetBeginning()
      return true
    }
    guard keepsBytes else { return false }
    position = 0
    return true
  }

  /// Goes back to the first byte for the last time, so that no more bytes are kept.
  package mutating func restartFinally() throws(InputError) -> Bool {
    let isAtStart = try restart()
    keepsBytes = false
    return isAtStart
  }

  private mutating func forgetBeginning() {
    keepsBytes = false
    beginning = []
    position = 0
  }
}
