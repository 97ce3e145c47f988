import Foundation
import POITestSupport
import Testing

@testable import POIRecords

@Suite struct NumberTextTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", .max),
      ("-9223372036854775808", .min), ("1e3", 1000), ("1.50e1", 15), ("1000e-3", 1),
      ("0e99999999999", 0),
      ("0.0", 0), ("12.000", 12), ("1.00000000000000000000", 1),
      ("100000000000000000000e-5", 1_000_000_000_000_000),
      ("-0.00000000000000000000000", 0), ("1.2300000000000000000000e2", 123), ("-1E+2", -100),
    ] as [(String, Int64)])
  func `an integer in any notation is exact`(_ lexeme: String, _ expected: Int64) {
    #expect(value(lexeme) == .integer(expected))
  }

  @Test(arguments: [
    "9223372036854775808", "18446744073709551615", "-9223372036854775809", "123456789012345678901",
  ])
  func `an integer beyond 64 bits says whether a double equals it`(_ lexeme: String) {
    guard case .real(let real, let isExact) = value(lexeme) else {
      Issue.record("\(lexeme) is no real")
      return
    }
    #expect(real == Double(lexeme))
    #expect(isExact == (lexeme == "9223372036854775808"))
  }

  @Test(
    arguments: [
      ("1.0000005", 1_000_001), ("1.00000049999999999", 1_000_000), ("-1.0000005", -1_000_001),
      ("1668039187.1234565", 1_668_039_187_123_457), ("0.0000004", 0), ("5e-7", 1), ("4e-400", 0),
      ("123456789012345e-20", 1), ("1e-99999999999", 0), ("9e12", 9_000_000_000_000_000_000),
      ("1e13", nil), ("1e99999999999", nil), ("0e99999999999", 0), ("-9.3e12", nil),
    ] as [(String, Int64?)])
  func `a decimal times a power of ten is rounded once`(_ lexeme: String, _ expected: Int64?) {
    #expect(DecimalText(Array(lexeme.utf8).span).rounded(times: 1_000_000) == expected)
  }

  @Test func `the digits after the point decide how a decimal is rounded`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let whole = Int64.random(in: 0...99_999_999, using: &generator)
      let kept = Int64.random(in: 0...999, using: &generator)
      let rest = Int64.random(in: 0...99_999_999, using: &generator)
      let (text, tail) = ("\(1000 + kept)".dropFirst(), "\(100_000_000 + rest)".dropFirst())
      let lexeme = "\(whole).\(text)\(tail)"
      let expected = whole * 1000 + kept + (rest >= 50_000_000 ? 1 : 0)
      #expect(
        DecimalText(Array(lexeme.utf8).span).rounded(times: 1000) == expected,
        "seed \(seed): \(lexeme)")
    }
  }

  @Test(arguments: ["1e400", "-1e400", "1" + String(repeating: "0", count: 400)])
  func `a number beyond every double is too large`(_ lexeme: String) {
    #expect(value(lexeme) == .tooLarge)
  }

  /// Hard cases for rounding: halfway cases, the least and greatest doubles, subnormals.
  @Test(arguments: [
    "8.9876003265380859", "0.1", "2.2250738585072011e-308", "2.2250738585072012e-308",
    "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
    "1.7976931348623157e308", "9007199254740993.5", "1.00000000000000011102230246251565404",
    "0.500000000000000166533453693773481063544750213623046875", "3.518437208883201171875e13",
    "62.5364939768271845828", "8.10109172351e-10", "1.50000000000000011102230246251565",
    "6.631236846766476e-316", "3.2378839133029012895883524125015321748630475e-319", "1e23",
    "1e-400",
  ])
  func `a decimal is rounded as the C library rounds it`(_ lexeme: String) {
    #expect(real(lexeme) == Double(lexeme))
  }

  @Test func `random doubles come back from their shortest and their long form`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(25_000, long: 100_000) {
      let double = Double(bitPattern: generator.next())
      guard double.isFinite, !"\(double)".contains("n") else { continue }
      #expect(real("\(double)") == double, "seed \(seed)")
      let long = String(format: "%.25e", double)
      #expect(real(long) == Double(long), "seed \(seed)")
    }
  }

  @Test func `random digits with random exponents are rounded as the C library rounds them`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(12_000, long: 50_000) {
      let count = Bool.random(using: &generator) ? 18 : 60
      var lexeme = Bool.random(using: &generator) ? "-" : ""
      let isSmall = Bool.random(using: &generator)
      lexeme += isSmall ? "0" : randomDigits(1...count, &generator)
      if Bool.random(using: &generator) {
        let zeroCount = isSmall ? Int.random(in: 0...30, using: &generator) : 0
        lexeme += "." + String(repeating: "0", count: zeroCount)
        lexeme += randomDigits(1...count, &generator)
      }
      if Bool.random(using: &generator) {
        lexeme += "e\(Int.random(in: -400...330, using: &generator))"
      }
      #expect(isRoundedAsInC(lexeme), "seed \(seed): \(lexeme)")
    }
  }

  @Test func `random doubles with any number of digits are rounded as the C library does`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(12_000, long: 50_000) {
      // Every second number is subnormal or nearly so.
      let mask: UInt64 = Bool.random(using: &generator) ? .max : 0x802F_FFFF_FFFF_FFFF
      let double = Double(bitPattern: generator.next() & mask)
      guard double.isFinite else { continue }
      let digits = Int.random(in: 0...30, using: &generator)
      let lexeme = String(format: "%.\(digits)e", double)
      #expect(isRoundedAsInC(lexeme), "seed \(seed): \(lexeme)")
    }
  }

  /// The exact middle of two doubles, and its neighbours with digits added, changed or removed.
  @Test func `the middle of two neighbours is rounded as the C library rounds it`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    var doubles: [Double] = [
      0, .leastNonzeroMagnitude, .leastNormalMagnitude, Double.leastNormalMagnitude.nextDown,
      .greatestFiniteMagnitude, Double.greatestFiniteMagnitude.nextDown, 0x1p53, 0x1p-27, 1, 1e22,
    ]
    for _ in 0..<150 {
      let double = Double(bitPattern: generator.next() >> 1)
      if double.isFinite { doubles.append(double) }
      // With these exponents, a middle can have few digits.
      let power = Double(
        sign: .plus, exponent: .random(in: -8...90, using: &generator), significand: 1)
      doubles.append(Double(1 << 52 + generator.next() >> 12) * power)
    }
    for double in doubles {
      let (digits, exponent) = middle(above: double)
      let cut = Int.random(in: 15...25, using: &generator)
      for digits in [
        digits, digits + "1", digits + "000000000000000000000001",
        digits.dropLast() + "4" + String(repeating: "9", count: 30), String(digits.prefix(cut)),
      ] {
        // The point is after the first digit.
        let lexeme = "\(digits.prefix(1)).\(digits.dropFirst())0e\(exponent)"
        #expect(isRoundedAsInC(lexeme), "seed \(seed): \(lexeme)")
        #expect(isRoundedAsInC("-" + lexeme), "seed \(seed): -\(lexeme)")
      }
    }
  }

  @Test func `an integer is exact wherever its point and zeros are`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<TestLength.count(5_000, long: 20_000) {
      let shift = Int64.random(in: 0...63, using: &generator)
      let integer = Int64(bitPattern: generator.next()) >> shift
      let zeros = String(
        repeating: "0", count: [0, 1, 3, 20].randomElement(using: &generator) ?? 0)
      var digits = "\(integer.magnitude)\(zeros)"
      var exponent = -zeros.count
      let fraction = Int.random(in: 0...30, using: &generator)
      if fraction > 0 {
        digits = String(repeating: "0", count: max(fraction + 1 - digits.count, 0)) + digits
        digits = "\(digits.dropLast(fraction)).\(digits.suffix(fraction))"
        exponent += fraction
      }
      let lexeme = "\(integer < 0 ? "-" : "")\(digits)" + (exponent == 0 ? "" : "E\(exponent)")
      #expect(value(lexeme) == .integer(integer), "seed \(seed): \(lexeme)")
    }
  }

  /// The source of a locale with a decimal comma.
  private static let germanLocale = "/usr/share/i18n/locales/de_DE"

  /// The C library uses the locale of the program, which may have a decimal comma.
  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: NumberTextTests.germanLocale),
      "needs Debian's package locales"))
  func `the program's locale does not matter`() async {
    await #expect(processExitsWith: .success) {
      let folder = try ScratchFolder()
      let made = try Tool(path: "/usr/bin/localedef")
        .run(["-i", "de_DE", "-f", "UTF-8", folder.file("de_DE.UTF-8")], in: folder.path)
      unsafe setenv("LOCPATH", folder.path, 1)
      try #require(unsafe setlocale(LC_ALL, "de_DE.UTF-8") != nil, "\(made)")
      let lexeme = "0.500000000000000166533453693773481063544750213623046875"
      #expect(
        NumberText.value(Array(lexeme.utf8).span) == .real(0.5000000000000002, isExact: true))
    }
  }

  @Test(arguments: ["0", "-1", "1.5", "1e5", "1.5E-10", "100"])
  func `a number of the grammar is accepted`(_ text: String) {
    #expect(isNumber(text))
  }

  @Test(arguments: [
    "", "-", "01", "1.", ".5", "+1", "1e", "1e+", " 1", "1 ", "0x10", "NaN", "1_000",
  ])
  func `a text outside the grammar is not a number`(_ text: String) {
    #expect(!isNumber(text))
  }

  private func isNumber(_ text: String) -> Bool {
    NumberText.isNumber(Array(text.utf8).span)
  }

  private func value(_ lexeme: String) -> NumberText.Value {
    NumberText.value(Array(lexeme.utf8).span)
  }

  private func real(_ lexeme: String) -> Double? {
    switch value(lexeme) {
    case .integer(let integer): Double(integer)
    case .real(let real, _): real
    case .tooLarge: nil
    }
  }

  private func isRoundedAsInC(_ lexeme: String) -> Bool {
    let expected = unsafe strtod(lexeme, nil)
    return real(lexeme) == (expected.isFinite ? expected : nil)
  }

  /// Random digits that do not begin with 0.
  private func randomDigits(
    _ count: ClosedRange<Int>, _ generator: inout SplitMix64
  ) -> String {
    let digits = (0..<Int.random(in: count, using: &generator)).map { _ in
      String(Int.random(in: 0...9, using: &generator))
    }
    return "\(Int.random(in: 1...9, using: &generator))" + digits.dropFirst().joined()
  }

  /// The middle of a non-negative double and the next one: its digits and the exponent of the first digit.
  private func middle(above double: Double) -> (digits: String, exponent: Int) {
    let isNormal = double >= .leastNormalMagnitude
    // The double is `significand` × 2^`binaryExponent`.
    let significand = double.significandBitPattern | (isNormal ? 1 << 52 : 0)
    let binaryExponent = Int(max(double.exponentBitPattern, 1)) - 1_075
    // Limbs of nine digits, the least significant first.
    var limbs = [2 * significand + 1]
    func multiply(by factor: UInt64) {
      var carry: UInt64 = 0
      for index in limbs.indices {
        // The first limb can initially have more than nine digits.
        let (high, low) = limbs[index].multipliedFullWidth(by: factor)
        let (quotient, remainder) = (1_000_000_000 as UInt64).dividingFullWidth((high, low))
        limbs[index] = remainder + carry
        carry = quotient
        if limbs[index] >= 1_000_000_000 {
          limbs[index] -= 1_000_000_000
          carry += 1
        }
      }
      while carry > 0 {
        limbs.append(carry % 1_000_000_000)
        carry /= 1_000_000_000
      }
    }
    multiply(by: 1)
    let halves = binaryExponent - 1
    for _ in 0..<abs(halves) { multiply(by: halves < 0 ? 5 : 2) }
    var digits = limbs.reversed().map { limb in
      let text = String(limb)
      return String(repeating: "0", count: 9 - text.count) + text
    }.joined()
    digits = String(digits.drop { $0 == "0" })
    return (digits, digits.count - 1 + min(halves, 0))
  }
}
