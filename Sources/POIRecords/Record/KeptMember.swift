/// The values at one place that their column cannot hold, and that are kept with the unmapped members.
package struct KeptMember: Sendable, Equatable {
  package var count = 0

  /// The first one, as JSON; only its beginning if it is long.
  package var example: String

  package init(count: Int = 0, example: String) {
    self.count = count
    self.example = example
  }

  package func adding(_ later: KeptMember) -> KeptMember {
    KeptMember(count: count + later.count, example: example)
  }
}
