/// Numbers, sizes and rates as reports and the progress line show them.
///
/// They are the same in every locale and are rounded to the nearest.
public enum QuantityFormat {
  /// A count with a comma between groups of three digits: `1,234,567`.
  public static func count(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var result = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result += "," }
      result.append(digit)
    }
    return result
  }

  /// A size in units of 1,000 bytes with one decimal: `388.0 MB`; below 1,000 bytes: `12 B`.
  ///
  /// - Parameter byteCount: at least 0.
  public static func bytes(_ byteCount: Int) -> String {
    let (unit, size) = unit(for: byteCount)
    return size == 1 ? "\(byteCount) B" : "\(tenths(of: byteCount, in: size)) \(unit)"
  }

  /// What is done of a whole, both in the whole's unit: `146.2 of 388.0 MB`.
  static func bytes(_ byteCount: Int, of total: Int) -> String {
    let (unit, size) = unit(for: total)
    guard size > 1 else { return "\(byteCount) of \(total) B" }
    return "\(tenths(of: byteCount, in: size)) of \(tenths(of: total, in: size)) \(unit)"
  }

  /// How many there are in a second, rounded to three digits: `412,000/s`; nil for no time at all.
  public static func rate(_ count: Int, in duration: Duration) -> String? {
    perSecond(count, in: duration).map { QuantityFormat.count($0) + "/s" }
  }

  /// Whole seconds as `0:12` or `1:02:05`.
  static func clock(_ seconds: Int) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let tail = twoDigits(seconds % 60)
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
  }

  /// A share as a whole number of per cent, rounded down so that 100 % means all: `37 %`.
  ///
  /// - Parameters:
  ///   - part: from 0 to `total`.
  ///   - total: above 0.
  public static func percent(_ part: Int, of total: Int) -> String {
    "\(Int(Double(part) / Double(total) * 100)) %"
  }

  /// A number without separators, as it is typed.
  static func plain(_ number: Int) -> String { String(number) }

  /// A size as it is typed for an option, with the largest unit that divides it.
  static func byteLimit(_ byteCount: Int) -> String {
    let units = [
      ("G", 1_000_000_000), ("GiB", 1 << 30), ("M", 1_000_000), ("MiB", 1 << 20), ("k", 1000),
      ("KiB", 1 << 10),
    ]
    for (unit, size) in units where byteCount > 0 && byteCount.isMultiple(of: size) {
      return "\(byteCount / size)\(unit)"
    }
    return String(byteCount)
  }
}

extension QuantityFormat {
  /// How many there are in a second, rounded to three significant digits; nil for no time at all.
  static func perSecond(_ count: Int, in duration: Duration) -> Int? {
    let milliseconds = milliseconds(duration)
    guard milliseconds > 0 else { return nil }
    let exact = rounded(Double(count) * 1000 / Double(milliseconds))
    var step = 1
    while exact / step >= 1000 { step *= 10 }
    return (exact + step / 2) / step * step
  }

  static func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }

  private static func unit(for byteCount: Int) -> (name: String, size: Int) {
    switch byteCount {
    case ..<1000: ("B", 1)
    case ..<999_950: ("kB", 1000)
    case ..<999_950_000: ("MB", 1_000_000)
    case ..<999_950_000_000: ("GB", 1_000_000_000)
    default: ("TB", 1_000_000_000_000)
    }
  }

  private static func tenths(of number: Int, in size: Int) -> String {
    let whole = number / size
    return decimal(whole * 10 + (number % size * 10 + size / 2) / size)
  }

  /// A number of tenths as a decimal.
  private static func decimal(_ tenths: Int) -> String { "\(tenths / 10).\(tenths % 10)" }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : String(number)
  }

  private static func rounded(_ number: Double) -> Int {
    Int(min(number, 9e18).rounded())
  }
}
