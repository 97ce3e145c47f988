/// The doubtful siblings that a scan has met, in their order, and which of them have not ended.
struct DoubtfulSiblings {
  private struct Opened {
    var offset: Int
    /// How many brackets are open around it.
    var depth: Int
  }

  private var offsets: [Int] = []
  private var opened: [Opened] = []
  /// Whether more were met than are kept.
  private var isFull = false

  /// How many are kept at most.
  static let limit = 1 << 10

  /// The offset of the first.
  var first: Int? { offsets.first }

  /// Takes one that follows all others.
  ///
  /// - Parameter depth: how many brackets are open around its own; nil if it stands in a string.
  mutating func append(_ offset: Int, depth: Int?) {
    guard !isFull, offsets.count < Self.limit else {
      isFull = true
      return
    }
    offsets.append(offset)
    if let depth { opened.append(Opened(offset: offset, depth: depth)) }
  }

  /// Takes note that no more than so many brackets are open now.
  mutating func close(to depth: Int) {
    while let last = opened.last, last.depth >= depth { opened.removeLast() }
  }

  /// Forgets the sibling at `offset`, all before it and the brackets around it.
  ///
  /// - Returns: how many brackets these are; nil, and nothing is forgotten, where the sibling has
  ///   ended or it is not known which one follows.
  mutating func begin(at offset: Int) -> Int? {
    guard let index = opened.firstIndex(where: { $0.offset >= offset }),
      opened[index].offset == offset
    else { return nil }
    let passed = offsets.firstIndex { $0 > offset } ?? offsets.count
    guard passed < offsets.count || !isFull else { return nil }
    let depth = opened[index].depth
    offsets.removeFirst(passed)
    opened.removeFirst(index + 1)
    for index in opened.indices { opened[index].depth -= depth }
    return depth
  }
}
