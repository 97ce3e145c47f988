internal import POIRecords
internal import POISQLite

/// Reads a table once, finds the rows that share a key and decides which row of each group stays.
///
/// For each row an entry of fixed size is sorted. A row is read again only if its `SortKey` does
/// not prove that its key is equal to another, or to compare its content with a row of the same
/// rank. The memory does not depend on the number of rows or the size of a group.
///
/// The table is read in its own order and sorted here, even if it has an index on the key. With
/// 120,000 losers in 1,000,000 rows, in seconds of processor time:
///
/// | method | seconds |
/// |---|---|
/// | reading and sorting here | 0.21 + 0.08 |
/// | the same columns sorted by SQLite | 0.75 |
/// | an index, random reads for the timestamps of rows that share a key | 0.10 + 0.75 |
/// | an index, random reads for all timestamps | 2.3 |
struct WinnerSelection: ~Copyable {
  /// The largest number of groups that a plan lists.
  private static let largestGroupCount = 10

  private static let reportInterval = 65_536

  private let layout: TableLayout
  private let schema: TableSchema
  private let options: DeduplicationOptions
  private let contentHash: @Sendable (Digest) -> Digest

  /// Whether losers are returned group by group, in the order of their ranks.
  private let ranksLosers: Bool

  private var candidates: ExternalSorter<CandidateEntry>
  private var losers: ExternalSorter<LoserEntry>

  /// The losers, if they are returned in the order of their ranks.
  private var groupLosers: ExternalSorter<GroupLoserEntry>
  private var followingLoser: GroupLoserEntry?

  /// The rows of all groups by their content, if the key is doubtful.
  private var copies: ExternalSorter<CandidateEntry>

  private let needsTimestamps: Bool
  private var timestamps: TimestampReader

  private var keyForms = SortKey.Forms()

  private var groupKey = CanonicalKey()
  private var otherKey = CanonicalKey()
  private var bestContent = CanonicalContent()
  private var otherContent = CanonicalContent()

  /// A row of the winner's rank that lost by the digest of its content, or by its row id.
  struct TiedLoser: BitwiseCopyable {
    let rowID: Int64
    let digest: Digest
  }

  /// Tied rows that lost before the winner was known.
  private var tiedLosers: EntryLog<TiedLoser>

  /// The rows of all groups in the order of their ids, if what merging them would have done is counted.
  private var arrived: ExternalSorter<ArrivalEntry>

  /// The row id after which they are counted; nil to count none.
  private let countedAfter: Int64?

  /// The outcomes of merging each row in the order of the row ids; complete after `decide`.
  private(set) var arrivals = MergeCounts()

  /// The counters so far; complete after `decide`.
  private(set) var plan = DeduplicationPlan()

  /// A selection for a table.
  ///
  /// - Parameters:
  ///   - layout, schema: the table's.
  ///   - options: the keep rule, the null rule, the budget.
  ///   - ranksLosers: whether losers are returned group by group, in the order of their ranks.
  ///   - needsTimestamps: whether it is an error if no value of the timestamp can be read.
  ///   - countedAfter: the row id after which the outcomes of merging each row are counted; nil for none.
  ///   - contentHash: in tests, the replacement for the digest of a content.
  init(
    _ layout: TableLayout, schema: TableSchema, options: DeduplicationOptions, ranksLosers: Bool,
    needsTimestamps: Bool = true, countedAfter: Int64? = nil,
    contentHash: @escaping @Sendable (Digest) -> Digest
  ) {
    self.layout = layout
    self.schema = schema
    self.options = options
    self.needsTimestamps = needsTimestamps
    self.contentHash = contentHash
    self.ranksLosers = ranksLosers
    self.countedAfter = countedAfter
    let folder = options.temporaryFolder
    candidates = ExternalSorter(memoryBudget: options.memoryBudget / 4 * 3, folder: folder)
    let share = options.memoryBudget / 4
    copies = ExternalSorter(memoryBudget: layout.isKeyDoubtful ? share : 0, folder: folder)
    losers = ExternalSorter(memoryBudget: ranksLosers ? 0 : share, folder: folder)
    groupLosers = ExternalSorter(memoryBudget: ranksLosers ? share : 0, folder: folder)
    arrived = ExternalSorter(memoryBudget: countedAfter == nil ? 0 : share / 8, folder: folder)
    timestamps = TimestampReader(
      column: layout.timestampColumn ?? "", hasUnit: layout.isTimestampInstant)
    tiedLosers = EntryLog(folder: folder)
  }

