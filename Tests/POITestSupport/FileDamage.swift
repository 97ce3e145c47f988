/// Damage of the kinds that disks and interrupted copies do to a file.
public enum FileDamage: CaseIterable, Sendable {
  case byte
  case bit
  case swappedPages
  case truncation

  /// Damages a database file once. Returns what was done.
  ///
  /// Two swapped pages are equal now and then, which changes nothing.
  public static func change(
    _ bytes: inout [UInt8], using generator: inout SplitMix64
  ) -> String {
    let kind = allCases.randomElement(using: &generator)!
    let offset = Int.random(in: 0..<bytes.count, using: &generator)
    switch kind {
    case .byte:
      bytes[offset] ^= UInt8.random(in: 1...255, using: &generator)
      return "byte \(offset) is \(bytes[offset])"
    case .bit:
      bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      return "byte \(offset) is \(bytes[offset]), one bit changed"
    case .swappedPages:
      // The size of a page is in the header; 1 is 65,536.
      let stored = Int(bytes[16]) << 8 | Int(bytes[17])
      let size = stored == 1 ? 65_536 : stored
      let pages = (0..<2).map { _ in Int.random(in: 0..<bytes.count / size, using: &generator) }
      for index in 0..<size { bytes.swapAt(pages[0] * size + index, pages[1] * size + index) }
      return "pages \(pages[0] + 1) and \(pages[1] + 1) are swapped"
    case .truncation:
      bytes.removeLast(bytes.count - offset)
      return "only \(offset) bytes are left"
    }
  }
}
