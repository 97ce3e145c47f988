/// The instructions of a nondeterministic automaton for a regular expression (K. Thompson, "Regular
/// expression search algorithm", 1968).
struct PatternProgram {
  enum Instruction {
    /// Reads a scalar of the set with this number; continues after this instruction.
    case read(Int)
    /// Continues there.
    case jump(Int)
    /// Continues both after this instruction and there.
    case fork(Int)
    /// Continues after this instruction if the condition holds.
    case require(Condition)
    case match
  }

  enum Condition {
    case first
    case last
    case wordBoundary(isNegated: Bool)
  }

  /// The most instructions of an expression; a repetition repeats the instructions of its content.
  static let instructionLimit = 100_000

  private(set) var instructions: [Instruction] = []

  private(set) var sets: [ScalarSet] = []

  private(set) var testsWordBoundaries = false

  /// - Throws: `PatternError` if the expression needs too many instructions.
  init(_ node: PatternNode) throws(PatternError) {
    try append(node)
    try append(.match)
    // Shorten chains of jumps. A jump to a later jump already has its final target.
    for index in instructions.indices.reversed() {
      if case .jump(let target) = instructions[index],
        case .jump(let end) = instructions[target]
      {
        instructions[index] = .jump(end)
      }
    }
  }

  /// Where the program continues after an instruction.
  func place(after place: Int) -> Int {
    if case .jump(let target) = instructions[place + 1] { target } else { place + 1 }
  }

  var isAnchored: Bool {
    if case .require(.first) = instructions[0] { true } else { false }
  }

  private mutating func append(_ instruction: Instruction) throws(PatternError) {
    guard instructions.count < Self.instructionLimit else {
      throw PatternError(
        message: "its repetitions expand to more than \(Self.instructionLimit) steps")
    }
    instructions.append(instruction)
  }

  private mutating func append(_ node: PatternNode) throws(PatternError) {
    switch node {
    case .scalar(let set):
      let known = sets.firstIndex(of: set)
      if known == nil { sets.append(set) }
      try append(.read(known ?? sets.count - 1))
    case .sequence(let nodes):
      for node in nodes { try append(node) }
    case .alternatives(let nodes): try append(alternatives: nodes)
    case .repetition(let node, let least, let most):
      try append(node, least: least, most: most)
    case .start: try append(.require(.first))
    case .end: try append(.require(.last))
    case .wordBoundary(let isNegated):
      testsWordBoundaries = true
      try append(.require(.wordBoundary(isNegated: isNegated)))
    }
  }

  private mutating func append(alternatives: [PatternNode]) throws(PatternError) {
    var jumps: [Int] = []
    for node in alternatives.dropLast() {
      let fork = instructions.count
      try append(.fork(0))
      try append(node)
      jumps.append(instructions.count)
      try append(.jump(0))
      instructions[fork] = .fork(instructions.count)
    }
    if let last = alternatives.last { try append(last) }
    for jump in jumps { instructions[jump] = .jump(instructions.count) }
  }

  private mutating func append(_ node: PatternNode, least: Int, most: Int?) throws(PatternError) {
    for _ in 0..<least {
      let start = instructions.count
      try append(node)
      // An empty node stays empty when it is repeated.
      if instructions.count == start { return }
    }
    guard let most else {
      let fork = instructions.count
      try append(.fork(0))
      try append(node)
      try append(.jump(fork))
      instructions[fork] = .fork(instructions.count)
      return
    }
    var forks: [Int] = []
    for _ in least..<max(most, least) {
      forks.append(instructions.count)
      try append(.fork(0))
      try append(node)
    }
    for fork in forks { instructions[fork] = .fork(instructions.count) }
  }
}