  /// Returns the next loser with its winner: in the order of the losers' ids, or in the order of
  /// `nextGroupLoser` if losers are ranked.
  mutating func nextLoser() throws -> LoserEntry? {
    guard ranksLosers else { return try losers.next() }
    return try nextGroupLoser().map { LoserEntry(loser: $0.entry.loser, winner: $0.entry.winner) }
  }

  mutating func rewind() throws {
    try losers.rewind()
    try groupLosers.rewind()
    followingLoser = try groupLosers.next()
  }

  /// Returns the next loser if losers are ranked: group by group, and within a group in the order
  /// of the ranks. Losers of one rank have the order of their digests, the greatest first; losers
  /// with one digest the order of their ids.
  mutating func nextGroupLoser() throws -> (entry: GroupLoserEntry, isLast: Bool)? {
    guard let entry = followingLoser else { return nil }
    followingLoser = try groupLosers.next()
    return (entry, followingLoser?.winner != entry.winner)
  }
}

extension WinnerSelection {
  mutating func note(triggers: [String]) { plan.triggers = triggers }

  mutating func note(likelyReferences: [NamedReference]) {
    plan.likelyReferences = likelyReferences
  }

  /// Reads the key, the timestamp and the tombstone of every row.
  ///
  /// - Parameters:
  ///   - removals: the stored tombstones; rows superseded by one of them are skipped.
  ///   - fold: the only rows to read; nil for all.
  /// - Returns: false if it was stopped.
  /// - Throws: `StoreFailure` when the database cannot be read, when the timestamps are of two
  ///   kinds or none can be read, and when a temporary file cannot be written.
  mutating func readTable(
    without removals: TombstoneTable?, among fold: Fold?, progress: (StoreProgress) -> BatchDecision
  ) throws -> Bool {
    var columns = ([schema.rowIDName] + layout.keyColumns).map { SQL("t.\(name: $0)") }
    if fold != nil { columns.append(Fold.group) }
    let keyCount = columns.count - 1
    let timestampPlace = layout.timestampColumn.map { _ in columns.count }
    columns += layout.timestampColumn.map { ["t.\(name: $0)"] } ?? []
    let tombstonePlace = layout.tombstoneColumn.map { _ in columns.count }
    columns += layout.tombstoneColumn.map { ["t.\(name: $0)"] } ?? []
    let sql: SQL = """
      SELECT \(columns.joined(separator: ", "))
      FROM \(fold?.rows(of: schema) ?? "main.\(name: schema.name) AS t")
      \(removals.map { "WHERE NOT \($0.condition(ofRow: "t"))" } ?? "")
      """
    var statement = try schema.connection.prepare(sql)
    var hasTimestamps = false
    while true {
      guard try statement.step() else { break }
      plan.rowCount += 1
      if plan.rowCount % Self.reportInterval == 0,
        progress(StoreProgress(.reading, completedCount: plan.rowCount)) == .stop
      {
        return false
      }
      let rowID = statement.integer(0)
      var timestamp: RowTimestamp?
      if let timestampPlace {
        timestamp = try timestamps.read(timestampPlace, of: statement, rowID: rowID)
        if timestamp != nil { hasTimestamps = true }
      }
      guard let sortKey = readKey(of: statement, columnCount: keyCount) else {
        plan.nullKeyRowCount += 1
        continue
      }
      let isTombstone =
        layout.ties == .digest
        && tombstonePlace.map { Self.isTombstone($0, of: statement) } ?? false
      try candidates.append(
        CandidateEntry(
          sortKey: sortKey,
          rank: CandidateRank(timestamp: timestamp, isTombstone: isTombstone, keep: options.keep),
          rowID: rowID))
    }
    if needsTimestamps, let first = timestamps.firstUnreadable, !hasTimestamps {
      throw StoreFailure(
        .mixedTimestamps,
        """
        none of the \(timestamps.unreadableCount) values of the column '\(layout.timestampColumn ?? "")' \
        is a timestamp, the first is \(first.value) in row \(first.row): name another column
        """)
    }
    plan.unreadableTimestampCount = timestamps.unreadableCount
    plan.firstUnreadableTimestamp = timestamps.firstUnreadable
    return progress(StoreProgress(.reading, completedCount: plan.rowCount)) == .proceed
  }

