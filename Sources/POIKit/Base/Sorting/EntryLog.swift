internal import JSONStreaming

/// Entries in the order in which they were appended. All but a few are in a temporary file.
struct EntryLog<Entry: BitwiseCopyable>: ~Copyable {
  private static var heldCapacity: Int { 4_096 }

  private var held = GrowableBuffer<Entry>(minimumCapacity: 16)
  private var file: SpillFile
  private var position = 0

  /// The number of entries in the file. They come before those in memory.
  private var filedCount = 0

  /// Entries read back from the file, and the position of the first.
  private var window = GrowableBuffer<Entry>(minimumCapacity: 1)
  private var windowStart = 0

  /// The bytes written to the temporary file over the log's life.
  private(set) var spilledByteCount = 0

  init(folder: String?) {
    file = SpillFile(folder: folder)
  }

  var count: Int { filedCount + held.count }

  mutating func append(_ entry: Entry) throws {
    if held.count == Self.heldCapacity {
      let before = file.byteCount
      try unsafe held.withUnsafeBufferPointer { entries throws in
        try unsafe file.append(UnsafeRawBufferPointer(entries))
      }
      spilledByteCount += file.byteCount - before
      filedCount += held.count
      held.removeAll()
    }
    held.append(entry)
  }

  /// Returns the next entry, from the first on, or nil after the last one.
  mutating func next() throws -> Entry? {
    guard position < count else { return nil }
    defer { position += 1 }
    guard position < filedCount else { return held[position - filedCount] }
    if position == windowStart + window.count || window.isEmpty { try readWindow() }
    return window[position - windowStart]
  }

  mutating func removeAll() {
    held.removeAll()
    file.removeAll()
    filedCount = 0
    position = 0
    window.removeAll()
    windowStart = 0
  }

  private mutating func readWindow() throws {
    // The file holds whole portions of the memory's size.
    windowStart = position
    window.removeAll()
    _ = try window.appendInPlace(minimumFree: Self.heldCapacity) {
      free throws in
      try unsafe free.withUnsafeMutableBufferPointer { free, count throws in
        let portion = unsafe UnsafeMutableBufferPointer(rebasing: free[..<Self.heldCapacity])
        try unsafe file.read(
          into: UnsafeMutableRawBufferPointer(portion),
          at: windowStart * MemoryLayout<Entry>.stride)
        count = Self.heldCapacity
      }
    }
  }
}
