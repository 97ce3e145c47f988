internal import POIRecords
internal import POISQLite

/// Writes the rejects of a run to their file, if one was asked for.
struct RejectLog: ~Copyable {
  private let path: String?
  private var file: RejectFile?

  private(set) var error: StoreError?

  init(path: String?) { self.path = path }

  /// Creates the file, unless it is open or was not requested.
  ///
  /// - Parameter storePath: the path of the store, if there is one.
  /// - Returns: whether it was created.
  mutating func open(besideStoreAt storePath: String?) throws(StoreError) -> Bool {
    guard file == nil, let path else { return false }
    file = try RejectFile(path: path, storePath: storePath)
    return true
  }

  /// Writes the rejects of a batch; a failure is kept in `error`.
  mutating func write(_ batch: borrowing RecordBatch, _ names: InputNames) {
    do { try file?.write(batch, names) } catch { self.error = error }
  }

  /// Writes the rejects that a run has committed.
  mutating func write(
    rejectsOf run: Int64, in connection: Connection, storePath: String
  ) throws(StoreError) {
    try file?.write(rejectsOf: run, in: connection, storePath: storePath)
  }

  mutating func sync() throws(StoreError) { try file?.sync() }
}