  /// The key in the current row of a statement, from its second column on; nil if the row is
  /// skipped because of a NULL.
  private mutating func readKey(of statement: borrowing Statement, columnCount: Int) -> SortKey? {
    if columnCount == 1, let key = SortKey(column: 1, of: statement, noting: &keyForms) {
      return key
    }
    let isWhole = otherKey.read(1..<columnCount + 1, of: statement)
    if !isWhole, options.nullKey == .keep { return nil }
    return SortKey(otherKey, noting: &keyForms)
  }

  /// Whether a value marks a removal: any value except NULL, zero and an empty text or blob.
  static func isTombstone(_ place: Int, of statement: borrowing Statement) -> Bool {
    switch statement.columnType(place) {
    case .null: false
    case .integer: statement.integer(place) != 0
    case .real: statement.real(place) != 0
    case .text, .blob: statement.bytes(place).count > 0
    }
  }
}

extension WinnerSelection {
  /// Decides every group, after the table has been read.
  ///
  /// - Throws: `StoreFailure` when two different keys have the same `SortKey`, when the database
  ///   cannot be read, or a temporary file cannot be written or read.
  mutating func decide() throws {
    try candidates.finish()
    if let first = try candidates.next() {
      try decideGroups(beginningWith: first)
    }
    plan.spilledByteCount = candidates.spilledByteCount + tiedLosers.spilledByteCount
    // Frees the memory of the sorted entries.
    candidates = ExternalSorter(memoryBudget: 0, folder: options.temporaryFolder)
    if layout.isKeyDoubtful { try decideCopies() }
    try countArrived()
    try losers.finish()
    try groupLosers.finish()
    followingLoser = try groupLosers.next()
    plan.spilledByteCount += losers.spilledByteCount + groupLosers.spilledByteCount
  }

  /// Decides the groups of all candidates, which are read key by key.
  private mutating func decideGroups(beginningWith first: CandidateEntry) throws {
    var keys = try KeyReader(layout, schema: schema)
    let contents = try RowReader(layout, schema: schema, rows: .one)
    var following: CandidateEntry? = first
    while let first = following {
      plan.groupCount += 1
      following = try candidates.next()
      guard let second = following, second.sortKey == first.sortKey else { continue }
      var group = GroupState(winner: first, ties: layout.ties)
      if !keyForms.areExact { try keys.read(first.rowID, into: &groupKey) }
      try noteArrival(of: first, isTied: second.rank == first.rank, in: group, contents)
      while let entry = following, entry.sortKey == first.sortKey {
        try checkKey(of: entry, in: group, &keys)
        following = try candidates.next()
        if layout.isKeyDoubtful {
          try noteContent(of: entry, in: &group, contents)
          continue
        }
        let isTied = following.map { $0.sortKey == first.sortKey && $0.rank == entry.rank } ?? false
        let isTiedBefore = entry.rank == group.latestRank
        try add(entry, isTiedWithNext: isTied, to: &group, contents)
        try noteArrival(of: entry, isTied: isTied || isTiedBefore, in: group, contents)
      }
      try finish(group, &keys)
    }
    for index in plan.largestGroups.indices {
      let found = plan.largestGroups[index]
      plan.largestGroups[index] = DeduplicationPlan.Group(
        key: try keys.values(found.winner),
        rowCount: found.rowCount, winner: found.winner)
    }
  }

