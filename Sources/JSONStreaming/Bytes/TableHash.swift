/// A hash for tables that live no longer than the process, made of words one after the other.
///
/// Who writes the input must not be able to choose names and numbers that share a bucket: each would be
/// compared with all the others. So a start and a factor go into it that are drawn once for each
/// process. A word is xored with what there is so far and multiplied by the factor to 128 bits, whose
/// halves are folded. A secret start under a known factor would not be enough: words whose products
/// differ in the high bits alone have low ones, which choose the bucket, in common.
///
/// It differs from run to run: no result, file or order may depend on it.
@frozen
public struct TableHash: BitwiseCopyable {
  @usableFromInline
  var state: UInt64

  @usableFromInline
  let factor: UInt64

  /// The hash of no words.
  @inlinable
  public init() { self = Self.ofNothing }

  @usableFromInline
  init(start: UInt64, factor: UInt64) {
    state = start
    self.factor = factor
  }

  @usableFromInline
  static let ofNothing = TableHash(
    start: .random(in: .min ... .max), factor: .random(in: .min ... .max) | 1)

  /// Adds a word behind those that it is made of.
  @inlinable
  public mutating func add(_ word: UInt64) { state = Self.fold(state ^ word, factor) }

  /// The hash of the words so far; folding once more spreads words in a row over all of it.
  @inlinable
  public var value: UInt64 { Self.fold(state, factor) }

  @inlinable
  @inline(__always)
  static func fold(_ word: UInt64, _ factor: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }
}
