internal import Glibc
internal import JSONStreaming
internal import POIInputs
internal import POIRecords
internal import SQLiteKit

/// A file of reject lines.
///
/// The store's reject table is the truth: lines are written after their batch is committed, and a
/// resumed run writes the file anew from the table.
struct RejectFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Makes the file, empty; a reject file that is there is overwritten, any other file is not.
  ///
  /// It holds records of the input, so whoever may not read the store may not read it: a new one has
  /// the store's permissions, in a dry run the owner's alone.
  ///
  /// It is locked as long as it is written: lines of two imports would overwrite one another.
  ///
  /// - Parameter storePath: where the store is, if there is one.
  /// - Throws: `StoreError` with `inputOutput` when it cannot be written, with `invalidOptions` when the
  ///   path leads to a file that is no reject file, is of the store, or is written by another import.
  init(path: String, storePath: String?) throws(StoreError) {
    try RejectFile.check(path, storePath: storePath)
    let permissions = StorePermissions.forFile(besideStoreAt: storePath)
    let descriptor = RejectFile.open(path, permissions)
    guard descriptor >= 0 else { throw RejectFile.error(path) }
    if let error = RejectFile.empty(descriptor, path: path) {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Opens a file to write, and to read its beginning; a pipe or a device only to write, if that needs
  /// no waiting for a reader: who opens a pipe to read as well would wait for himself when its readers
  /// are gone.
  ///
  /// - Returns: the descriptor; -1 where it cannot be opened.
  private static func open(_ path: String, _ permissions: mode_t) -> Int32 {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let stream = unsafe Glibc.open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      if stream >= 0 {
        _ = fcntl(stream, F_SETFL, O_WRONLY)
        return stream
      }
      guard errno == ENXIO else { return -1 }
    }
    return unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, permissions)
  }

  /// Throws where a path leads to a file that is no reject file, or is one of a store's own, be the
  /// store there or still to be made: its file, or one that SQLite has or makes beside it.
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
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    // Why it cannot be opened is told when it is to be written.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    if let error = foreignFile(descriptor, path: path) { throw error }
  }

  private static func checkStore(_ storePath: String, _ path: String) throws(StoreError) {
    var file = stat()
    let isThere = unsafe stat(path, &file) == 0
    let place = place(of: path)
    let store = RejectFile.place(of: storePath)
    for end in ["", "-wal", "-shm", "-journal"] {
      var own = stat()
      let isSame = unsafe isThere && stat(storePath + end, &own) == 0 && isSameFile(own, file)
      guard isSame || path == storePath + end || place == store + end else { continue }
      throw StoreError(
        .invalidOptions, "\(path): the rejects would overwrite the store",
        advice: .useOtherRejectFile)
    }
  }

  /// Throws where a path leads to the regular file that an input is read from.
  ///
  /// - Parameter name: what the input is called.
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

  /// The place that a path leads to through all links, whether a file is there or not.
  private static func place(of path: String) -> String {
    var path = path
    // As many links as Linux follows.
    for _ in 0..<40 {
      if let place = resolved(path) { return place }
      let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
      let folder = slash.map { String(path[...$0]) } ?? "./"
      guard let target = target(ofLink: path) else {
        let name = slash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
        return resolved(folder).map { ($0 == "/" ? "" : $0) + "/" + name } ?? path
      }
      path = target.hasPrefix("/") ? target : folder + target
    }
    return path
  }

  /// The place of a file that is there.
  private static func resolved(_ path: String) -> String? {
    guard let whole = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(whole) }
    return unsafe String(cString: whole)
  }

  /// What a symbolic link holds; nothing where the path is none.
  private static func target(ofLink path: String) -> String? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &target, target.count)
    return count < 0 ? nil : String(decoding: target[..<count], as: UTF8.self)
  }

  /// Locks and empties a regular file that holds rejects; a pipe or a device is taken as it is.
  ///
  /// - Returns: why it cannot be done.
  private static func empty(_ descriptor: Int32, path: String) -> StoreError? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return RejectFile.error(path) }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      return StoreError(
        .invalidOptions,
        "\(path): another import writes its rejects there now", advice: .useOtherRejectFile)
    }
    if let error = foreignFile(descriptor, path: path) { return error }
    return ftruncate(descriptor, 0) == 0 ? nil : RejectFile.error(path)
  }

  /// Why a regular file is not to be overwritten: it holds something else than rejects.
  private static func foreignFile(_ descriptor: Int32, path: String) -> StoreError? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size > 0
    else { return nil }
    var beginning = [UInt8](repeating: 0, count: RejectLine.beginning.count)
    let count = unsafe pread(descriptor, &beginning, beginning.count, 0)
    return count == beginning.count && beginning == RejectLine.beginning ? nil : foreignFile(path)
  }

  private static func foreignFile(_ path: String) -> StoreError {
    StoreError(
      .invalidOptions, "\(path): the file is there and holds no rejects",
      advice: .useOtherRejectFile)
  }

  /// Writes the rejects of a batch.
  ///
  /// - Parameter names: those of their inputs.
  mutating func write(
    _ batch: borrowing RecordBatch, _ names: InputNames
  ) throws(StoreError) {
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

  /// Waits until the disk has the lines and the name of the file; a pipe or a device has no disk.
  func sync() throws(StoreError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    guard fsync(descriptor) == 0 else { throw RejectFile.error(path) }
    guard let whole = unsafe realpath(path, nil) else { throw RejectFile.error(path) }
    defer { unsafe free(whole) }
    let folder = unsafe Glibc.open(dirname(whole), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // Who may not read the folder may still have made the file in it.
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private mutating func flush() throws(StoreError) {
    var written = 0
    while written < buffer.count {
      let count = unsafe buffer.withUnsafeBytes { bytes in
        unsafe Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw RejectFile.error(path)
      }
      written += count
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private static func error(_ path: String, _ failure: SystemError = .last) -> StoreError {
    StoreError(.inputOutput, "\(path): the reject file cannot be written: \(failure.text)")
  }
}