  /// Notes a row of a group that was just added to it.
  private mutating func noteArrival(
    of entry: CandidateEntry, isTied: Bool, in group: GroupState, _ contents: RowReader
  ) throws {
    guard countedAfter != nil else { return }
    var digest = Digest.zero
    if isTied {
      try contents.read(entry.rowID, into: &otherContent)
      digest = contentHash(otherContent.digest)
    }
    try arrived.append(
      ArrivalEntry(entry.rowID, group: plan.groupCount, place: group.place, digest: digest))
  }

  /// Counts what merging would have made of each row after the first of its group.
  private mutating func countArrived() throws {
    try arrived.finish()
    var stored: ArrivalEntry?
    while let entry = try arrived.next() {
      guard let best = stored, best.group == entry.group else {
        stored = entry
        continue
      }
      let isTied = entry.place == best.place
      let isGreater =
        isTied
        ? layout.ties == .later || best.digest < entry.digest : entry.place < best.place
      let isSame = isTied && entry.digest == best.digest
      if isGreater { stored = entry }
      guard entry.rowID > countedAfter ?? .max else { continue }
      arrivals.add(isSame ? .unchanged : isGreater ? .updated : .stale)
      if isTied, !isSame { arrivals.addTie() }
    }
    plan.spilledByteCount += arrived.spilledByteCount
    arrived = ExternalSorter(memoryBudget: 0, folder: options.temporaryFolder)
  }

  /// Notes the content of a row of a group. The first row of the group is noted with the second.
  private mutating func noteContent(
    of entry: CandidateEntry, in group: inout GroupState, _ contents: RowReader
  ) throws {
    func appendDigest(of rowID: Int64, _ copies: inout ExternalSorter<CandidateEntry>) throws
      -> Digest
    {
      try contents.read(rowID, into: &otherContent)
      let digest = contentHash(otherContent.digest)
      try copies.append(
        CandidateEntry(
          sortKey: SortKey(high: digest.high, low: digest.low),
          rank: CandidateRank(time: 0, detail: 0), rowID: rowID))
      return digest
    }
    if group.rowCount == 1 { group.bestDigest = try appendDigest(of: group.winner.rowID, &copies) }
    if try appendDigest(of: entry.rowID, &copies) != group.bestDigest { group.isDiffering = true }
    group.rowCount += 1
  }

  /// Keeps one row of each content of a doubtful key.
  private mutating func decideCopies() throws {
    let contents = try RowReader(layout, schema: schema, rows: .one)
    try copies.finish()
    var winner: CandidateEntry?
    while let entry = try copies.next() {
      guard let first = winner, first.sortKey == entry.sortKey else {
        winner = entry
        continue
      }
      try contents.read(first.rowID, into: &bestContent)
      try contents.read(entry.rowID, into: &otherContent)
      // Different contents with the same hash stay.
      guard bestContent.compareBytes(with: otherContent) == 0 else { continue }
      plan.reasons[.identical] += 1
      try append(
        loser: entry.rowID, of: GroupState(winner: first, ties: layout.ties), place: 0,
        digest: .zero)
    }
    plan.spilledByteCount += copies.spilledByteCount
    copies = ExternalSorter(memoryBudget: 0, folder: options.temporaryFolder)
  }

  /// Checks that a row with the sort key of a group has the key of the group.
  private mutating func checkKey(
    of entry: CandidateEntry, in group: GroupState, _ keys: inout KeyReader
  ) throws {
    guard !keyForms.areExact else { return }
    try keys.read(entry.rowID, into: &otherKey)
    guard !otherKey.isEqual(to: groupKey) else { return }
    throw StoreFailure(
      .unsupportedTable,
      """
      rows \(group.winner.rowID) and \(entry.rowID) of '\(layout.table)' have different keys with the \
      same hash: change one of the keys
      """)
  }

