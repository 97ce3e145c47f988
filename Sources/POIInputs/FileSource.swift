internal import Glibc
internal import JSONStreaming

/// A source of the bytes of a file, a pipe or standard input, decompressed where they are
/// compressed.
///
/// gzip, zstd, xz and bzip2 are told by the first bytes, whatever the name. The program of that name is started as a child process, is given the
/// file as its standard input, and must end well before the input counts as read to its end. So the
/// host program neither ignores `SIGCHLD` nor waits for children that are not its own: it would not be
/// known how the child ended, and the input would fail at its end. The file and the child are released
/// with the source. By the first bytes some files are known to hold no
/// JSON, such as a zip archive, and are refused.
public struct FileSource: ~Copyable, ByteSource {
  /// What messages call standard input.
  package static let standardInputName = "standard input"

  public let name: String

  private let input: Descriptor
  private let beginning: Beginning

  /// What was taken off a pipe to look at and is yet to be handed over.
  private var peeked: ArraySlice<UInt8>

  private var decompressor: Decompressor?

  /// How many bytes were handed over.
  private var readByteCount = 0

  /// Opens the input at `path`.
  ///
  /// Opening a named pipe waits for its writer, and a pipe is read until its first bytes tell
  /// whether it is compressed.
  ///
  /// - Parameters:
  ///   - path: the path of a file or pipe, or `-` for standard input, which stays open for the
  ///     process.
  ///   - isInterrupted: asked when a signal ends the wait for a slow pipe or its writer: whether the
  ///     source is to give up, with an `InputError` whose code is `interrupted`.
  /// - Throws: `InputError` if nothing readable is there, if it is no JSON by its first bytes, or if the
  ///   program that decompresses it cannot be started.
  public init(
    path: String, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(InputError) {
    let isStandardInput = path == "-"
    let name = FileSource.name(ofPath: path)
    var input =
      isStandardInput ? Descriptor.standardInput : try Self.open(path, isInterrupted: isInterrupted)
    input.isInterrupted = isInterrupted
    let beginning = try Beginning(of: input, named: name)
    decompressor = try Self.startDecompressor(of: input, beginning: beginning, named: name)
    self.name = name
    self.input = input
    self.beginning = beginning
    peeked = beginning.isSeekable ? [] : beginning.bytes[...]
  }

  /// What a source of `path` is called, by which the store knows the input: the path, or
  /// `standard input`.
  public static func name(ofPath path: String) -> String { path == "-" ? standardInputName : path }

  /// Checks that something stands at `path` that may be read, and is no folder; it is not opened.
  ///
  /// - Throws: `InputError`, as opening and reading it would.
  public static func check(path: String) throws(InputError) {
    guard path != "-" else { return }
    try checkPath(path)
    do throws(SystemError) {
      try Descriptor.check(path)
    } catch {
      throw InputError(reading: path, error)
    }
  }

  private static func checkPath(_ path: String) throws(InputError) {
    guard !path.isEmpty else {
      throw InputError(
        code: .notFound, path: "''",
        message: "the path is empty; name a file, or '-' for standard input")
    }
    guard !path.utf8.contains(0) else {
      throw InputError(
        code: .notFound, path: path, message: "the path holds a NUL character; no file can be there"
      )
    }
  }

  private static func open(
    _ path: String, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(InputError) -> Descriptor {
    try checkPath(path)
    do throws(SystemError) {
      if try !OpenDatabase.stands(at: path) {
        return try Descriptor(opening: path, isInterrupted: isInterrupted)
      }
    } catch {
      throw InputError(reading: path, error)
    }
    throw InputError(code: .notJSON, path: path, message: ForeignFormat.sqlite.message)
  }

  private static func startDecompressor(
    of input: borrowing Descriptor, beginning: Beginning, named name: String
  ) throws(InputError) -> Decompressor? {
    guard let compression = beginning.compression else { return nil }
    return beginning.isSeekable
      ? try Decompressor(compression, reading: input, named: name)
      : try Decompressor(compression, feeding: beginning.bytes, named: name)
  }
}

extension FileSource {
  public var totalByteCount: Int? { beginning.totalByteCount }

  public var consumedByteCount: Int {
    guard beginning.compression != nil else { return readByteCount }
    if let start = beginning.start {
      // The child and the source share the place in the file.
      return (input.position ?? start) - start
    }
    switch decompressor {
    case .some(let decompressor): return decompressor.fedByteCount
    case .none: return 0
    }
  }

  public mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError) {
    precondition(output.freeCapacity > 0)
    if beginning.compression != nil {
      try decompressor?.read(into: &output, feedingFrom: input)
      return
    }
    let countBefore = output.count
    if peeked.isEmpty {
      do throws(SystemError) {
        try input.read(into: &output)
      } catch {
        throw InputError(reading: name, error)
      }
    } else {
      let part = peeked.prefix(output.freeCapacity)
      output.append(copying: part)
      peeked = peeked.dropFirst(part.count)
    }
    readByteCount += output.count - countBefore
  }

  public mutating func restart() throws(InputError) -> Bool {
    guard let start = beginning.start else { return false }
    decompressor = nil
    do throws(SystemError) {
      try input.seek(to: start)
    } catch {
      throw InputError(reading: name, error)
    }
    readByteCount = 0
    decompressor = try Self.startDecompressor(of: input, beginning: beginning, named: name)
    return true
  }
}
