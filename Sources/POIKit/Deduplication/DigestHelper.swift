internal import Glibc
internal import SQLiteKit
internal import Synchronization

/// A second thread that adds up digests of a table's rows, which it reads through a connection of
/// its own.
///
/// It takes portions until none is left. The life of the value does not end before the thread's.
@safe
struct DigestHelper: ~Copyable {
  /// What the two threads share.
  private final class Job: Sendable {
    let path: String
    let layout: TableLayout
    let schema: TableSchema
    let portions: RowPortions

    /// The sum so far, or nil if a portion was taken and could not be read.
    let sum = Mutex<TableDigest?>(.empty)

    init(_ path: String, _ layout: TableLayout, _ schema: TableSchema, _ portions: RowPortions) {
      self.path = path
      self.layout = layout
      self.schema = schema
      self.portions = portions
    }

    func run() {
      do throws(SQLiteError) {
        // Whatever keeps the file from being opened at once leaves all the work to the others.
        let connection = try Connection(path: path, access: .readOnly, busyTimeout: 0)
        try connection.begin(.deferred)
        var reader = try ContentReader(layout, schema: schema, rows: .range, in: connection)
        var content = CanonicalContent()
        // The view of the database begins with the first read.
        _ = try connection.integer("SELECT count(*) FROM main.sqlite_schema")
        while let rows = portions.next() {
          var part = TableDigest.empty
          do throws(SQLiteError) {
            try reader.select(rows)
            try reader.addDigests(to: &part, by: &content)
          } catch {
            sum.withLock { $0 = nil }
            return
          }
          sum.withLock { $0 = $0.map { $0 + part } }
        }
      } catch {}
    }
  }

  private let job: Job
  private var thread: pthread_t?

  /// Starts the thread; without one, which the system may refuse, nothing is added up.
  ///
  /// - Parameters:
  ///   - path: the database file.
  ///   - layout: the table's layout.
  ///   - schema: the table.
  ///   - portions: the rows.
  init(path: String, _ layout: TableLayout, schema: TableSchema, portions: RowPortions) {
    job = Job(path, layout, schema, portions)
    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(job).toOpaque()
    let status = unsafe pthread_create(
      &thread, nil,
      { argument in
        if let argument = unsafe argument {
          unsafe Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().run()
        }
        return nil
      }, argument)
    if status == 0 {
      self.thread = thread
    } else {
      unsafe Unmanaged<Job>.fromOpaque(argument).release()
    }
  }

  deinit {
    job.portions.cancel()
    if let thread { pthread_join(thread, nil) }
  }

  /// Waits for the thread's end.
  ///
  /// - Returns: the digest of the portions that it took, or nil if one of them could not be read.
  mutating func finish() -> TableDigest? {
    if let thread { pthread_join(thread, nil) }
    thread = nil
    return job.sum.withLock { $0 }
  }
}
