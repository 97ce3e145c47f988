internal import POIRecords
internal import SQLiteKit

/// Losers whose values or arrays go to their winners.
///
/// A group goes in one transaction: what its winner gets and all its losers. So a pass that is
/// stopped leaves a group either as it was or done, and the winner never competes, with what it got,
/// with a loser that is left.
extension Deduplicator {
  /// The bytes of values that wait for their losers to be removed, at most about.
  private static let fillSize = 1 << 20

  /// Counts what winners would get.
  func countFills(
    _ selection: inout WinnerSelection, _ plan: inout DeduplicationPlan, _ schema: TableSchema,
    on connection: Connection
  ) throws(DeduplicationError) {
    var merge: LoserMerge? = try LoserMerge(layout, schema: schema, in: connection)
    var isBegun = false
    while let loser = try selection.nextGroupLoser() {
      try add(loser, isBegun: &isBegun, to: &merge)
      guard loser.isLast, let fill = try fill(of: &merge) else { continue }
      plan.filledWinnerCount += 1
      plan.filledValueCount += fill.values.count
    }
    plan.refusedValueCount = merge?.takeRefusedCount() ?? 0
  }

  /// Removes whole groups of losers, until they are so many, after their winners got what these have.
  /// It is inside the caller's transaction.
  func removeGroups(
    _ count: Int, _ selection: inout WinnerSelection, _ merge: inout LoserMerge?,
    _ removal: inout LoserRemoval, in connection: Connection
  ) throws(DeduplicationError) {
    var pairs: [LoserEntry] = []
    var fills: [RowFill] = []
    var fillSize = 0
    var loserCount = 0
    var isBegun = false
    while isBegun || loserCount < count, let loser = try selection.nextGroupLoser() {
      try add(loser, isBegun: &isBegun, to: &merge)
      pairs.append(LoserEntry(loser: loser.loser, winner: loser.winner))
      loserCount += 1
      if loser.isLast, let fill = try fill(of: &merge) {
        fills.append(fill)
        fillSize += fill.byteCount
      }
      guard pairs.count == BatchPace.smallestSize || fillSize >= Self.fillSize else { continue }
      try removal.remove(pairs, filling: fills, in: connection)
      pairs.removeAll(keepingCapacity: true)
      fills.removeAll(keepingCapacity: true)
      fillSize = 0
    }
    removal.counts.refusedValueCount += merge?.takeRefusedCount() ?? 0
    guard !pairs.isEmpty else { return }
    try removal.remove(pairs, filling: fills, in: connection)
  }

  private func fill(of merge: inout LoserMerge?) throws(DeduplicationError) -> RowFill? {
    do { return try merge?.finish() } catch { throw DeduplicationError(error) }
  }

  /// - Parameter isBegun: whether an earlier loser of the group was added, and after the call
  ///   whether others follow.
  private func add(
    _ loser: GroupLoser, isBegun: inout Bool, to merge: inout LoserMerge?
  ) throws(DeduplicationError) {
    do {
      if !isBegun { try merge?.begin(loser.winner) }
      try merge?.add(loser)
    } catch {
      throw DeduplicationError(error)
    }
    isBegun = !loser.isLast
  }
}
