import POITestSupport
import Testing

@testable import JSONStreaming

@Suite struct LineCounterTests {
  @Test func `lines and their starts are counted in any split`() {
    var generator = SplitMix64(seed: 5)
    let bytes = (0..<6_000).map { _ in UInt8.random(in: 8...11, using: &generator) }
    for size in [1, 7, 8, 100, 6_000] {
      var lines = LineCounter()
      var count = 0
      var start = 0
      for offset in stride(from: 0, to: bytes.count, by: size) {
        let end = min(offset + size, bytes.count)
        lines.update(bytes.span.extracting(offset..<end))
        for index in offset..<end where bytes[index] == 0x0A {
          (count, start) = (count + 1, index + 1)
        }
        #expect((lines.lineCount, lines.lineStart, lines.byteCount) == (count, start, end))
      }
    }
  }
}
