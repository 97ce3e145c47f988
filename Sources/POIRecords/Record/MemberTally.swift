internal import JSONStreaming

/// Counts the members that no attribute maps, without an allocation for a known name.
struct MemberTally: ~Copyable {
  /// The most names that are told apart: random names must not use up the memory.
  static let nameLimit = 1000
  static let nameByteLimit = 256

  package struct Entry: BitwiseCopyable {
    var node: Int
    var nameStart: Int
    var nameCount: Int
    var count: Int

    var name: Range<Int> { nameStart..<nameStart + nameCount }
  }

  private var entries = GrowableBuffer<Entry>()
  private var names = GrowableBuffer<UInt8>()
  private var buckets = GrowableBuffer<Int32>()

  init() {
    buckets.append(repeating: -1, count: 4096)
  }

  /// How many members had names beyond the limits.
  private var uncountedByName = 0

  /// Counts a member of the object that `node` stands for.
  mutating func count(_ name: Span<UInt8>, in node: Int) {
    guard name.count <= MemberTally.nameByteLimit else {
      uncountedByName += 1
      return
    }
    let mask = buckets.count - 1
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
      uncountedByName += 1
      return
    }
    buckets[bucket] = Int32(entries.count)
    let start = names.count
    names.append(bytes: name)
    entries.append(Entry(node: node, nameStart: start, nameCount: name.count, count: 1))
  }

  /// Counts an element of the array that `node` stands for.
  mutating func count(index: Int, in node: Int) {
    count(String(index).utf8Span.span, in: node)
  }

  /// Adds the counts to `counts`, by JSON pointer, and resets them.
  mutating func move(
    to counts: inout [ExactText: Int], others: inout Int, table: borrowing FieldTable
  ) {
    for index in 0..<entries.count where entries[index].count > 0 {
      let name = String(copying: names.span.extracting(entries[index].name))
      let pointer = table.pointer(of: entries[index].node) + JSONPointer.step(name)
      counts[ExactText(pointer), default: 0] += entries[index].count
      entries[index].count = 0
    }
    others += uncountedByName
    uncountedByName = 0
  }
}
