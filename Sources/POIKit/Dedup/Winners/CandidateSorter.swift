/// Sorts the candidates of a table: in compact form if all fit it, otherwise in full form.
struct CandidateSorter: ~Copyable {
  /// The divisor of the budget that full entries get at least while compact ones are moved.
  private static let leastShare = 8

  private let memoryBudget: Int
  private let folder: String?
  private var compactCount = 0
  private var movedByteCount = 0
  private var compact: ExternalSorter<CompactCandidate>?
  private var full: ExternalSorter<CandidateEntry>?

  /// A sorter without entries.
  ///
  /// - Parameters:
  ///   - memoryBudget: the bytes for entries in memory.
  ///   - folder: the folder for temporary files.
  init(memoryBudget: Int, folder: String?) {
    self.memoryBudget = memoryBudget
    self.folder = folder
    compact = ExternalSorter(memoryBudget: memoryBudget, folder: folder)
  }

  /// The bytes written to temporary files.
  var spilledByteCount: Int {
    switch compact {
    case .some(let compact): return compact.spilledByteCount
    case nil: break
    }
    switch full {
    case .some(let full): return movedByteCount + full.spilledByteCount
    case nil: return 0
    }
  }

  /// Appends an entry. All entries are appended before `finish`.
  mutating func append(_ entry: CandidateEntry) throws {
    if compact != nil {
      if let entry = CompactCandidate(entry) {
        compactCount += 1
        return try compact!.append(entry)
      }
      try moveToFull()
    }
    try full!.append(entry)
  }

  /// Moves all entries to a sorter of full entries.
  private mutating func moveToFull() throws {
    let used = compactCount * MemoryLayout<CompactCandidate>.stride
    full = ExternalSorter(
      memoryBudget: max(memoryBudget - used, memoryBudget / Self.leastShare), folder: folder)
    try compact!.finish()
    while let entry = try compact!.next() { try full!.append(entry.entry) }
    movedByteCount = spilledByteCount
    compact = nil
    full!.raise(to: memoryBudget)
  }

  mutating func finish() throws {
    if compact != nil { try compact!.finish() } else { try full!.finish() }
  }

  /// The next entry in order, or nil after the last one.
  mutating func next() throws -> CandidateEntry? {
    if compact != nil { return try compact!.next()?.entry }
    return try full!.next()
  }
}
