import POITestSupport
import Testing

@testable import POIRecords

@Suite struct ExactNumberTests {
  private struct NoDivisor: Error {}

  /// A lexeme of `digits` × a power of ten, with a point or zeros at a random place.
  private func lexeme(
    _ digits: String, exponent: Int, using generator: inout SplitMix64
  ) -> String {
    let zeros = Int.random(in: 0...3, using: &generator)
    let all = Array(digits + String(repeating: "0", count: zeros))
    let point = Int.random(in: 1...all.count, using: &generator)
    let fraction = String(all[point...])
    let written = exponent - zeros + fraction.count
    return String(all[..<point]) + (fraction.isEmpty ? "" : "." + fraction) + "e\(written)"
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a number equals itself in any notation, and no other`(seed: UInt64) {
    print("seed \(seed)")
    var generator = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let count = Int.random(in: 1...40, using: &generator)
      var digits = (0..<count).map { _ in Int.random(in: 0...9, using: &generator) }
      digits[0] = max(digits[0], 1)
      digits[count - 1] = max(digits[count - 1], 1)
      let exponent = Int.random(in: -400...400, using: &generator)
      let text = digits.map(String.init).joined()
      let one = Array(lexeme(text, exponent: exponent, using: &generator).utf8)
      let other = Array(lexeme(text, exponent: exponent, using: &generator).utf8)
      let isEqual = ExactNumber(one.span) == ExactNumber(other.span)
      let isInteger = ExactNumber(one.span).exponent >= 0
      #expect(isEqual && isInteger == (exponent >= 0), "\(text), \(exponent)")
      let place = Int.random(in: 0..<count, using: &generator)
      digits[place] = digits[place] == 9 ? 8 : digits[place] + 1
      let changed = digits.map(String.init).joined()
      let third = Array(lexeme(changed, exponent: exponent, using: &generator).utf8)
      let equalsChanged = ExactNumber(one.span) == ExactNumber(third.span)
      #expect(!equalsChanged, "\(text), \(changed), \(exponent)")
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a divisor divides its multiples, and no number between them`(seed: UInt64) throws {
    print("seed \(seed)")
    var generator = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let divisor = Int.random(in: 2...1_000_000, using: &generator)
      let factor = Int.random(in: 1...1_000_000_000_000, using: &generator)
      let rest = Int.random(in: 1..<divisor, using: &generator)
      let exponent = Int.random(in: -30...30, using: &generator)
      let text = Array(lexeme("\(divisor)", exponent: exponent, using: &generator).utf8)
      let kept = Array(lexeme("\(divisor * factor)", exponent: exponent, using: &generator).utf8)
      let broken = Array(
        lexeme("\(divisor * factor + rest)", exponent: exponent, using: &generator).utf8)
      guard let whole = Divisor(text.span) else { throw NoDivisor() }
      let (keeps, breaks) = (whole.divides(kept.span), !whole.divides(broken.span))
      #expect(keeps && breaks, "\(divisor), \(factor), \(rest), \(exponent)")
    }
  }
}
