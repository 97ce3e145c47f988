internal import Glibc

/// Buffered writing of a tool's results.
///
/// Writing never throws: the first failure is kept, and later bytes are dropped. A reader that went
/// away (`| head`) is no failure, so a tool ends as it would have. `runTool` flushes at the end and
/// turns a kept failure into the exit code.
public struct StandardOutput: ~Copyable {
  private static let capacity = 1 << 16

  private let descriptor: OutputDescriptor
  private var buffer: [UInt8] = []

  /// Whether nothing more can reach the reader, so that the rest need not be produced.
  public private(set) var isClosed = false

  /// The first write that failed for another reason than that the reader went away.
  public private(set) var failure: OutputError?

  init(descriptor: OutputDescriptor = .standardOutput) {
    self.descriptor = descriptor
  }

  /// Appends lines of text as UTF-8. What could act on a terminal is shown as its number, whatever
  /// data it came from; tabs and the ends of lines stay.
  public mutating func write(_ text: String) {
    append(printableLines(text))
  }

  /// Appends JSON text as UTF-8. What could act on a terminal becomes an escape that says the same.
  public mutating func write(json text: String) {
    append(printableJSON(text))
  }

  /// Appends a value that programs read as UTF-8: as it is, or as `write` does where a terminal shows it.
  public mutating func write(value text: String) {
    append(descriptor.isTerminal ? printableLines(text) : text)
  }

  private mutating func append(_ text: String) {
    guard !isClosed else { return }
    buffer += text.utf8
    if buffer.count >= Self.capacity { flush() }
  }

  /// Hands over what is buffered to the system.
  ///
  /// - SeeAlso: `write(2)`
  public mutating func flush() {
    guard !isClosed, !buffer.isEmpty else { return }
    do {
      try descriptor.write(buffer.span)
    } catch {
      isClosed = true
      if error.code != EPIPE { failure = error }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
