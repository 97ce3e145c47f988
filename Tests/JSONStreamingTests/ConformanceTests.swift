import JSONStreaming
import POITestSupport
import Testing

@Suite struct ConformanceTests {
  static let suite = "json-test-suite/test_parsing"
  static var chunkSizes: [Int] { TestLength.some([1, 2, 3, 7, 64, Int.max], 2) }

  @Test(.enabled(if: RealData.has(suite), "needs json-test-suite"))
  func `every document that must parse is accepted`() throws {
    let names = RealData.names(in: Self.suite, suffix: ".json").filter { $0.hasPrefix("y_") }
    #expect(names.count == 95)
    for name in names {
      let bytes = try RealData.bytes(of: "\(Self.suite)/\(name)")
      for chunkSize in Self.chunkSizes {
        let flaw = ElementReader.flaw(inDocument: bytes.span, chunkSize: chunkSize)
        #expect(flaw == nil, "\(name) in chunks of \(chunkSize)")
      }
    }
  }

  @Test(.enabled(if: RealData.has(suite), "needs json-test-suite"))
  func `every document that must not parse is refused`() throws {
    let names = RealData.names(in: Self.suite, suffix: ".json").filter { $0.hasPrefix("n_") }
    #expect(names.count == 188)
    for name in names {
      let bytes = try RealData.bytes(of: "\(Self.suite)/\(name)")
      for chunkSize in Self.chunkSizes {
        let flaw = ElementReader.flaw(inDocument: bytes.span, chunkSize: chunkSize)
        #expect(flaw != nil, "\(name) in chunks of \(chunkSize)")
      }
    }
  }

  @Test(.enabled(if: RealData.has(suite), "needs json-test-suite"))
  func `a document that may parse or not has the same events in any chunks`() throws {
    let names = RealData.names(in: Self.suite, suffix: ".json")
    #expect(names.count >= 318)
    let shapes: [ElementShape] = [.sequence, .container(try JSONPointer(parsing: ""))]
    for name in names {
      let bytes = try RealData.bytes(of: "\(Self.suite)/\(name)")
      for shape in shapes {
        let whole = observe(bytes, shape)
        for chunkSize in Self.chunkSizes where chunkSize > 1 || bytes.count < 10_000 {
          let events = observe(bytes, shape, chunkSizes: [chunkSize])
          #expect(events == whole, "\(name) as \(shape) in chunks of \(chunkSize)")
        }
      }
    }
  }
}
