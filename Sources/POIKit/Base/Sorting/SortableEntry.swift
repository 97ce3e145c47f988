/// A value of fixed size that is ordered by its words, the first one first.
protocol SortableEntry: BitwiseCopyable {
  static var wordCount: Int { get }

  /// One of the words; `index` is in `0..<wordCount`.
  func word(_ index: Int) -> UInt64
}

extension SortableEntry {
  func precedes(_ other: Self) -> Bool {
    for index in 0..<Self.wordCount {
      let (left, right) = (word(index), other.word(index))
      if left != right { return left < right }
    }
    return false
  }
}
