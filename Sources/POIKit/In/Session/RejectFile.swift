internal import JSONStreaming
internal import POIFiles
internal import POIPlatform
internal import POIRecords
internal import POISQLite

/// A file of reject lines.
///
/// The store's reject table is authoritative. Lines are written after their batch is committed, and a
/// resumed run rewrites the file from the table.
struct RejectFile: ~Copyable {
  private let path: String
  private let file: Descriptor
  private var buffer: [UInt8] = []

  /// Creates an empty file. An existing reject file is overwritten; any other file is not.
  ///
  /// It holds records of the input, so it is not readable by more users than the store: a new file gets the
  /// store's permissions, in a dry run only the owner's.
  ///
  /// It is locked while it is open: lines of two imports would overwrite one another.
  ///
  /// - Parameter storePath: where the store is, if there is one.
  /// - Throws: `StoreError` with `inputOutput` when it cannot be written, with `invalidOptions` when the
  ///   path is a file without rejects, a file of the store, or in use by another import.
  init(path: String, storePath: String?) throws(StoreError) {
    try RejectFile.check(path, storePath: storePath)
    let permissions = StorePermissions.forFile(besideStoreAt: storePath)
    file = try RejectFile.empty(RejectFile.open(path, mode: permissions), path)
    self.path = path
  }

