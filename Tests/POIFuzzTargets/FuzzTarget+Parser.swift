import JSONStreaming
import POITestSupport

extension FuzzTarget {
  private static let shapes: [ElementShape] = [
    .sequence, .container(JSONPointer(tokens: [])),
    .container(JSONPointer(tokens: ["data", "rows"])),
    .container(JSONPointer(tokens: ["1", "o"])), .delimited(by: UInt8(ascii: ",")),
    // The inputs found before keep their shapes.
    .container(JSONPointer(tokens: [])), .container(JSONPointer(tokens: ["data", "rows"])),
    .container(JSONPointer(tokens: ["1", "o"])),
  ]

  private static let limits = [
    ReadingLimits(),
    ReadingLimits(depth: 3, elementByteCount: 60, stringByteCount: 12, keysPerObject: 4),
  ]

  /// The events do not depend on the chunks, and resuming at any position gives the remaining ones.
  static func readElements(_ input: inout FuzzInput) throws {
    let shape = shapes[input.choice(shapes.count)]
    let choice = input.choice(4)
    var limits = limits[choice & 1]
    limits.skipsInsertions = choice > 1
    limits.readsNaNAsNull = choice > 1
    let chunkSizes = [1 + input.choice(9), 1 + input.choice(70)]
    let resumed = input.choice(8)
    let bytes = input.remainder()

    let whole = observe(bytes, shape, limits: limits)
    let split = observe(bytes, shape, limits: limits, chunkSizes: chunkSizes, usesFill: true)
    try expect(whole == split, "in chunks of \(chunkSizes): \(split), not \(whole)")
    let eager = observe(bytes, shape, limits: limits, chunkSizes: chunkSizes, isEager: true)
    try expect(whole == eager, "given early: \(eager), not \(whole)")

    if resumed < whole.count, let position = whole[resumed].position {
      let rest = observe(bytes, shape, limits: limits, chunkSizes: [5], resumingAt: position)
      let expected = Array(whole[(resumed + 1)...])
      try expect(rest == expected, "from \(position): \(rest), not \(expected)")
    }

    var detector = ShapeDetector(elementMarkers: [["id"]], elementNames: ["name"])
    detector.append(bytes.span)
    detector.finish()
    var splitDetector = ShapeDetector(elementMarkers: [["id"]], elementNames: ["name"])
    var offset = 0
    while offset < bytes.count {
      let end = min(offset + chunkSizes[0], bytes.count)
      splitDetector.append(bytes.span.extracting(offset..<end))
      offset = end
    }
    splitDetector.finish()
    try expect(
      detector.outcome == splitDetector.outcome,
      "detected in parts: \(splitDetector.outcome as Any), not \(detector.outcome as Any)")
  }
}
