internal import JSONStreaming

/// Finds equal elements of an array; reuses its memory.
struct DistinctElements: ~Copyable {
  /// An element in the hash table; index 0 marks a free place, because no element starts there.
  package struct Entry: BitwiseCopyable {
    var hash: UInt64
    var index: Int
  }

  private var entries = GrowableBuffer<Entry>()

  mutating func areDistinct(elementsAt start: Int, of tape: Tape) -> Bool {
    let count = tape[start].elementCount
    guard count > 1 else { return true }
    var size = 4
    while size < count * 2 { size *= 2 }
    entries.removeAll()
    entries.append(repeating: Entry(hash: 0, index: 0), count: size)
    var index = start + 1
    while tape[index].kind != .endArray {
      let hash = tape.valueHash(at: index)
      var place = Int(truncatingIfNeeded: hash) & (size - 1)
      while entries[place].index > 0 {
        if entries[place].hash == hash,
          tape.hasValue(at: entries[place].index, equalTo: index, of: tape)
        {
          return false
        }
        place = (place + 1) & (size - 1)
      }
      entries[place] = Entry(hash: hash, index: index)
      index = tape.end(ofValueAt: index)
    }
    return true
  }
}
