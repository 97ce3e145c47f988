/// The SplitMix64 generator: the same numbers for the same seed, on every machine.
///
/// G. L. Steele, D. Lea, C. H. Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
struct SplitMix64 {
  private var state: UInt64

  /// The generator of the stream that `words` select.
  init(_ words: UInt64...) {
    state = 0
    for word in words {
      state ^= word
      state = next()
    }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func next(below bound: Int) -> Int {
    // The high half of the product: the bias is below bound / 2^64.
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
