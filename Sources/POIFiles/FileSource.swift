internal import JSONStreaming
internal import POIPlatform

/// A source of the bytes of a file, a pipe or standard input, decompressed if necessary.
///
/// gzip, zstd, xz and bzip2 are detected by the first bytes, whatever the name. The program of that
/// name is started as a child process with the file as its standard input. Zip archives, Excel workbooks, Parquet and
/// files of maps are read through the program that converts them; a member, sheet or layer can be named behind the path,
/// as in `places.zip/2024.csv`. The program must exit with 0
/// before the input counts as complete. So the host program must not ignore `SIGCHLD` or wait for
/// children that are not its own: the exit status would be lost, and the input would fail at its
/// end.
///
/// Text in UTF-16 with a byte-order mark, or in an encoding that is named, becomes UTF-8.
///
/// The file and the child are released with the source. Files whose first bytes show that they are
/// something else, such as web pages, are refused.
public struct FileSource: ~Copyable, ByteSource {
  /// The name of standard input in messages.
  package static let standardInputName = "standard input"

  public let name: String

  private let input: Descriptor
  private let beginning: Beginning

  /// Bytes read from a pipe to identify it and not yet returned.
  private var peeked: ArraySlice<UInt8>

  private var pipe: ProgramPipe?

  /// The program that fetches the input, if it is on a web server, and has not ended.
  private var download: Download?
  private var downloadFailure: InputError?
  public private(set) var version: InputVersion?

  private let encoding: TextEncoding?
  private var decoder: TextDecoder?
  /// Whether the first bytes that a program writes must show whether they are UTF-16.
  private var awaitsMark: Bool

  private var readByteCount = 0

  /// Opens the input at `path`.
  ///
  /// Opening a named pipe waits for its writer. A pipe is read until its first bytes show whether
  /// it is compressed.
  ///
  /// - Parameters:
  ///   - path: the path of a file or pipe, an address that begins with `https://` or `http://`, or `-` for standard
  ///     input, which stays open. curl fetches an address; a transfer that fails behind the first byte ends the input
  ///     with an error.
  ///   - encoding: the encoding of the text if it is neither UTF-8 nor UTF-16 with a byte-order mark. Offsets in the
  ///     input count the bytes of UTF-8.
  ///   - isInterrupted: called when a signal ends the wait for a slow pipe or its writer. If it
  ///     returns true, the source throws an `InputError` with the code `interrupted`.
  /// - Throws: `InputError` if nothing readable is at the path, if its first bytes belong to another
  ///   kind of file, such as a zip archive, or if the program that decompresses it cannot be started.
  public init(
    path: String, encoding: TextEncoding? = nil,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(InputError) {
    let name = FileSource.name(ofPath: path)
    let opening =
      WebAddress.isAddress(path)
      ? try Opening(fetching: path, named: name, isInterrupted)
      : try Opening(path, named: name, isInterrupted)
    let beginning = opening.beginning
    pipe = try Self.startProgram(of: opening.input, beginning: beginning, named: name)
    self.name = name
    input = opening.input
    download = opening.download
    self.beginning = beginning
    self.encoding = encoding
    peeked = []
    awaitsMark = false
    prepareDecoder()
  }

  /// Decides how the text is decoded, or that the output of a program will show it.
  private mutating func prepareDecoder() {
    if let program = beginning.program {
      decoder = nil
      peeked = []
      awaitsMark = !program.writesUTF8
    } else {
      decoder = TextDecoder(encoding, contentPrefix: beginning.bytes)
      peeked = beginning.isSeekable ? [] : beginning.bytes[...]
    }
  }

  /// An input whose first bytes are known.
  private struct Opening: ~Copyable {
    let input: Descriptor
    let beginning: Beginning
    let download: Download?

    init(
      _ path: String, named name: String, _ isInterrupted: @escaping @Sendable () -> Bool
    ) throws(InputError) {
      let file = path == "-" ? (path, nil) : ConvertedFile.split(path)
      var input =
        path == "-"
        ? Descriptor.standardInput
        : try FileSource.open(file.0, named: path, isInterrupted: isInterrupted)
      input.isInterrupted = isInterrupted
      beginning = try Beginning(of: input, named: name, at: file)
      self.input = input
      download = nil
    }

    /// Fetches an input. It is requested again if the server fails before the first byte, never behind it.
    init(
      fetching address: String, named name: String,
      _ isInterrupted: @escaping @Sendable () -> Bool
    ) throws(InputError) {
      var attempt = 1
      while true {
        let pipe: SocketPair
        do throws(SystemError) { pipe = try .makePipe() } catch {
          throw InputError(reading: name, error)
        }
        var fetched = try Download(address, writingTo: pipe.childs)
        var input = pipe.takeOurs()
        input.isInterrupted = isInterrupted
        let beginning = try Beginning(of: input, named: name, at: (name, nil))
        if beginning.bytes.isEmpty, case .failed(let error, let isPassing) = fetched.finish() {
          guard isPassing, attempt < Download.attemptCount else { throw error }
          usleep(UInt32(attempt) * 500_000)
          guard !isInterrupted() else { throw error }
          attempt += 1
          continue
        }
        self.input = input
        // An empty answer has ended.
        if beginning.bytes.isEmpty { download = nil } else { download = .some(consume fetched) }
        self.beginning = beginning
        return
      }
    }
  }

  /// The name by which the store knows a source of `path`: the path, or `standard input`.
  public static func name(ofPath path: String) -> String {
    path == "-" ? standardInputName : shown(path: path)
  }

  /// The path for messages and tables: nothing secret of an address.
  package static func shown(path: String) -> String {
    WebAddress.isAddress(path) ? WebAddress.shown(path) : path
  }

  /// Whether a server says that it has no other version of an input.
  package static func isUnchanged(
    _ version: InputVersion, isInterrupted: @escaping @Sendable () -> Bool
  ) -> Bool { Download.isUnchanged(version, isInterrupted: isInterrupted) }

  /// Whether an input can be read once only: standard input, or an input on a web server.
  package static func isReadOnce(path: String) -> Bool {
    path == "-" || WebAddress.isAddress(path)
  }

  /// Checks without opening it that `path` is readable and is not a folder.
  ///
  /// - Throws: `InputError`, as opening and reading it would.
  public static func check(path: String) throws(InputError) {
    guard !WebAddress.isAddress(path) else { return try WebAddress.check(path) }
    guard path != "-" else { return }
    try checkPath(path)
    do throws(SystemError) {
      try Descriptor.check(ConvertedFile.split(path).file)
    } catch {
      throw InputError(reading: path, error)
    }
  }

  /// The size in bytes of the regular file that is, or has as a part, the source of `path`; nil for another kind of file.
  package static func byteCount(ofFile path: String) -> Int? {
    Descriptor.size(ofFile: ConvertedFile.split(path).file).flatMap { $0 < 0 ? nil : $0 }
  }

  private static func checkPath(_ path: String) throws(InputError) {
    guard !path.isEmpty else {
      throw InputError(
        code: .notFound, path: "''",
        message: "the path is empty; name a file")
    }
    guard !path.utf8.contains(0) else {
      throw InputError(
        code: .notFound, path: path, message: "the path holds a NUL character; no file can be there"
      )
    }
  }

  private static func open(
    _ path: String, named name: String, isInterrupted: @escaping @Sendable () -> Bool
  ) throws(InputError) -> Descriptor {
    try checkPath(path)
    do throws(SystemError) {
      if try !OpenDatabase.isOpen(at: path) {
        return try Descriptor(opening: path, isInterrupted: isInterrupted)
      }
    } catch {
      throw InputError(reading: name, error)
    }
    throw InputError(code: .notJSON, path: path, message: ForeignFormat.sqlite.message)
  }

  private static func startProgram(
    of input: borrowing Descriptor, beginning: Beginning, named name: String
  ) throws(InputError) -> ProgramPipe? {
    guard let program = beginning.program else { return nil }
    return beginning.isSeekable
      ? try ProgramPipe(program, reading: input, named: name)
      : try ProgramPipe(program, feeding: beginning.bytes, named: name)
  }
}

extension FileSource {
  public var totalByteCount: Int? { beginning.totalByteCount }

