/// Numbers, sizes and rates as reports and the progress line show them: the same in every locale,
/// rounded to the nearest.
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

  /// A count with a noun: `1 record`, `1,234 records`.
  public static func count(_ number: Int, _ noun: String) -> String {
    "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// A size in units of 1,000 bytes with one decimal: `388.0 MB`; below 1,000 bytes: `12 B`.
  public static func bytes(_ byteCount: Int) -> String {
    let (unit, size) = unit(for: byteCount)
    return "\(amount(byteCount, in: size)) \(unit)"
  }

  /// The amount done and the whole, both in the whole's unit: `146.2 of 388.0 MB`.
  static func bytes(_ byteCount: Int, of total: Int) -> String {
    let (unit, size) = unit(for: total)
    return "\(amount(byteCount, in: size)) of \(amount(total, in: size)) \(unit)"
  }

  /// The number per second, rounded to three digits: `412,000/s`; nil if no time has passed.
  static func rate(_ count: Int, in duration: Duration) -> String? {
    guard duration > .zero else { return nil }
    let exact = Int(min(Double(count) / (duration / .seconds(1)), 9e18).rounded())
    var step = 1
    while exact / step >= 1000 { step *= 10 }
    return self.count((exact + step / 2) / step * step) + "/s"
  }

  /// Whole seconds as `0:12` or `1:02:05`.
  static func clock(_ seconds: Int) -> String {
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return (hours > 0 ? "\(hours):\(twoDigits(minutes)):" : "\(minutes):") + twoDigits(seconds % 60)
  }

  /// A share in whole per cent, rounded down so that 100 % means all: `37 %`.
  static func percent(_ part: Int, of total: Int) -> String {
    "\(Int(Double(part) / Double(total) * 100)) %"
  }

  /// A size as typed for an option, in the largest unit that divides it.
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

  private static func unit(for byteCount: Int) -> (name: String, size: Int) {
    switch byteCount {
    case ..<1000: ("B", 1)
    case ..<999_950: ("kB", 1000)
    case ..<999_950_000: ("MB", 1_000_000)
    case ..<999_950_000_000: ("GB", 1_000_000_000)
    default: ("TB", 1_000_000_000_000)
    }
  }

  private static func amount(_ byteCount: Int, in size: Int) -> String {
    guard size > 1 else { return String(byteCount) }
    let tenths = byteCount / size * 10 + (byteCount % size * 10 + size / 2) / size
    return "\(tenths / 10).\(tenths % 10)"
  }
}
