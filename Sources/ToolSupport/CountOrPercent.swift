/// A limit given as a count or as a share of a whole.
public enum CountOrPercent: Sendable, Equatable {
  /// That many.
  case count(Int)
  /// A share in per cent, from 0 to 100.
  case percent(Double)

  /// The limit that a text such as `10` or `2.5%` spells; nil if it spells none.
  ///
  /// Only digits with at most one decimal point are a number here: no sign, no exponent.
  public init?(_ text: String) {
    let isPercent = text.hasSuffix("%")
    let number = isPercent ? String(text.dropLast()) : text
    let digitGroups = number.split(separator: ".", omittingEmptySubsequences: false)
    guard digitGroups.count <= (isPercent ? 2 : 1),
      digitGroups.allSatisfy({ group in
        !group.isEmpty && group.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
      })
    else { return nil }
    if isPercent {
      guard let percent = Double(number), percent <= 100 else { return nil }
      self = .percent(percent)
    } else {
      guard let count = Int(number) else { return nil }
      self = .count(count)
    }
  }
}
