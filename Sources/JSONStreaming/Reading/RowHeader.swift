/// The names of the columns of rows: arrays that are read as objects.
struct RowHeader {
  /// The names as unescaped UTF-8, one after the other.
  let text: [UInt8]
  /// The index after each name in `text`.
  let nameEnds: [Int]

  /// Creates a header of names; nil if they are not different or one is empty.
  init?(_ names: [[UInt8]]) {
    guard !names.isEmpty, names.allSatisfy({ !$0.isEmpty }), Set(names).count == names.count else {
      return nil
    }
    text = Array(names.joined())
    var end = 0
    nameEnds = names.map { name in
      end += name.count
      return end
    }
  }

  /// Creates the header that is the value of tokens; nil if it is not an array of such names.
  init?(_ tape: borrowing Tape, _ tokens: Range<Int>) {
    guard let first = tokens.first, tape[first].kind == .startArray else { return nil }
    var names: [[UInt8]] = []
    for index in tokens.dropFirst().dropLast() {
      let token = tape[index]
      guard token.kind == .string else { return nil }
      let text = tape.text(of: token)
      names.append(text.indices.map { text[$0] })
    }
    self.init(names)
  }
}