  public var omittedColumns: [String] { beginning.program?.omittedColumns ?? [] }

  public var consumedByteCount: Int {
    guard beginning.program != nil else { return readByteCount }
    if let start = beginning.start {
      // The child and the source share the file offset.
      return (input.position ?? start) - start
    }
    switch pipe {
    case .some(let pipe): return pipe.fedByteCount
    case .none: return 0
    }
  }

  public mutating func read(into output: inout OutputSpan<UInt8>) throws(InputError) {
    precondition(output.freeCapacity > 0)
    if awaitsMark { try readMark() }
    guard decoder != nil else { return try readBytes(into: &output) }
    while decoder?.isEmpty == true {
      let bytes = try readChunk()
      decoder?.append(bytes)
      if bytes.isEmpty { break }
    }
    decoder?.take(into: &output)
  }

  /// Reads enough of what a program writes to see a byte-order mark.
  private mutating func readMark() throws(InputError) {
    var first = try readChunk()
    while (1..<4).contains(first.count) {
      let next = try readChunk()
      if next.isEmpty { break }
      first += next
    }
    awaitsMark = false
    decoder = TextDecoder(encoding, contentPrefix: first)
    peeked = first[...]
  }

  private mutating func readChunk() throws(InputError) -> [UInt8] {
    try [UInt8](capacity: InputChunk.byteCount) { bytes throws(InputError) in
      try readBytes(into: &bytes)
    }
  }

  /// Appends the next bytes as they are, decompressed, and checks at their end that all of them came.
  private mutating func readBytes(into output: inout OutputSpan<UInt8>) throws(InputError) {
    let countBefore = output.count
    do throws(InputError) { try readNext(into: &output) } catch {
      // A decompressor may fail because the download did, which has ended then.
      if error.code != .interrupted, download?.hasEnded(within: 1_000) == true {
        try endDownload()
      }
      download = nil
      throw error
    }
    if output.count == countBefore { try endDownload() }
  }

  private mutating func endDownload() throws(InputError) {
    switch download?.finish() {
    case .whole(let version): self.version = version
    case .failed(let error, _): downloadFailure = error
    case nil: break
    }
    download = nil
    if let downloadFailure { throw downloadFailure }
  }

  private mutating func readNext(into output: inout OutputSpan<UInt8>) throws(InputError) {
    if peeked.isEmpty, beginning.program != nil {
      try pipe?.read(into: &output, feedingFrom: input)
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

  /// Whether the input is a regular file.
  package var canRestart: Bool { beginning.isSeekable }

  public mutating func restart() throws(InputError) -> Bool {
    guard let start = beginning.start else { return false }
    pipe = nil
    do throws(SystemError) {
      try input.seek(to: start)
    } catch {
      throw InputError(reading: name, error)
    }
    readByteCount = 0
    prepareDecoder()
    pipe = try Self.startProgram(of: input, beginning: beginning, named: name)
    return true
  }
}
