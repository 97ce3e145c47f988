internal import JSONStreaming

/// The rows of one relation to many for all records of a batch, ordered by parent.
///
/// A class, because an array cannot hold noncopyable values and a batch keeps an array of these.
package final class ChildRecords {
  /// The end of the rows of one parent, and the sum of their digests.
  struct ParentEnd: BitwiseCopyable {
    var rowCount: Int
    var arenaCount: Int
    var digest: TableDigest
  }

  /// The rows, with their own relations to many.
  package var rows: RecordBatch

  private var ends = GrowableBuffer<ParentEnd>()

  init(_ layout: RecordLayout) {
    rows = RecordBatch(layout, recordCapacity: 64)
  }

  package func rows(ofParent parent: Int) -> Range<Int> {
    end(ofParents: parent).rowCount..<ends[parent].rowCount
  }

  /// The row count of a parent and the sum of the digests of its rows.
  package func digest(ofParent parent: Int) -> TableDigest { ends[parent].digest }

  /// Assigns the rows accepted since the last call to the next parent.
  func endParent() {
    var digest = TableDigest.empty
    for row in end(ofParents: ends.count).rowCount..<rows.recordCount {
      digest.add(rows.digest(of: row))
    }
    ends.append(ParentEnd(rowCount: rows.recordCount, arenaCount: rows.arena.count, digest: digest))
  }

  /// Sets the digest of a parent whose rows are not in this batch.
  package func setDigest(ofParent parent: Int, to digest: TableDigest) {
    ends[parent].digest = digest
  }

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

  private func end(ofParents parentCount: Int) -> ParentEnd {
    parentCount == 0 ? ParentEnd(rowCount: 0, arenaCount: 0, digest: .empty) : ends[parentCount - 1]
  }
}
