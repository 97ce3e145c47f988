import POITestSupport
import Testing

@testable import POIRecords

@Suite struct InstantTests {
  private func parsed(_ text: String, _ offset: Int? = nil) -> Int64? {
    Instant(rfc3339: Array(text.utf8).span, defaultOffsetMinutes: offset)?.microseconds
  }

  private func parsedDate(_ text: String) -> Int64? {
    Instant(date: Array(text.utf8).span)?.microseconds
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0),
    ("1970-01-01t00:00:01z", 1_000_000),
    ("1970-01-01 00:00:00.5Z", 500_000),
    ("1969-12-31T23:59:59.999999Z", -1),
    ("2025-12-02T14:38:56Z", 1_764_686_336_000_000),
    ("2025-12-02T15:38:56.1234567+01:00", 1_764_686_336_123_456),
    ("2025-12-02T09:08:56-05:30", 1_764_686_336_000_000),
    ("2000-02-29T00:00:00-00:00", 951_782_400_000_000),
    ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
    ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ("1998-12-31T23:59:60Z", 915_148_800_000_000),
    ("1998-12-31T15:59:60.123-08:00", 915_148_800_123_000),
    ("1990-07-01T00:59:60+01:00", 646_790_400_000_000),
  ])
  func `a date with a time and a zone is a moment`(text: String, microseconds: Int64) {
    #expect(parsed(text) == microseconds)
    #expect(parsed(text, 60) == microseconds)
  }

  @Test(arguments: [
    "", "2025-12-02", "2025-12-02T14:38Z", "2025-12-02T14:38:56", "2025-12-02T14:38:56+01",
    "2025-12-02T14:38:56+1:00", "2025-12-02T14:38:56+24:00", "2025-12-02T14:38:56+01:60",
    "2025-12-02T14:38:56.Z", "2025-12-02T14:38:56,5Z", "2025-12-02T24:00:00Z",
    "2025-12-02T14:60:00Z", "2025-12-02T14:38:61Z", "2025-13-02T14:38:56Z", "2025-00-02T14:38:56Z",
    "2025-12-00T14:38:56Z", "2025-11-31T14:38:56Z", "2025-02-29T14:38:56Z", "1900-02-29T00:00:00Z",
    "2025-12-02  14:38:56Z", "2025-12-02_14:38:56Z", " 2025-12-02T14:38:56Z",
    "2025-12-02T14:38:56Z ", "2025-12-02T14:38:56 Z", "25-12-02T14:38:56Z", "+2025-12-02T14:38:56Z",
    "2025-1২-02T14:38:56Z", "1998-12-31T23:58:60Z", "1998-12-31T22:59:60Z", "1998-12-30T23:59:60Z",
    "1998-12-31T23:59:60+01:00", "2025-12-02T14:38:56Z\0", "1764686336",
  ])
  func `a text without a valid date, time and zone is refused`(text: String) {
    #expect(parsed(text) == nil)
  }

  @Test(arguments: [
    ("2025-12-02T14:38:56", 0, 1_764_686_336_000_000),
    ("2025-12-02 14:38:56.25", 0, 1_764_686_336_250_000),
    ("2025-12-02T15:38:56", 60, 1_764_686_336_000_000),
    ("2025-12-02T09:08:56", -330, 1_764_686_336_000_000),
  ])
  func `a text without a zone is read in the given one`(
    text: String, offset: Int, microseconds: Int64
  ) {
    #expect(parsed(text, offset) == microseconds)
    #expect(parsed(text + "+01:0", offset) == nil)
    #expect(parsed(text + "+", offset) == nil)
  }

  @Test func `a date alone is the start of its day`() {
    #expect(parsedDate("1970-01-02") == 86_400_000_000)
    #expect(parsedDate("2024-02-29") == 1_709_164_800_000_000)
    #expect(parsedDate("2023-02-29") == nil)
    #expect(parsedDate("1970-01-02T00:00:00Z") == nil)
    #expect(parsedDate("1970-1-2") == nil)
  }

  @Test func `every day of the calendar is one later than the day before`() {
    var expected: Int64 = -62_167_219_200_000_000
    for year in 0...9_999 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      // One formula gives all days of a month, so only its ends can be wrong.
      for (month, length) in lengths.enumerated() {
        for day in [1, length] {
          let text = "\(padded(year, 4))-\(padded(month + 1, 2))-\(padded(day, 2))"
          let moment = expected + Int64(day - 1) * 86_400_000_000
          guard parsedDate(text) == moment,
            Instant(microseconds: moment).description == text + "T00:00:00Z"
          else {
            Issue.record("\(text): \(String(describing: parsedDate(text))), not \(moment)")
            return
          }
        }
        expected += Int64(length) * 86_400_000_000
      }
    }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.000001Z"),
    (-1, "1969-12-31T23:59:59.999999Z"), (1_500_000, "1970-01-01T00:00:01.500Z"),
    (1_764_686_336_123_456, "2025-12-02T14:38:56.123456Z"),
    (253_402_300_800_000_000, "+10000-01-01T00:00:00Z"),
    (-62_167_219_200_000_001, "-0001-12-31T23:59:59.999999Z"),
    (Int64.max, "+294247-01-10T04:00:54.775807Z"),
    (Int64.min, "-290308-12-21T19:59:05.224192Z"),
  ])
  func `a moment is printed in UTC`(microseconds: Int64, text: String) {
    #expect(Instant(microseconds: microseconds).description == text)
  }

  @Test func `the common form is read like every other form`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    let ends = [
      "Z", "z", "", ".5Z", ".123456789Z", "+02:00", ".25-00:30", "+24:00", ".Z", "ZZ", "+",
    ]
    let others = Array("0123456789-:TtZz .+/".utf8) + [0, 0x80, 0xFF]
    for _ in 0..<50_000 {
      // Every field may slightly exceed its range.
      func field(_ range: ClosedRange<Int>, _ digits: Int) -> String {
        padded(Int.random(in: range, using: &generator), digits)
      }
      let date = "\(field(0...9_999, 4))-\(field(0...13, 2))-\(field(0...32, 2))"
      let time = "\(field(0...24, 2)):\(field(0...60, 2)):\(field(0...61, 2))"
      var text = Array("\(date)T\(time)\(ends.randomElement(using: &generator) ?? "")".utf8)
      for _ in 0..<Int.random(in: 0...1, using: &generator) {
        text[Int.random(in: text.indices, using: &generator)] =
          others.randomElement(using: &generator) ?? 0
      }
      let offset = Bool.random(using: &generator) ? 90 : nil
      #expect(
        Instant(rfc3339: text.span, defaultOffsetMinutes: offset)
          == Instant(anyForm: text.span, defaultOffsetMinutes: offset), "seed \(seed): \(text)")
    }
  }

  @Test func `an offset of a day or more is a mistake of the caller`() async {
    #expect(parsed("1970-01-02T00:00:00", 1_439) == 60_000_000)
    #expect(parsed("1970-01-01T00:00:00", -1_439) == 86_340_000_000)
    await #expect(processExitsWith: .failure) {
      _ = Instant(rfc3339: Array("1970-01-01T00:00:00Z".utf8).span, defaultOffsetMinutes: 1_440)
    }
    await #expect(processExitsWith: .failure) {
      _ = Instant(rfc3339: Array("1970-01-01T00:00:00".utf8).span, defaultOffsetMinutes: .min)
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 1, .max])
  func `a moment that is too far away is the last or the first one`(microseconds: Int64) {
    let instant = Instant(microseconds: microseconds)
    let longest = Duration.seconds(Int64.max)
    for duration in [longest, longest + .seconds(1), longest * 16] {
      #expect(instant.advanced(by: duration).microseconds == .max)
      #expect(instant.advanced(by: .zero - duration).microseconds == .min)
    }
    #expect(instant.advanced(by: .zero) == instant)
  }

  @Test func `moments are ordered in time`() {
    #expect(Instant(microseconds: -1) < Instant(microseconds: 0))
  }

  private func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: digits - text.count) + text
  }
}
