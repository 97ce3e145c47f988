import JSONStreaming
import POITestSupport
import Testing

@testable import POIRecords

/// Compares equality on the tape with a simple rule: repeated names in an object correspond in their
/// order.
@Suite struct TapeEqualityTests {
  private indirect enum Value {
    case number(Int)
    case array([Value])
    case object([(name: String, value: Value)])

    var text: String {
      switch self {
      case .number(let number): String(number)
      case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
      case .object(let members):
        "{" + members.map { "\"\($0.name)\":\($0.value.text)" }.joined(separator: ",") + "}"
      }
    }

    static func areEqual(_ left: Value, _ right: Value) -> Bool {
      switch (left, right) {
      case (.number(let left), .number(let right)): return left == right
      case (.array(let left), .array(let right)):
        return left.count == right.count && zip(left, right).allSatisfy { areEqual($0, $1) }
      case (.object(let left), .object(let right)):
        guard left.count == right.count else { return false }
        for (place, member) in left.enumerated() {
          let earlierCount = left[..<place].filter { $0.name == member.name }.count
          let others = right.filter { $0.name == member.name }
          guard earlierCount < others.count,
            areEqual(member.value, others[earlierCount].value)
          else { return false }
        }
        return true
      default: return false
      }
    }

    /// A value from few names and numbers, so that many of them are repeated.
    static func random(depth: Int, using generator: inout SplitMix64) -> Value {
      let count = [3, 16, 17, 18, 40].randomElement(using: &generator)!
      switch Int.random(in: 0..<(depth > 0 ? 4 : 1), using: &generator) {
      case 0: return .number(Int.random(in: 0..<2, using: &generator))
      case 1: return .array((0..<3).map { _ in random(depth: depth - 1, using: &generator) })
      default:
        let nameCount = Int.random(in: 1...(count * 4), using: &generator)
        return .object(
          (0..<count).map { _ in
            let name = Int.random(in: 0..<nameCount, using: &generator)
            return ("n\(name)", random(depth: depth - 1, using: &generator))
          })
      }
    }

    /// The same value with some members reordered, and perhaps one value or name changed.
    func changed(using generator: inout SplitMix64) -> Value {
      switch self {
      case .number(let number):
        return .number(Int.random(in: 0..<40, using: &generator) == 0 ? number + 1 : number)
      case .array(let elements): return .array(elements.map { $0.changed(using: &generator) })
      case .object(var members):
        for place in members.indices {
          members[place].value = members[place].value.changed(using: &generator)
        }
        let first = Int.random(in: members.indices, using: &generator)
        if Int.random(in: 0..<4, using: &generator) == 0 {
          members[first...].shuffle(using: &generator)
        } else {
          // Members with the same name keep their order.
          let seed = generator.next()
          let ranks = members.map { member in
            var own = SplitMix64(
              seed: seed ^ UInt64(member.name.utf8.reduce(0) { $0 * 31 + Int($1) }))
            return own.next()
          }
          let order = (first..<members.count).sorted { (ranks[$0], $0) < (ranks[$1], $1) }
          members[first...] = order.map { members[$0] }[...]
        }
        if Int.random(in: 0..<20, using: &generator) == 0 { members[first].name += "x" }
        return .object(members)
      }
    }
  }

  private static func tape(_ text: String) throws -> TapeCopy {
    var reader = ElementReader(shape: .sequence, isResumable: false)
    reader.append(Array(text.utf8).span)
    reader.finish()
    let isFound = reader.findValue()
    try #require(isFound)
    return TapeCopy(reader)
  }

  private static func areEqual(_ left: String, _ right: String) throws -> Bool {
    let (left, right) = (try tape(left), try tape(right))
    return left.tape.hasValue(at: 0, equalTo: 0, of: right.tape)
  }

  @Test func `random values are equal exactly if the simple rule says so`() throws {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    var equalCount = 0
    let count = 600
    for _ in 0..<count {
      let left = Value.random(depth: 2, using: &generator)
      let right = left.changed(using: &generator)
      let expected = Value.areEqual(left, right)
      if expected { equalCount += 1 }
      let found = try Self.areEqual(left.text, right.text)
      #expect(found == expected, "seed \(seed): \(left.text) \(right.text)")
    }
    #expect(equalCount > count / 10 && equalCount < count * 9 / 10, "seed \(seed): \(equalCount)")
  }

  /// The member names of two objects, with values numbered in order, and whether the objects are equal.
  @Test(arguments: [
    ((0..<10_000).map { "n\($0)" }, true), (Array(repeating: "n", count: 10_000), false),
    ((0..<10_000).map { "n\($0 / 2)" }, false),
  ])
  func `large objects with members in the opposite order are compared`(
    names: [String], areEqual: Bool
  ) throws {
    let members = names.enumerated().map { "\"\($1)\":\($0)" }
    let left = "{" + members.joined(separator: ",") + "}"
    let right = "{" + members.reversed().joined(separator: ",") + "}"
    #expect(try Self.areEqual(left, right) == areEqual)
    let other = "{" + members.reversed().dropLast().joined(separator: ",") + ",\"m\":0}"
    #expect(try Self.areEqual(left, other) == false)
  }
}
