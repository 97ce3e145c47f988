import Synchronization
import Testing

@testable import POIToolSupport

private final class FakeClock: Sendable {
  private let time = Mutex(Duration.seconds(1000))

  var now: Duration { time.withLock { $0 } }

  func advance(_ duration: Duration) {
    time.withLock { $0 += duration }
  }
}

@Suite struct ProgressLineTests {
  private static let erase = "\r\u{1b}[K"

  private let clock = FakeClock()

  private func line() -> ProgressLine {
    ProgressLine { [clock] in clock.now }
  }

  private func progress(_ done: Int, of total: Int? = 388_000_000, records: Int = 0) -> Progress {
    Progress(
      "data.json", unit: .bytes, done: done, total: total,
      counts: [
        Progress.Count("records", records, showsRate: true), Progress.Count("rejected", 3),
      ])
  }

  @Test func `the line appears after a tenth of a second and changes ten times a second`() {
    var line = line()
    var drawingCount = 0
    let first = line.update(progress(0), width: { 80 })
    #expect(first == nil)
    for millisecond in 1...1000 {
      clock.advance(.milliseconds(1))
      let text = line.update(progress(millisecond * 1000), width: { 80 })
      if text != nil { drawingCount += 1 }
      if millisecond < 100 { #expect(text == nil) }
      if millisecond == 100 { #expect(text != nil) }
    }
    #expect(drawingCount == 10)
  }

  @Test func `a sized input shows share, rate and time left`() {
    var line = line()
    _ = line.update(progress(0), width: { 200 })
    clock.advance(.seconds(2))
    let text = line.update(progress(97_000_000, records: 250_000), width: { 200 })
    #expect(
      text == Self.erase
        + "data.json  97.0 of 388.0 MB (25 %)  0:06 left  250,000 records  125,000/s  3 rejected")
  }

  @Test func `an input without a size is counted`() {
    var line = line()
    _ = line.update(progress(0, of: nil), width: { 200 })
    clock.advance(.seconds(2))
    let text = line.update(progress(97_000_000, of: nil, records: 250_000), width: { 200 })
    #expect(
      text == Self.erase + "data.json  97.0 MB  250,000 records  125,000/s  3 rejected")
  }

  @Test func `items are counted by name, and a new activity starts its own measurement`() {
    var line = line()
    _ = line.update(progress(0), width: { 200 })
    clock.advance(.seconds(60))
    _ = line.update(
      Progress("deleting", unit: .items("rows"), done: 100, total: 1100), width: { 200 })
    clock.advance(.seconds(1))
    let text = line.update(
      Progress("deleting", unit: .items("rows"), done: 600, total: 1100), width: { 200 })
    #expect(
      text == Self.erase + "deleting  600 of 1,100 rows (54 %)  0:01 left")
  }

  @Test func `work done before the first report counts for no rate`() {
    var line = line()
    _ = line.update(progress(194_000_000, records: 500_000), width: { 200 })
    clock.advance(.seconds(10))
    let text = line.update(progress(291_000_000, records: 750_000), width: { 200 })
    #expect(
      text == Self.erase
        + "data.json  291.0 of 388.0 MB (75 %)  0:10 left  750,000 records  25,000/s  3 rejected")
  }

  @Test func `an input that grew is all done and no time is left`() {
    var line = line()
    _ = line.update(progress(0, of: 1000), width: { 200 })
    clock.advance(.seconds(1))
    let text = line.update(progress(2000, of: 1000), width: { 200 })
    #expect(text?.contains("1.0 of 1.0 kB (100 %)") == true)
    #expect(text?.contains("left") == false)
  }

  @Test func `a line is cut so that it never wraps`() {
    var line = line()
    _ = line.update(progress(0), width: { 20 })
    clock.advance(.seconds(1))
    let cut = line.update(progress(1), width: { 20 })
    #expect(cut == Self.erase + "data.json  0.0 of 3")
    clock.advance(.seconds(1))
    let empty = line.update(progress(1), width: { 0 })
    #expect(empty == Self.erase)
  }

  @Test func `clearing erases only what is drawn, and the line comes back at once`() {
    var line = line()
    let beforeAll = line.clear()
    _ = line.update(progress(0), width: { 80 })
    let beforeDrawing = line.clear()
    clock.advance(.seconds(1))
    let first = line.update(progress(1), width: { 80 })
    let (erased, erasedAgain) = (line.clear(), line.clear())
    let second = line.update(progress(2), width: { 80 })
    #expect(beforeAll == nil)
    #expect(beforeDrawing == nil)
    #expect(first != nil)
    #expect(erased == Self.erase)
    #expect(erasedAgain == nil)
    #expect(second != nil)
  }

  @Test func `names from outside are made printable`() {
    let progress = Progress("a\u{1b}[2J", unit: .items("rows"), done: 1)
    #expect(
      ProgressLine.text(progress, since: progress, in: .zero) == "a\\u{1b}[2J  1 rows")
  }
}
