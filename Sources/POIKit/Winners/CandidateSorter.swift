/// Sorts the candidates of a table within a fixed memory budget: in their compact form until the
/// first one that does not fit it, and from then on in their full form.
struct CandidateSorter: ~Copyable {
  /// The part of the budget to read the compact entries back, after the first full entry.
  private static let windowShare = 8

  private let memoryBudget: Int
  private let folder: String?
  private var compact: ExternalSorter<CompactCandidate>
  private var others: ExternalSorter<CandidateEntry>?

  /// The next entries of each kind, while both kinds are read.
  private var nextCompact: CandidateEntry?
  private var nextOther: CandidateEntry?

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
    switch others {
    case .some(let others): compact.spilledByteCount + others.spilledByteCount
    case .none: compact.spilledByteCount
    }
  }

  /// Appends an entry. All entries are appended before `finish`.
  ///
  /// - Throws: `StoreFailure` when a temporary file cannot be written.
  mutating func append(_ entry: CandidateEntry) throws {
    if others == nil {
      if let entry = CompactCandidate(entry) { return try compact.append(entry) }
      let window = memoryBudget / Self.windowShare
      try compact.shrink(to: window)
      others = ExternalSorter(memoryBudget: memoryBudget - window, folder: folder)
    }
    try others?.append(entry)
  }

  /// Prepares the entries for reading.
  ///
  /// - Throws: `StoreFailure` when a temporary file cannot be written or read.
  /// - Complexity: O(count)
  mutating func finish() throws {
    try compact.finish()
    guard others != nil else { return }
    try others?.finish()
    nextCompact = try compact.next()?.entry
    nextOther = try others?.next()
  }

  /// The next entry in order, or nil after the last one.
  ///
  /// - Throws: `StoreFailure` when a temporary file cannot be read.
  mutating func next() throws -> CandidateEntry? {
    guard others != nil else { return try compact.next()?.entry }
    if let first = nextCompact, nextOther.map({ first.precedes($0) }) ?? true {
      nextCompact = try compact.next()?.entry
      return first
    }
    let first = nextOther
    if first != nil { nextOther = try others?.next() }
    return first
  }
}
