internal import JSONStreaming

/// The rows of one relation to many, for all records of a batch: a batch of their own, ordered by
/// parent.
///
/// A class, because a batch keeps one for each relation in an array, which cannot hold noncopyable
/// values.
package final class ChildRecords {
  /// Where the rows of one parent end, and what they are together.
  struct End: BitwiseCopyable {
    var rowCount: Int
    var arenaCount: Int
    var sum: TableDigest
  }

  /// The rows, and their own relations.
  package var rows: RecordBatch

  private var ends = GrowableBuffer<End>()

  init(_ layout: RecordLayout) {
    rows = RecordBatch(layout, recordCapacity: 64)
  }

  package func rows(ofParent parent: Int) -> Range<Int> {
    end(ofParents: parent).rowCount..<ends[parent].rowCount
  }

  /// How many rows the parent has, and the sum of their digests.
  package func digest(ofParent parent: Int) -> TableDigest { ends[parent].sum }

  /// Ends the rows of the next parent: those that were accepted since the one before.
  func endParent() {
    var sum = TableDigest.empty
    for row in end(ofParents: ends.count).rowCount..<rows.recordCount {
      sum.add(rows.digest(of: row))
    }
    ends.append(End(rowCount: rows.recordCount, arenaCount: rows.arena.count, sum: sum))
  }

  /// Gives a parent the sum of rows that are not here.
  package func setDigest(ofParent parent: Int, to sum: TableDigest) { ends[parent].sum = sum }

  /// Forgets all rows but those of the first parents.
  func truncate(toParents parentCount: Int) {
    let end = end(ofParents: parentCount)
    ends.truncate(to: min(ends.count, parentCount))
    rows.truncate(to: end.rowCount, arenaStart: end.arenaCount)
  }

  /// Keeps the capacity.
  func removeAll() {
    ends.removeAll()
    rows.removeAll()
  }

  var byteCount: Int { rows.byteCount }

  private func end(ofParents parentCount: Int) -> End {
    parentCount == 0 ? End(rowCount: 0, arenaCount: 0, sum: .empty) : ends[parentCount - 1]
  }
}
