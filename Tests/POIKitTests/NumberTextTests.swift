import Foundation
import TestSupport
import Testing

@testable import POIKit

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
    for _ in 0..<100_000 {
      let double = Double(bitPattern: generator.next())
      guard double.isFinite, !"\(double)".contains("n") else { continue }
      #expect(real("\(double)") == double, "seed \(seed)")
      let long = String(format: "%.25e", double)
      #expect(real(long) == Double(long), "seed \(seed)")
    }
  }

  @Test(arguments: ["0", "-1", "1.5", "1e5", "1.5E-10", "100"])
  func `a number of the grammar is one`(_ text: String) {
    #expect(isNumber(text))
  }

  @Test(arguments: [
    "", "-", "01", "1.", ".5", "+1", "1e", "1e+", " 1", "1 ", "0x10", "NaN", "1_000",
  ])
  func `what the grammar does not know is no number`(_ text: String) {
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
}
