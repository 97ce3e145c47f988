internal import POIRecords
internal import SQLiteKit

/// Merging of losers into their winners.
///
/// One transaction changes the winner of a group and removes all its losers. So a pass that is
/// stopped leaves each group unchanged or complete, and a merged winner never competes with one of
/// its losers.
extension Deduplicator {
  /// The approximate limit of the bytes of values that wait for the removal of their losers.
  private static let fillSize = 1 << 20

  /// Counts the values that winners would get.
  func countFills(
    _ selection: inout WinnerSelection, _ plan: inout DeduplicationPlan, _ schema: TableSchema,
    on connection: Connection
  ) throws {
    var merge: LoserMerge? = try LoserMerge(layout, schema: schema, in: connection)
    var isBegun = false
    while let loser = try selection.nextGroupLoser() {
      try add(loser, isBegun: &isBegun, to: &merge)
      guard loser.isLast, let fill = try fill(of: &merge) else { continue }
      plan.filledWinnerCount += 1
      plan.filledValueCount += fill.values.count
    }
    plan.refusedValueCount = merge?.resetRefusedCount() ?? 0
  }

  /// Merges groups of losers into their winners and removes them, inside the caller's transaction.
  ///
  /// - Parameter count: the number of losers after which no other group begins.
  func removeGroups(
    _ count: Int, _ selection: inout WinnerSelection, _ merge: inout LoserMerge?,
    _ removal: inout LoserRemoval, in connection: Connection
  ) throws {
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
    removal.counts.refusedValueCount += merge?.resetRefusedCount() ?? 0
    guard !pairs.isEmpty else { return }
    try removal.remove(pairs, filling: fills, in: connection)
  }

  private func fill(of merge: inout LoserMerge?) throws -> RowFill? {
    return try merge?.finish()
  }

  /// - Parameter isBegun: whether an earlier loser of the group was added; after the call, whether
  ///   others follow.
  private func add(
    _ loser: GroupLoser, isBegun: inout Bool, to merge: inout LoserMerge?
  ) throws {
    if !isBegun { try merge?.begin(loser.winner) }
    try merge?.add(loser)
    isBegun = !loser.isLast
  }
}
