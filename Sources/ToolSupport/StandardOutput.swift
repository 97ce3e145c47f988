internal import Glibc

/// Buffered writing of a tool's results.
///
/// Writing never throws: the first failure is kept, and later bytes are dropped. A reader that went
/// away (`| head`) is no failure. `runTool` flushes at the end and turns a failure into the exit code.
public struct StandardOutput: ~Copyable {
  private static let capacity = 1 << 16

  private let descriptor: OutputDescriptor
  private var buffer: [UInt8] = []

  /// Whether nothing more can reach the reader.
  private(set) var isClosed = false

  /// What the first write failed with, unless the reader went away.
  private(set) var failure: String?

  init(descriptor: OutputDescriptor = .standardOutput) {
    self.descriptor = descriptor
  }

  /// Appends lines of text as UTF-8. What could act on a terminal is shown as its number; tabs and
  /// line ends stay.
  public mutating func write(_ text: String) {
    append(printableLines(text))
  }

  /// Appends JSON text as UTF-8. What could act on a terminal becomes an escape that says the same.
  public mutating func write(json text: String) {
    append(printableJSON(text))
  }

  /// Appends a value for programs as UTF-8: as it is, or as `write` does if a terminal shows it.
  public mutating func write(value text: String) {
    append(descriptor.isTerminal ? printableLines(text) : text)
  }

  private mutating func append(_ text: String) {
    guard !isClosed else { return }
    buffer += text.utf8
    if buffer.count >= Self.capacity { flush() }
  }

  /// Hands over what is buffered to the system.
  mutating func flush() {
    guard !isClosed else { return }
    let code = descriptor.write(buffer.span)
    isClosed = code != 0
    if code != 0, code != EPIPE {
      failure = "cannot write to \(descriptor.name): \(unsafe String(cString: strerror(code)))"
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
