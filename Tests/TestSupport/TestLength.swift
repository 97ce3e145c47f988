import Glibc

/// How thorough tests are: by default they try a sample of what they could.
public enum TestLength {
  /// Whether everything is tried, which `LONG_TESTS=1` in the environment asks for, as
  /// `scripts/check-all` does.
  public static let isLong = unsafe getenv("LONG_TESTS").map { unsafe String(cString: $0) } == "1"

  /// A number of rounds, records or bytes: `short`, or `long` in the long form.
  public static func count(_ short: Int, long: Int) -> Int { isLong ? long : short }

  /// All of `values` in the long form, otherwise `count` of them, chosen at random and in their order.
  ///
  /// A test names the value at which it fails, so that it can be tried again.
  public static func some<Values: Collection>(
    _ values: Values, _ count: Int
  ) -> [Values.Element] {
    guard !isLong, count < values.count else { return Array(values) }
    let chosen = Set((0..<values.count).shuffled().prefix(count))
    return values.enumerated().filter { chosen.contains($0.offset) }.map(\.element)
  }
}
