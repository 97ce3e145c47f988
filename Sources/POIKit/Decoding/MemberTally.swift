internal import JSONStreaming

/// Counts the members that no attribute maps, by name, without an allocation for a name that it
/// knows.
struct MemberTally {
  /// The most names that are told apart; a record with random member names must not use up the
  /// memory.
  static let nameLimit = 1000

  /// The longest name that is counted apart, in bytes.
  static let nameByteLimit = 256

  private struct Entry {
    var node: Int
    var name: [UInt8]
    var count: Int
  }

  private var entries: [Entry] = []
  private var buckets = [Int32](repeating: -1, count: 4096)

  /// How many members had names beyond the limit.
  private var uncountedByName = 0

  /// Counts a member called `name` of the object that `node` stands for.
  mutating func count(_ name: Span<UInt8>, in node: Int) {
    guard name.count <= MemberTally.nameByteLimit else {
      uncountedByName += 1
      return
    }
    let mask = buckets.count - 1
    var bucket = (Int(FieldTable.hash(name)) &+ node &* 0x9E37) & mask
    while buckets[bucket] >= 0 {
      let number = Int(buckets[bucket])
      if entries[number].node == node, FieldTable.isEqual(entries[number].name, name) {
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
    var copy: [UInt8] = []
    copy.reserveCapacity(name.count)
    for index in name.indices { copy.append(name[index]) }
    entries.append(Entry(node: node, name: copy, count: 1))
  }

  /// Adds the counts to `counts`, by JSON pointer, and begins anew.
  mutating func move(to counts: inout [String: Int], others: inout Int, table: FieldTable) {
    for index in entries.indices where entries[index].count > 0 {
      let name = String(decoding: entries[index].name, as: UTF8.self)
      counts[
        table.pointer(of: entries[index].node) + JSONPointer.step(name), default: 0] +=
        entries[index].count
      entries[index].count = 0
    }
    others += uncountedByName
    uncountedByName = 0
  }
}
