internal import JSONStreaming

/// Counts unmapped members; a known name needs no allocation.
struct MemberTally: ~Copyable {
  /// The most names that are counted separately, so that random names do not exhaust the memory.
  static let nameLimit = 1000
  static let nameByteLimit = 256

  package struct Entry: BitwiseCopyable {
    var node: Int
    var nameStart: Int
    var nameByteCount: Int
    var count: Int

    var name: Range<Int> { nameStart..<nameStart + nameByteCount }
  }

  private var entries = GrowableBuffer<Entry>()
  private var names = GrowableBuffer<UInt8>()
  private var buckets = GrowableBuffer<Int32>()

  init() {
    // A power of two; with at most `nameLimit` entries, most buckets stay free.
    buckets.append(repeating: -1, count: 4096)
  }

  /// The number of members that were not counted by name.
  private var otherUnmappedMemberCount = 0

  mutating func count(_ name: Span<UInt8>, in node: Int) {
    guard name.count <= MemberTally.nameByteLimit else {
      otherUnmappedMemberCount += 1
      return
    }
    let mask = buckets.count - 1
    // The node, times an odd number, spreads a name that occurs in many nodes.
    var bucket = Int(truncatingIfNeeded: name.tableHash &+ UInt64(node) &* 0x9E37) & mask
    while buckets[bucket] >= 0 {
      let number = Int(buckets[bucket])
      if entries[number].node == node,
        name.hasSameBytes(as: names.span.extracting(entries[number].name))
      {
        entries[number].count += 1
        return
      }
      bucket = (bucket + 1) & mask
    }
    guard entries.count < MemberTally.nameLimit else {
      otherUnmappedMemberCount += 1
      return
    }
    buckets[bucket] = Int32(entries.count)
    let start = names.count
    names.append(bytes: name)
    entries.append(Entry(node: node, nameStart: start, nameByteCount: name.count, count: 1))
  }

  mutating func count(index: Int, in node: Int) {
    count(String(index).utf8Span.span, in: node)
  }

  /// Moves the counts to `counts`, by JSON pointer, and adds the number of all other members to `otherCount`.
  mutating func move(
    to counts: inout [ExactText: Int], otherCount: inout Int, table: borrowing SourceTable
  ) {
    for index in 0..<entries.count where entries[index].count > 0 {
      let name = String(copying: names.span.extracting(entries[index].name))
      let pointer = table.pointer(of: entries[index].node) + JSONPointer.step(name)
      counts[ExactText(pointer), default: 0] += entries[index].count
      entries[index].count = 0
    }
    otherCount += otherUnmappedMemberCount
    otherUnmappedMemberCount = 0
  }
}
