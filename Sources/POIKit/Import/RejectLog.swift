internal import POIRecords
internal import SQLiteKit

/// Writes the rejects of a run to their file, if one was asked for.
struct RejectLog: ~Copyable {
  private let path: String?
  private var file: RejectFile?

  /// Why the rejects of the last batch could not be written.
  private(set) var error: StoreError?

  init(path: String?) { self.path = path }

  /// Makes the file, unless there is one already or none was asked for.
  ///
  /// - Parameter storePath: the path of the store, if there is one.
  /// - Returns: whether it was made.
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

  /// Brings the file to the disk.
  mutating func sync() throws(StoreError) { try file?.sync() }
}
