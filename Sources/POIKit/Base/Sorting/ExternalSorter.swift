internal import POIPlatform

/// Sorts any number of entries within a fixed budget of memory.
///
/// Entries are gathered in memory. If they do not fit, sorted runs of them go to a temporary file
/// and are merged while they are read back.
@safe
struct ExternalSorter<Entry: SortableEntry>: ~Copyable {
  private static var leastWindow: Int { 8 }

  private var entries: UnsafeMutableBufferPointer<Entry>
  private let capacityLimit: Int
  private var count = 0
  private var position = 0
  private var file: SpillFile
  private var runs: [SpilledRun] = []
  private var windowCapacity = 0

  /// The runs that have entries left, as a binary heap whose first has the smallest.
  private var heap: [Int] = []

  /// A sorter without entries.
  ///
  /// - Parameters:
  ///   - memoryBudget: the bytes for entries in memory; at least 16 entries are held. The system
  ///     provides the memory only as it fills.
  ///   - folder: the folder for the temporary file.
  ///   - firstByteCount: the bytes to allocate at first. The size doubles each time, up to the
  ///     budget or until the system has no more memory.
  init(memoryBudget: Int, folder: String?, firstByteCount: Int = 1 << 26) {
    capacityLimit = Self.capacity(memoryBudget)
    unsafe entries = Self.allocate(upTo: Self.capacity(min(memoryBudget, firstByteCount)))
    file = SpillFile(folder: folder)
  }

  deinit {
    unsafe free(entries.baseAddress)
  }

  private static func capacity(_ memoryBudget: Int) -> Int {
    max(memoryBudget / MemoryLayout<Entry>.stride, 16)
  }

  /// Allocates memory for entries. The number is halved until the system has enough memory.
  private static func allocate(
    upTo most: Int, atLeast least: Int = 16
  ) -> UnsafeMutableBufferPointer<Entry> {
    var capacity = most
    while true {
      if let bytes = unsafe malloc(capacity * MemoryLayout<Entry>.stride) {
        return unsafe UnsafeMutableBufferPointer(
          start: bytes.bindMemory(to: Entry.self, capacity: capacity), count: capacity)
      }
      guard capacity > least else {
        preconditionFailure("there is no memory for \(capacity) entries")
      }
      capacity = max(capacity / 2, least)
    }
  }

  /// Allocates memory for more entries; returns false at the budget, or if the system has no more.
  private mutating func grow() -> Bool {
    let capacity = unsafe min(2 * entries.count, capacityLimit)
    guard unsafe capacity > entries.count else { return false }
    let byteCount = capacity * MemoryLayout<Entry>.stride
    guard let bytes = unsafe realloc(entries.baseAddress, byteCount) else { return false }
    unsafe entries = UnsafeMutableBufferPointer(
      start: bytes.bindMemory(to: Entry.self, capacity: capacity), count: capacity)
    return true
  }

  var spilledByteCount: Int { file.byteCount }

  /// Appends an entry. All entries are appended before `finish`.
  mutating func append(_ entry: Entry) throws {
    if unsafe count == entries.count, !grow() { try spill() }
    unsafe entries[count] = entry
    count += 1
  }

  /// Prepares the entries for reading.
  ///
  /// - Complexity: O(count)
  mutating func finish() throws {
    guard !runs.isEmpty else {
      unsafe RadixSort.sort(UnsafeMutableBufferPointer(rebasing: entries[..<count]))
      return
    }
    if count > 0 { try spill() }
    let needed = runs.count * Self.leastWindow
    if unsafe needed > entries.count {
      unsafe free(entries.baseAddress)
      unsafe entries = Self.allocate(upTo: needed, atLeast: needed)
    }
    windowCapacity = unsafe entries.count / runs.count
    try rewind()
  }

  /// Begins to read again with the first entry, after `finish`.
  mutating func rewind() throws {
    position = 0
    heap.removeAll()
    for index in runs.indices {
      let span = runs[index].span
      runs[index] = SpilledRun(span: span, windowStart: index * windowCapacity)
      try fillWindow(index)
      heap.append(index)
    }
    for place in (0..<heap.count / 2).reversed() { siftDown(from: place) }
  }

  /// Returns the next entry in order, or nil after the last one.
  ///
  /// - Complexity: O(log of the number of runs)
  mutating func next() throws -> Entry? {
    guard !runs.isEmpty else {
      guard position < count else { return nil }
      defer { position += 1 }
      return unsafe entries[position]
    }
    guard let first = heap.first else { return nil }
    let entry = head(first)
    runs[first].windowPosition += 1
    if runs[first].windowPosition == runs[first].windowCount { try fillWindow(first) }
    if runs[first].windowCount == 0 {
      heap[0] = heap[heap.count - 1]
      heap.removeLast()
    }
    siftDown(from: 0)
    return entry
  }

  /// Sorts the gathered entries and writes them to the file as a run.
  private mutating func spill() throws {
    let gathered = unsafe UnsafeMutableBufferPointer(rebasing: entries[..<count])
    unsafe RadixSort.sort(gathered)
    let start = file.byteCount
    try unsafe file.append(UnsafeRawBufferPointer(gathered))
    runs.append(SpilledRun(span: start..<file.byteCount, windowStart: 0))
    count = 0
  }

  /// Reads the next entries of a run. An empty window means that none are left.
  private mutating func fillWindow(_ index: Int) throws {
    let run = runs[index]
    let left = (run.span.upperBound - run.nextOffset) / MemoryLayout<Entry>.stride
    let count = min(left, windowCapacity)
    let window = unsafe UnsafeMutableBufferPointer(
      rebasing: entries[run.windowStart..<run.windowStart + count])
    try unsafe file.read(into: UnsafeMutableRawBufferPointer(window), at: run.nextOffset)
    runs[index].nextOffset += count * MemoryLayout<Entry>.stride
    runs[index].windowPosition = 0
    runs[index].windowCount = count
  }

  private func head(_ index: Int) -> Entry {
    unsafe entries[runs[index].windowStart + runs[index].windowPosition]
  }

  private mutating func siftDown(from start: Int) {
    var place = start
    while true {
      var least = place
      for child in [place * 2 + 1, place * 2 + 2]
      where child < heap.count && head(heap[child]).precedes(head(heap[least])) {
        least = child
      }
      guard least != place else { return }
      heap.swapAt(place, least)
      place = least
    }
  }
}

/// A sorted part of the temporary file and the window of it that is in memory.
private struct SpilledRun {
  /// Where it is in the file.
  let span: Range<Int>

  let windowStart: Int
  var nextOffset: Int
  var windowPosition = 0
  var windowCount = 0

  init(span: Range<Int>, windowStart: Int) {
    self.span = span
    self.windowStart = windowStart
    nextOffset = span.lowerBound
  }
}

/// A value of fixed size that is ordered by its words, the first one first.
protocol SortableEntry: BitwiseCopyable {
  static var wordCount: Int { get }

  /// One of the words; `index` is in `0..<wordCount`.
  func word(_ index: Int) -> UInt64
}

extension SortableEntry {
  func precedes(_ other: Self) -> Bool {
    for index in 0..<Self.wordCount {
      let (left, right) = (word(index), other.word(index))
      if left != right { return left < right }
    }
    return false
  }
}
