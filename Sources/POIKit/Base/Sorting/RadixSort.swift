/// Sorts entries in place by their bytes, the most significant first.
///
/// It allocates no memory. The time is linear in the number of entries for all values; the first
/// bytes often are hashes, which spread evenly.
///
/// Page: P. M. McIlroy, K. Bostic and M. D. McIlroy, "Engineering Radix Sort", 1993 (American flag
/// sort)
enum RadixSort {
  /// Up to this number of entries insertion sort is faster.
  private static let fewEntries = 24

  /// Sorts `entries`, which have equal bytes before `byte`.
  ///
  /// - Complexity: O(count · bytes of an entry)
  static func sort<Entry: SortableEntry>(
    _ entries: UnsafeMutableBufferPointer<Entry>, fromByte byte: Int = 0
  ) {
    var byte = byte
    while entries.count > fewEntries, byte < Entry.wordCount * 8 {
      let word = byte / 8
      let shift = UInt64(56 - byte % 8 * 8)
      func bucket(_ entry: Entry) -> Int { Int(entry.word(word) >> shift & 0xff) }

      var counts = InlineArray<256, Int>(repeating: 0)
      for index in 0..<entries.count { counts[unsafe bucket(entries[index])] += 1 }
      byte += 1
      if counts[unsafe bucket(entries[0])] == entries.count { continue }

      var next = InlineArray<256, Int>(repeating: 0)
      var sum = 0
      for bucket in 0..<256 {
        next[bucket] = sum
        sum += counts[bucket]
      }
      var end = 0
      for current in 0..<256 {
        end += counts[current]
        while next[current] < end {
          // Follow the chain of displaced entries until one belongs here.
          var entry = unsafe entries[next[current]]
          var home = bucket(entry)
          while home != current {
            let place = next[home]
            unsafe swap(&entry, &entries[place])
            next[home] = place + 1
            home = bucket(entry)
          }
          unsafe entries[next[current]] = entry
          next[current] += 1
        }
      }
      var start = 0
      for current in 0..<256 {
        let count = counts[current]
        if count > 1 {
          let part = unsafe UnsafeMutableBufferPointer(rebasing: entries[start..<start + count])
          unsafe sort(part, fromByte: byte)
        }
        start += count
      }
      return
    }
    unsafe insertionSort(entries)
  }

  private static func insertionSort<Entry: SortableEntry>(
    _ entries: UnsafeMutableBufferPointer<Entry>
  ) {
    guard entries.count > 1, entries.count <= fewEntries else { return }
    for index in 1..<entries.count {
      let entry = unsafe entries[index]
      var place = index
      while place > 0, entry.precedes(unsafe entries[place - 1]) {
        unsafe entries[place] = entries[place - 1]
        place -= 1
      }
      unsafe entries[place] = entry
    }
  }
}
