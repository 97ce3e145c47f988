internal import SQLiteKit
internal import Synchronization

/// The ids of a table's rows in portions. Each portion is returned once, to any thread.
final class RowPortions: Sendable {
  /// The largest number of portions. If ids are spread evenly, the last portions are short.
  private static let largestCount: UInt64 = 256

  /// The smallest number of ids in a portion.
  private static let leastSize: UInt64 = 4_096

  /// The number of portions.
  let count: Int

  /// These ids are unsigned: 0 is the least 64-bit integer.
  private let first: UInt64
  private let last: UInt64
  private let size: UInt64
  private let givenCount = Atomic<Int>(0)

  /// The portions of the current rows of a table.
  ///
  /// - Throws: `SQLiteError` when the database cannot be read.
  init(of schema: TableSchema, in connection: Connection) throws {
    let id = SQL(name: schema.rowIDName)
    let table: SQL = "main.\(name: schema.name)"
    // Each of the two queries alone reads one row.
    let least = try connection.integer("SELECT min(\(id)) FROM \(table)")
    let greatest = try connection.integer("SELECT max(\(id)) FROM \(table)")
    guard let least, let greatest else {
      (first, last, size, count) = (0, 0, 1, 0)
      return
    }
    guard least <= greatest else {
      throw SQLiteError.corruption("the rows of \(schema.name) are not in the order of their ids")
    }
    first = UInt64(bitPattern: least) ^ 1 << 63
    last = UInt64(bitPattern: greatest) ^ 1 << 63
    size = max((last - first) / Self.largestCount + 1, Self.leastSize)
    count = Int((last - first) / size) + 1
  }

  /// Returns a portion that was not returned before, or nil if none is left.
  func next() -> ClosedRange<Int64>? {
    let place = givenCount.wrappingAdd(1, ordering: .relaxed).oldValue
    guard place < count else { return nil }
    let start = first + UInt64(place) * size
    let end = last - start < size ? last : start + (size - 1)
    return Int64(bitPattern: start ^ 1 << 63)...Int64(bitPattern: end ^ 1 << 63)
  }

  /// Drops the remaining portions.
  func cancel() {
    givenCount.store(count, ordering: .relaxed)
  }
}
