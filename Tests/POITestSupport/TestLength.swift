import Glibc

/// The thoroughness of tests: by default they try a sample.
public enum TestLength {
  /// Whether tests try everything: `LONG_TESTS=1` in the environment, as `scripts/check-all` sets.
  public static let isLong = unsafe getenv("LONG_TESTS").map { unsafe String(cString: $0) } == "1"

  /// A number of rounds, records or bytes: `short`, or `long` in the long form.
  public static func count(_ short: Int, long: Int) -> Int { isLong ? long : short }

  /// All of `values` in the long form, otherwise a random sample of `count` in their order.
  ///
  /// A test reports the value at which it fails, so that the failure can be reproduced.
  public static func some<Values: Collection>(
    _ values: Values, _ count: Int
  ) -> [Values.Element] {
    guard !isLong, count < values.count else { return Array(values) }
    let chosen = Set((0..<values.count).shuffled().prefix(count))
    return values.enumerated().filter { chosen.contains($0.offset) }.map(\.element)
  }
}
