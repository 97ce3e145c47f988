/// A regular expression as instructions of a nondeterministic automaton (K. Thompson, "Regular expression
/// search algorithm", 1968).
///
/// It reads a text forwards or backwards; the matches that are found are the same.
struct PatternProgram {
  enum Instruction {
    /// Reads a scalar of the set of that number, and goes on behind this instruction.
    case read(Int)
    /// Goes on there.
    case jump(Int)
    /// Goes on behind this instruction and there.
    case fork(Int)
    /// Goes on behind this instruction at such places only.
    case require(Condition)
    case match
  }

  /// What a place of the text is to be.
  enum Condition {
    /// Nothing was read yet.
    case first
    /// Nothing is left to read.
    case last
    case wordBoundary(isNegated: Bool)
    case look(Int, isNegated: Bool)
  }

  /// How many instructions an expression may take: a repetition takes those of its content as often as
  /// it names.
  static let instructionLimit = 100_000

  private(set) var instructions: [Instruction] = []
  let isBackward: Bool

  /// Whether a place may be asked whether lookarounds match there.
  private(set) var asksForLooks = false

  /// Whether a place may be asked whether it is a word boundary.
  private(set) var asksForWords = false

  /// Compiles an expression.
  ///
  /// - Parameter sets: those of all programs of an expression; gets the sets that are new.
  /// - Throws: `PatternError` where the expression takes more instructions than may be.
  init(
    _ node: PatternNode, isBackward: Bool, sets: inout SetNumbers
  ) throws(PatternError) {
    self.isBackward = isBackward
    try append(node, &sets)
    try append(.match)
    // A jump to a jump goes where that one goes, which stands behind it.
    for index in instructions.indices.reversed() {
      if case .jump(let target) = instructions[index],
        case .jump(let end) = instructions[target]
      {
        instructions[index] = .jump(end)
      }
    }
  }

  /// Where a program goes on behind an instruction: alternatives that end alike come to one place.
  func place(behind place: Int) -> Int {
    if case .jump(let target) = instructions[place + 1] { target } else { place + 1 }
  }

  /// Whether a match can begin only where nothing was read yet.
  var isAnchored: Bool {
    if case .require(.first) = instructions[0] { true } else { false }
  }

  private mutating func append(_ instruction: Instruction) throws(PatternError) {
    guard instructions.count < Self.instructionLimit else {
      throw PatternError(
        message: "its repetitions stand for more than \(Self.instructionLimit) steps")
    }
    instructions.append(instruction)
  }

  private mutating func append(
    _ node: PatternNode, _ sets: inout SetNumbers
  ) throws(PatternError) {
    switch node {
    case .scalar(let set): try append(.read(sets.number(of: set)))
    case .sequence(let nodes):
      for index in nodes.indices {
        try append(nodes[isBackward ? nodes.count - 1 - index : index], &sets)
      }
    case .alternatives(let nodes): try append(alternatives: nodes, &sets)
    case .repetition(let node, let least, let most):
      try append(node, least: least, most: most, &sets)
    case .start: try append(.require(isBackward ? .last : .first))
    case .end: try append(.require(isBackward ? .first : .last))
    case .wordBoundary(let isNegated):
      asksForWords = true
      try append(.require(.wordBoundary(isNegated: isNegated)))
    case .look(let look, let isNegated):
      asksForLooks = true
      try append(.require(.look(look, isNegated: isNegated)))
    }
  }

  private mutating func append(
    alternatives: [PatternNode], _ sets: inout SetNumbers
  ) throws(PatternError) {
    var jumps: [Int] = []
    for node in alternatives.dropLast() {
      let fork = instructions.count
      try append(.fork(0))
      try append(node, &sets)
      jumps.append(instructions.count)
      try append(.jump(0))
      instructions[fork] = .fork(instructions.count)
    }
    if let last = alternatives.last { try append(last, &sets) }
    for jump in jumps { instructions[jump] = .jump(instructions.count) }
  }

  private mutating func append(
    _ node: PatternNode, least: Int, most: Int?, _ sets: inout SetNumbers
  ) throws(PatternError) {
    for _ in 0..<least {
      let start = instructions.count
      try append(node, &sets)
      // What takes no instruction does so any number of times.
      if instructions.count == start { return }
    }
    guard let most else {
      let fork = instructions.count
      try append(.fork(0))
      try append(node, &sets)
      try append(.jump(fork))
      instructions[fork] = .fork(instructions.count)
      return
    }
    var forks: [Int] = []
    for _ in least..<max(most, least) {
      forks.append(instructions.count)
      try append(.fork(0))
      try append(node, &sets)
    }
    for fork in forks { instructions[fork] = .fork(instructions.count) }
  }
}

/// The sets of scalars that an expression speaks of, each with a number.
struct SetNumbers {
  private(set) var sets: [ScalarSet] = []
  private var numbers: [ScalarSet: Int] = [:]

  mutating func number(of set: ScalarSet) -> Int {
    if let number = numbers[set] { return number }
    numbers[set] = sets.count
    sets.append(set)
    return sets.count - 1
  }
}
