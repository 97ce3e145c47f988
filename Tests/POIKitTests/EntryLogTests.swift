import Testing

@testable import POIKit
@testable import POIRecords

@Suite struct EntryLogTests {
  @Test(arguments: [0, 1, 4_095, 4_096, 4_097, 8_192, 20_000])
  func `entries are read in order, and the log can be used again`(count: Int) throws {
    var log = EntryLog<Int64>(folder: nil)
    for round in 0..<2 {
      for number in 0..<count { try log.append(Int64(number * 3 + round)) }
      #expect(log.count == count)
      var number = 0
      while let entry = try log.next() {
        if entry != Int64(number * 3 + round) {
          Issue.record("entry \(number) is \(entry)")
          break
        }
        number += 1
      }
      #expect(number == count)
      log.removeAll()
      #expect(log.count == 0)
    }
    #expect((log.spilledByteCount > 0) == (count > 4_096))
  }
}
