/// A hash of a sequence of words, for in-process tables.
///
/// Authors of input must not be able to choose names or numbers that share a bucket, since a lookup
/// compares all of them. So the start and the factor are random for each process. Each word is
/// xored into the state and multiplied by the factor to 128 bits, whose halves are folded. A secret
/// start with a known factor is not enough: words whose products differ only in the high bits share
/// the low bits, which choose the bucket.
///
/// The hash differs from run to run: no result, file or order may depend on it.
@frozen
public struct TableHash: BitwiseCopyable {
  @usableFromInline
  var state: UInt64

  @usableFromInline
  let factor: UInt64

  /// The hash of no words.
  @inlinable
  public init() { self = Self.empty }

  @usableFromInline
  init(start: UInt64, factor: UInt64) {
    state = start
    self.factor = factor
  }

  @usableFromInline
  static let empty = TableHash(
    start: .random(in: .min ... .max), factor: .random(in: .min ... .max) | 1)

  /// Adds the next word.
  @inlinable
  public mutating func add(_ word: UInt64) { state = Self.fold(state ^ word, factor) }

  /// The hash of the words so far; the last fold spreads consecutive words over all bits.
  @inlinable
  public var value: UInt64 { Self.fold(state, factor) }

  @inlinable
  @inline(__always)
  static func fold(_ word: UInt64, _ factor: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }
}
