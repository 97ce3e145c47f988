internal import JSONStreaming

/// The rows of one relation to many for all records of a batch, ordered by parent.
///
/// A class, because an array cannot hold noncopyable values and a batch keeps an array of these.
package final class ChildRecords {
  /// The end of the rows of one parent, and the sum of their digests.
  struct End: BitwiseCopyable {
    var rowCount: Int
    var arenaCount: Int
    var sum: TableDigest
  }

  /// The rows, with their own relations to many.
  package var rows: RecordBatch

  private var ends = GrowableBuffer<End>()

  init(_ layout: RecordLayout) {
    rows = RecordBatch(layout, recordCapacity: 64)
  }

  package func rows(ofParent parent: Int) -> Range<Int> {
    end(ofParents: parent).rowCount..<ends[parent].rowCount
  }

  /// The row count of a parent and the sum of the digests.
  package func digest(ofParent parent: Int) -> TableDigest { ends[parent].sum }

  /// Assigns the rows accepted since the last call to the next parent.
  func endParent() {
    var sum = TableDigest.empty
    for row in end(ofParents: ends.count).rowCount..<rows.recordCount {
      sum.add(rows.digest(of: row))
    }
    ends.append(End(rowCount: rows.recordCount, arenaCount: rows.arena.count, sum: sum))
  }

  /// Sets the sum of a parent whose rows are not in this batch.
  package func setDigest(ofParent parent: Int, to sum: TableDigest) { ends[parent].sum = sum }

  func truncate(toParents parentCount: Int) {
    let end = end(ofParents: parentCount)
    ends.truncate(to: min(ends.count, parentCount))
    rows.truncate(to: end.rowCount, arenaStart: end.arenaCount)
  }

  func removeAll() {
    ends.removeAll()
    rows.removeAll()
  }

  var byteCount: Int { rows.byteCount }

  private func end(ofParents parentCount: Int) -> End {
    parentCount == 0 ? End(rowCount: 0, arenaCount: 0, sum: .empty) : ends[parentCount - 1]
  }
}
