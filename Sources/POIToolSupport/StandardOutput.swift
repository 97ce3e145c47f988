internal import POIPlatform

/// Buffered standard output for a tool's results.
///
/// Writing never throws: the first failure is kept, and later bytes are dropped. A closed reader
/// (`| head`) is not a failure. `runTool` flushes at the end and turns a failure into the exit
/// code.
public struct StandardOutput: ~Copyable {
  private static let capacity = 1 << 16

  private let descriptor: OutputDescriptor
  private var buffer: [UInt8] = []

  /// Whether later bytes are dropped.
  public private(set) var isClosed = false

  /// The error of the first failed write; nil if only the reader closed its end.
  private(set) var failure: String?

  init(descriptor: OutputDescriptor = .standardOutput) {
    self.descriptor = descriptor
  }

  /// Appends lines of text as UTF-8. Characters that could act on a terminal are shown as their
  /// number; tabs and line ends stay.
  public mutating func write(_ text: String) {
    append(printableLines(text))
  }

  /// Appends JSON text as UTF-8. Characters that could act on a terminal are escaped.
  public mutating func write(json text: String) {
    append(printableJSON(text))
  }

  /// Appends a value for programs as UTF-8: verbatim, or like `write` if a terminal shows it.
  public mutating func write(value text: String) {
    append(descriptor.isTerminal ? printableLines(text) : text)
  }

  /// Passes on JSON text in UTF-8, or writes it as `write(json:)` does if a terminal shows it.
  public mutating func write(json bytes: Span<UInt8>) {
    guard !descriptor.isTerminal else {
      let text = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
      return write(json: text)
    }
    flush()
    guard !isClosed else { return }
    settle(descriptor.write(bytes))
  }

  private mutating func append(_ text: String) {
    guard !isClosed else { return }
    buffer += text.utf8
    if buffer.count >= Self.capacity { flush() }
  }

  mutating func flush() {
    guard !isClosed, !buffer.isEmpty else { return }
    settle(descriptor.write(buffer.span))
    buffer.removeAll(keepingCapacity: true)
  }

  /// - Parameter code: 0, or the `errno` of a failed write.
  private mutating func settle(_ code: Int32) {
    isClosed = code != 0
    if code != 0, code != EPIPE {
      failure = "cannot write to \(descriptor.name): \(unsafe String(cString: strerror(code)))"
    }
  }
}
