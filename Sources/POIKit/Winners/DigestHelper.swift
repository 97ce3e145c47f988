internal import JSONStreaming
internal import POIRecords
internal import SQLiteKit
internal import Synchronization

/// A second thread that adds digests of a table's rows, which it reads with its own connection.
///
/// It reads portions until none is left. The thread ends before the value.
struct DigestHelper: ~Copyable {
  /// The state shared by the two threads.
  private final class Job: Sendable {
    private enum State {
      case waiting
      /// The thread has ended with this sum, or nil if it failed to read a portion.
      case done(TableDigest?)
    }

    private let path: String
    private let trustsSchema: Bool
    private let layout: TableLayout
    private let schema: TableSchema
    let portions: RowPortions
    private let state = Mutex(State.waiting)

    init(
      _ connection: Connection, _ layout: TableLayout, _ schema: TableSchema,
      _ portions: RowPortions
    ) {
      path = connection.path
      trustsSchema = connection.trustsSchema
      self.layout = layout
      self.schema = schema
      self.portions = portions
    }

    /// Adds portions until none is left, unless this was done before.
    ///
    /// - Returns: false if it was done before.
    func run() -> Bool {
      guard case .waiting = state.withLock({ $0 }) else { return false }
      let sum = sumOfPortions()
      state.withLock { $0 = .done(sum) }
      return true
    }

    private func sumOfPortions() -> TableDigest? {
      var sum = TableDigest.empty
      do {
        // If the file cannot be opened at once, the caller reads all portions.
        let connection = try Connection(
          path: path, access: .readOnly, trustsSchema: trustsSchema, busyTimeout: 0)
        try connection.begin(.deferred)
        var reader = try ContentReader(layout, schema: schema, rows: .range, in: connection)
        var content = CanonicalContent()
        // The transaction's view of the database begins with the first read.
        _ = try connection.integer("SELECT count(*) FROM main.sqlite_schema")
        while let rows = portions.next() {
          do {
            try reader.select(rows)
            try reader.addDigests(to: &sum, by: &content)
          } catch { return nil }
        }
      } catch {}
      return sum
    }

    /// The sum, after the thread has ended.
    var sum: TableDigest? {
      guard case .done(let sum) = state.withLock({ $0 }) else { return nil }
      return sum
    }
  }

  private let job: Job
  private let worker: WorkerThread

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - connection: the caller's connection to the database.
  ///   - layout: the table's layout.
  ///   - schema: the table.
  ///   - portions: the rows.
  /// - Throws: `SystemError` when the system cannot create a thread.
  init(
    beside connection: Connection, _ layout: TableLayout, schema: TableSchema,
    portions: RowPortions
  ) throws(SystemError) {
    let job = Job(connection, layout, schema, portions)
    self.job = job
    worker = try WorkerThread { job.run() }
    worker.start()
  }

  deinit { job.portions.cancel() }

  /// Waits for the end of the thread.
  ///
  /// - Returns: the digest of the portions that it read, or nil if it failed to read one.
  consuming func finish() -> TableDigest? {
    worker.wait()
    return job.sum
  }
}
