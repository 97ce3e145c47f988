import JSONStreaming
import POITestSupport
import Testing

/// Properties that every input has.
@Suite struct ElementReaderLawTests {
  static let seeds = 0..<UInt64(3)

  /// The inputs for each seed, each read in many ways.
  static var runs: [Int] { TestLength.some(0..<150, 30) }

  static let tightLimits = ReadingLimits(
    depth: 3, elementByteCount: 60, stringByteCount: 12, keysPerObject: 4)

  /// Tight, strict or lenient limits.
  static func limits(ofRun run: Int) -> ReadingLimits {
    var limits = run % 3 == 0 ? tightLimits : ReadingLimits()
    limits.skipsInsertions = run % 4 > 1
    limits.readsNaNAsNull = limits.skipsInsertions
    return limits
  }

  @Test(arguments: seeds, [0, 1, 2, 5])
  func `any split of the input gives the same events`(seed: UInt64, damageCount: Int) {
    for run in Self.runs {
      let inputSeed = seed << 32 | UInt64(run)
      let input = RandomInput(seed: inputSeed, damageCount: damageCount)
      let limits = Self.limits(ofRun: run)
      let whole = observe(input.bytes, input.shape, limits: limits)
      for chunkSizes in [[1], [2], [3], [7, 1], [64]] {
        let events = observe(
          input.bytes, input.shape, limits: limits, chunkSizes: chunkSizes,
          usesFill: run % 2 == 0)
        guard events != whole else { continue }
        Issue.record(
          """
          seed \(inputSeed), \(damageCount) damages, chunks of \(chunkSizes), \(input.shape):
          \(String(decoding: input.bytes, as: UTF8.self).debugDescription)
          whole: \(whole)
          split: \(events)
          """)
        return
      }
    }
  }

  @Test(arguments: seeds)
  func `input can be appended before it is needed`(seed: UInt64) {
    for run in Self.runs {
      let inputSeed = seed << 32 | UInt64(run)
      let input = RandomInput(seed: inputSeed, damageCount: 2)
      let whole = observe(input.bytes, input.shape)
      for size in [1, 20, 1_000] {
        let events = observe(
          input.bytes, input.shape, chunkSizes: [size], usesFill: run % 2 == 0, isEager: true)
        guard events != whole else { continue }
        Issue.record("seed \(inputSeed), chunks of \(size): \(events), not \(whole)")
        return
      }
    }
  }

  @Test(arguments: seeds, [0, 1, 2, 5])
  func `resuming at any position gives the remaining events`(seed: UInt64, damageCount: Int) {
    for run in Self.runs {
      let inputSeed = seed << 40 | UInt64(run)
      let input = RandomInput(seed: inputSeed, damageCount: damageCount)
      let limits = Self.limits(ofRun: run)
      let whole = observe(input.bytes, input.shape, limits: limits)
      for (index, event) in whole.enumerated() {
        guard let position = event.position else { continue }
        let rest = observe(
          input.bytes, input.shape, limits: limits, chunkSizes: [5], resumingAt: position)
        guard rest != Array(whole[(index + 1)...]) else { continue }
        Issue.record(
          """
          seed \(inputSeed), \(damageCount) damages, from \(position), \(input.shape):
          \(String(decoding: input.bytes, as: UTF8.self).debugDescription)
          expected: \(whole[(index + 1)...])
          got: \(rest)
          """)
        return
      }
    }
  }

  @Test(arguments: seeds)
  func `a change before the position is detected`(seed: UInt64) throws {
    for run in TestLength.some(0..<50, 20) {
      let inputSeed = seed << 48 | UInt64(run)
      let input = RandomInput(seed: inputSeed, damageCount: 0)
      let positions = observe(input.bytes, input.shape).compactMap(\.position)
      guard let position = positions.last else { continue }
      var changed = input.bytes
      changed[position.byteOffset / 2] ^= 1
      for bytes in [changed, Array(input.bytes[..<(position.byteOffset - 1)])] {
        let events = observe(bytes, input.shape, chunkSizes: [16], resumingAt: position)
        guard case .failed(let error) = events.first else {
          Issue.record("seed \(inputSeed): the change was not noticed")
          continue
        }
        #expect(error.code == .changedInput, "seed \(inputSeed)")
      }
    }
  }

  @Test(arguments: seeds)
  func `events of a sequence cover all bytes except separators`(seed: UInt64) {
    for run in Self.runs {
      let inputSeed = seed << 24 | UInt64(run)
      let input = RandomInput(seed: inputSeed, damageCount: 2)
      guard input.shape == .sequence else { continue }
      var seen: [UInt8] = []
      let events = observe(input.bytes, .sequence)
      guard events.last == .end else { continue }
      for event in events {
        switch event {
        case .element(let element), .malformed(let element, _, _, _): seen += element.bytes
        case .failed, .end: break
        }
      }
      let isSeparator: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x1E }
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      let body = input.bytes.starts(with: mark) ? Array(input.bytes.dropFirst(3)) : input.bytes
      #expect(
        seen.filter { !isSeparator($0) } == body.filter { !isSeparator($0) },
        "seed \(inputSeed)")
    }
  }
}
