internal import JSONStreaming
internal import POIRecords
internal import SQLiteKit
internal import Synchronization

/// A second thread that adds up digests of a table's rows, which it reads through a connection of
/// its own.
///
/// It takes portions until none is left. The life of the value does not end before the thread's.
struct DigestHelper: ~Copyable {
  /// What the two threads share.
  private final class Job: Sendable {
    private enum State {
      case waiting
      /// It has ended with this sum, or nil if a portion was taken and could not be read.
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

    /// Adds up portions until none is left, unless that was done.
    ///
    /// - Returns: whether it was not.
    func run() -> Bool {
      guard case .waiting = state.withLock({ $0 }) else { return false }
      let sum = sumOfPortions()
      state.withLock { $0 = .done(sum) }
      return true
    }

    private func sumOfPortions() -> TableDigest? {
      var sum = TableDigest.empty
      do throws(SQLiteError) {
        // Whatever keeps the file from being opened at once leaves all the work to the others.
        let connection = try Connection(
          path: path, access: .readOnly, trustsSchema: trustsSchema, busyTimeout: 0)
        try connection.begin(.deferred)
        var reader = try ContentReader(layout, schema: schema, rows: .range, in: connection)
        var content = CanonicalContent()
        // The view of the database begins with the first read.
        _ = try connection.integer("SELECT count(*) FROM main.sqlite_schema")
        while let rows = portions.next() {
          do throws(SQLiteError) {
            try reader.select(rows)
            try reader.addDigests(to: &sum, by: &content)
          } catch { return nil }
        }
      } catch {}
      return sum
    }

    /// The sum, once the thread has ended its work.
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
  ///   - connection: the one that the database was opened with.
  ///   - layout: the table's layout.
  ///   - schema: the table.
  ///   - portions: the rows.
  /// - Throws: `SystemError` when the system gives no thread.
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

  /// Waits for the thread's end.
  ///
  /// - Returns: the digest of the portions that it took, or nil if one of them could not be read.
  consuming func finish() -> TableDigest? {
    worker.wait()
    return job.sum
  }
}
