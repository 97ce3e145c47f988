/// Runs a program over texts, in one step for each scalar.
///
/// A state is the set of instructions that the program can be at. The automaton caches the transitions
/// between states, so a text similar to earlier ones costs a table lookup for each scalar (A. Aho,
/// R. Sethi, J. Ullman, "Compilers", 1986, section 3.7: lazy transition evaluation).
struct PatternAutomaton {
  /// The automaton drops all states at this number of transitions, or of places in all states.
  private static let sizeLimit = 1 << 18

  /// The most letters with cached transitions.
  private static let letterLimit = 1 << 15

  private struct State: Hashable {
    /// The instructions that come next, in ascending order.
    var places: [Int]
    var isFirst = false
    var isAfterWordCharacter = false
  }

  /// The row of the state without a possible match.
  private static let dead = 0

  private static let unknown: Int32 = -1

  private let program: PatternProgram

  private let isSearching: Bool

  private var states: [State] = []

  /// The row of each state: the index of its first transition.
  private var rows: [State: Int] = [:]

  private var placeCount = 0

  /// For each state and letter: twice the row of the next state, plus one if a match ends before the letter.
  private var transitions: [Int32] = []

  private var letterRoom = 0

  /// For each instruction, the last round of `compute` that reached it.
  private var rounds: [Int]
  private var round = 0
  private var open: [Int] = []

  init(_ program: PatternProgram) {
    self.program = program
    isSearching = !program.isAnchored
    rounds = Array(repeating: 0, count: program.instructions.count)
  }

  /// The most instructions that one scalar can reach.
  var stepCount: Int { program.instructions.count }

  var keptCount: Int { transitions.count + placeCount }

  mutating func matches(_ text: Span<UInt8>, _ alphabet: inout PatternAlphabet) -> Bool {
    if letterRoom == 0 { forget(&alphabet) }
    var offset = 0
    var row = letterRoom
    while row != Self.dead {
      let (letter, next) = Self.step(in: text, from: offset, &alphabet)
      if letter >= letterRoom, letterRoom < Self.letterLimit {
        row = forget(&alphabet, keeping: row)
      }
      var transition = letter < letterRoom ? transitions[row + letter] : Self.unknown
      if transition == Self.unknown {
        if max(transitions.count, placeCount) >= Self.sizeLimit {
          row = forget(&alphabet, keeping: row)
        }
        transition = compute(from: row, letter, alphabet)
      }
      if transition & 1 == 1 { return true }
      if letter == PatternAlphabet.end { return false }
      row = Int(transition >> 1)
      offset = next
    }
    return false
  }

  @inline(__always)
  private static func step(
    in text: Span<UInt8>, from offset: Int, _ alphabet: inout PatternAlphabet
  ) -> (letter: Int, next: Int) {
    guard offset < text.count else { return (PatternAlphabet.end, offset) }
    let (value, length) = text.scalar(at: offset)
    return (alphabet.letter(of: value), offset + length)
  }

  /// Drops all states except one, makes room for the known letters, and returns the new row of that state.
  @discardableResult
  private mutating func forget(_ alphabet: inout PatternAlphabet, keeping kept: Int? = nil) -> Int {
    let kept = kept.map { states[$0 / letterRoom] }
    // Spare room, so that few new letters cause another call.
    let count = alphabet.letterCount
    letterRoom = max(letterRoom, min(count + count / 4 + 4, Self.letterLimit))
    placeCount = 0
    states.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    transitions.removeAll(keepingCapacity: true)
    _ = row(of: State(places: []))
    let initial = row(of: State(places: [0], isFirst: true))
    return kept.map { row(of: $0) } ?? initial
  }

  private mutating func row(of state: State) -> Int {
    if let row = rows[state] { return row }
    let row = transitions.count
    rows[state] = row
    states.append(state)
    placeCount += state.places.count
    transitions.append(contentsOf: repeatElement(Self.unknown, count: letterRoom))
    return row
  }

  /// Computes a transition, and caches it if there is room for its letter.
  private mutating func compute(
    from row: Int, _ letter: Int, _ alphabet: borrowing PatternAlphabet
  ) -> Int32 {
    let state = states[row / letterRoom]
    let isWordCharacter = alphabet.isWordCharacter(letter)
    var next = State(places: [])
    var isMatch = false
    round += 1
    open.append(contentsOf: state.places)
    while let place = open.popLast() {
      guard rounds[place] != round else { continue }
      rounds[place] = round
      switch program.instructions[place] {
      case .read(let set):
        if letter != PatternAlphabet.end, alphabet.contains(set, letter) {
          next.places.append(program.place(after: place))
        }
      case .jump(let target): open.append(target)
      case .fork(let target):
        open.append(target)
        open.append(place + 1)
      case .require(let condition):
        let isMet =
          switch condition {
          case .first: state.isFirst
          case .last: letter == PatternAlphabet.end
          case .wordBoundary(let isNegated):
            (state.isAfterWordCharacter != isWordCharacter) != isNegated
          }
        if isMet { open.append(place + 1) }
      case .match: isMatch = true
      }
    }
    if isSearching { next.places.append(0) }
    next.places = Set(next.places).sorted()
    next.isAfterWordCharacter =
      program.testsWordBoundaries && isWordCharacter && !next.places.isEmpty
    let transition = Int32(self.row(of: next) << 1 | (isMatch ? 1 : 0))
    if letter < letterRoom { transitions[row + letter] = transition }
    return transition
  }
}

extension Span where Element == UInt8 {
  @inline(__always)
  fileprivate func scalar(at offset: Int) -> (value: UInt32, length: Int) {
    let lead = self[offset]
    if lead < 0x80 { return (UInt32(lead), 1) }
    let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    for index in offset + 1..<offset + length { value = value << 6 | UInt32(self[index] & 0x3F) }
    return (value, length)
  }
}