  /// Opens a file for writing, and for reading its beginning. A pipe or device is opened for writing only,
  /// if it has a reader: a process that also opens a pipe for reading would wait for itself when the
  /// readers are gone.
  private static func open(_ path: String, mode: UInt32) throws(StoreError) -> Descriptor {
    var status = stat()
    do throws(SystemError) {
      if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
        do throws(SystemError) {
          let stream = try Descriptor(opening: path, flags: O_WRONLY | O_NONBLOCK)
          _ = fcntl(stream.number, F_SETFL, O_WRONLY)
          return stream
        } catch {
          guard error.number == ENXIO else { throw error }
        }
      }
      return try Descriptor(opening: path, flags: O_RDWR | O_CREAT, mode: mode)
    } catch {
      throw RejectFile.error(path, error)
    }
  }

  /// Locks and empties a regular file that holds rejects; leaves a pipe or a device alone.
  private static func empty(
    _ file: consuming Descriptor, _ path: String
  ) throws(StoreError) -> Descriptor {
    guard file.isRegularFile else { return file }
    guard file.lock() else {
      throw StoreError(
        .invalidOptions,
        "\(path): another import writes its rejects there now", advice: .useOtherRejectFile)
    }
    try checkContent(file, path)
    guard ftruncate(file.number, 0) == 0 else { throw error(path) }
    return file
  }

  /// Checks that a path is not a file without rejects, nor one of a store's files, which may not exist yet:
  /// the database, or a file that SQLite creates beside it.
  ///
  /// - Parameter storePath: where the store is, if there is one.
  /// - Throws: `StoreError` with `invalidOptions`.
  static func check(_ path: String, storePath: String?) throws(StoreError) {
    guard !path.utf8.contains(0) else {
      throw StoreError(
        .invalidOptions,
        "\(path): the path of the rejects holds a NUL character; no file can be there")
    }
    if let storePath { try checkStore(storePath, path) }
    var file = stat()
    guard unsafe stat(path, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return }
    let isDatabase: Bool
    do throws(SystemError) {
      isDatabase = try OpenDatabase.isOpen(at: path)
    } catch {
      throw RejectFile.error(path, error)
    }
    guard !isDatabase else { throw foreignFile(path) }
    // An error is reported when the file is to be written.
    if let file = try? Descriptor(opening: path) { try checkContent(file, path) }
  }

  private static func checkStore(_ storePath: String, _ path: String) throws(StoreError) {
    let (place, store) = (place(of: path), place(of: storePath))
    for end in ["", "-wal", "-shm", "-journal"] where place == store + end {
      throw StoreError(
        .invalidOptions, "\(path): the rejects would overwrite the store",
        advice: .useOtherRejectFile)
    }
  }

  /// Checks that a path is not the regular file that an input is read from.
  ///
  /// - Parameter name: the name of the input.
  /// - Throws: `StoreError` with `invalidOptions`.
  static func check(_ path: String, inputName name: String) throws(StoreError) {
    var (file, input, standardInput) = (stat(), stat(), stat())
    guard unsafe stat(path, &file) == 0, file.st_mode & S_IFMT == S_IFREG else { return }
    let isInput =
      unsafe !name.utf8.contains(0) && stat(name, &input) == 0 && isSameFile(input, file)
      || name == FileSource.standardInputName && fstat(STDIN_FILENO, &standardInput) == 0
        && isSameFile(standardInput, file)
    guard isInput else { return }
    throw StoreError(
      .invalidOptions, "\(path): the rejects would overwrite the input", advice: .useOtherRejectFile
    )
  }

  private static func isSameFile(_ first: stat, _ second: stat) -> Bool {
    first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// The path after all links are followed, whether the file exists or not.
  ///
  /// C function: `realpath`. In the GNU C library it also resolves a path whose file is missing.
  private static func place(of path: String) -> String {
    let place = UnsafeMutablePointer<CChar>.allocate(capacity: Int(PATH_MAX))
    defer { unsafe place.deallocate() }
    // If the folder is missing, too, the place of the folder would be the result.
    let isFound =
      unsafe realpath(path, place) != nil
      || errno == ENOENT && access(NewFile.folder(of: path), F_OK) == 0
    return unsafe isFound ? String(cString: place) : path
  }

  /// Refuses a file that holds something other than rejects.
  private static func checkContent(
    _ file: borrowing Descriptor, _ path: String
  ) throws(StoreError) {
    let beginning = try? file.bytes(at: 0, maximum: RejectLine.beginning.count)
    guard beginning == [] || beginning == RejectLine.beginning else { throw foreignFile(path) }
  }

  private static func foreignFile(_ path: String) -> StoreError {
    StoreError(
      .invalidOptions, "\(path): the file is there and holds no rejects",
      advice: .useOtherRejectFile)
  }

  /// Writes the rejects of a batch.
  ///
  /// - Parameter names: the names of their inputs.
  mutating func write(_ batch: borrowing RecordBatch, _ names: InputNames) throws(StoreError) {
    for reject in batch.rejects {
      buffer.append(
        contentsOf: RejectLine.text(
          input: names.name(of: reject.origin), record: reject.origin.index + 1,
          byteOffset: reject.origin.byteOffset,
          line: reject.line, column: reject.column,
          issues: Issue.json(reject.issues), member: reject.member,
          raw: batch.arena.span.extracting(reject.origin.raw)
        ).utf8)
      if buffer.count > 1 << 16 { try flush() }
    }
    try flush()
  }

  /// Writes the rejects that a run has committed.
  mutating func write(
    rejectsOf run: Int64, in connection: Connection, storePath: String
  ) throws(StoreError) {
    do {
      var statement = try connection.prepare(
        """
        SELECT input, record, byte_offset, line, "column", issues, member, raw
        FROM poikit_reject WHERE run = ? ORDER BY id
        """)
      try statement.bind(1, integer: run)
      while try statement.step() {
        let issues = JSONValue.stored(statement.text(5)) ?? .array([])
        buffer.append(
          contentsOf: RejectLine.text(
            input: statement.text(0), record: Int(statement.integer(1)),
            byteOffset: Int(statement.integer(2)), line: Int(statement.integer(3)),
            column: Int(statement.integer(4)), issues: issues,
            member: statement.isNull(6) ? nil : statement.text(6), raw: statement.bytes(7)
          ).utf8)
        if buffer.count > 1 << 16 { try flush() }
      }
    } catch {
      throw StoreError(converting: error, path: storePath)
    }
    try flush()
  }

  /// Waits until the lines and the file's name are on the disk; a pipe or a device needs no wait.
  func sync() throws(StoreError) {
    guard file.isRegularFile else { return }
    do throws(SystemError) {
      try file.sync()
      try NewFile.syncFolder(ofFileAt: NewFile.resolved(path))
    } catch {
      throw RejectFile.error(path, error)
    }
  }

  private mutating func flush() throws(StoreError) {
    do throws(SystemError) { try file.write(buffer.span) } catch {
      throw RejectFile.error(path, error)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func error(_ path: String, _ failure: SystemError = .last) -> StoreError {
    StoreError(.inputOutput, "\(path): the reject file cannot be written: \(failure.text)")
  }
}