  /// Adds a row to a group.
  ///
  /// - Parameter isTiedWithNext: whether the next row of the group has the same rank.
  private mutating func add(
    _ entry: CandidateEntry, isTiedWithNext: Bool, to group: inout GroupState,
    _ contents: RowReader
  ) throws {
    group.rowCount += 1
    guard entry.rank != group.winner.rank else {
      return try decideTie(entry, in: &group, contents)
    }
    try appendTiedLosers(of: group)
    let reason = group.winner.rank.reasonToBeat(entry.rank)
    plan.reasons[reason] += 1
    var digest = Digest.zero
    if ranksLosers, isTiedWithNext || entry.rank == group.latestRank {
      try contents.read(entry.rowID, into: &otherContent)
      digest = contentHash(otherContent.digest)
    }
    group.noteLoser(entry, reason: reason)
    try append(loser: entry.rowID, of: group, place: group.place, digest: digest)
  }

  private mutating func append(
    loser: Int64, of group: GroupState, place: UInt64, digest: Digest
  ) throws {
    let winner = group.winner.rowID
    if ranksLosers {
      try groupLosers.append(
        GroupLoserEntry(loser: loser, winner: winner, place: place, digest: digest))
    } else {
      try losers.append(LoserEntry(loser: loser, winner: winner))
    }
  }

  /// Decides between a row and the winner so far, which has the same rank, by their contents.
  private mutating func decideTie(
    _ entry: CandidateEntry, in group: inout GroupState, _ contents: RowReader
  ) throws {
    if group.tiedCount == 0 {
      try contents.read(group.winner.rowID, into: &bestContent)
      group.bestDigest = contentHash(bestContent.digest)
    }
    try contents.read(entry.rowID, into: &otherContent)
    let digest = contentHash(otherContent.digest)
    var order =
      digest == group.bestDigest
      ? bestContent.compareBytes(with: otherContent)
      : group.bestDigest < digest ? -1 : 1
    // Rows of one rank come in the order of their ids.
    if order != 0, layout.ties == .later { order = options.keep == .newest ? -1 : 1 }
    if order < 0 {
      try tiedLosers.append(TiedLoser(rowID: group.winner.rowID, digest: group.bestDigest))
      group.replaceWinner(by: entry, digest: digest)
      swap(&bestContent, &otherContent)
    } else {
      try tiedLosers.append(TiedLoser(rowID: entry.rowID, digest: digest))
      group.noteTied(entry, isIdentical: order == 0)
    }
  }

  /// Appends the tied losers after the winner is known.
  private mutating func appendTiedLosers(of group: GroupState) throws {
    guard tiedLosers.count > 0 else { return }
    while let loser = try tiedLosers.next() {
      try append(loser: loser.rowID, of: group, place: 0, digest: loser.digest)
    }
    tiedLosers.removeAll()
    plan.reasons[.identical] += group.identicalCount
    plan.reasons[layout.ties == .later ? .later : .digest] += group.tiedCount - group.identicalCount
  }

  /// Appends the last losers of a group and counts it.
  private mutating func finish(_ group: GroupState, _ keys: inout KeyReader) throws {
    try appendTiedLosers(of: group)
    plan.duplicateGroupCount += 1
    if group.isDiffering { plan.differingGroupCount += 1 }

    let winner = group.winner.rowID
    let place = plan.largestGroups.firstIndex { $0.rowCount < group.rowCount }
    if let place = place
      ?? (plan.largestGroups.count < Self.largestGroupCount
        ? plan.largestGroups.count : nil)
    {
      // The key's text is filled in at the end.
      plan.largestGroups.insert(
        DeduplicationPlan.Group(key: [], rowCount: group.rowCount, winner: winner), at: place)
      if plan.largestGroups.count > Self.largestGroupCount { plan.largestGroups.removeLast() }
    }
    if plan.samples.count < options.sampleCount, let loser = group.firstLoser {
      let isInMicroseconds = layout.isTimestampInstant || timestamps.readsTexts
      plan.samples.append(
        DeduplicationPlan.Decision(
          key: try keys.values(winner), winner: winner,
          loser: loser.rowID, reason: group.firstReason, keep: options.keep,
          microseconds: group.firstReason == .timestamp && isInMicroseconds
            ? group.winner.rank.distance(to: loser.rank) : nil))
    }
  }
}
