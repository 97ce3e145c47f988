/// A text compared by Unicode scalars; `String` also equals canonically equivalent texts.
package struct ExactText: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.isExactly(right.text)
  }

  package static func < (left: ExactText, right: ExactText) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}

extension String {
  /// Whether both texts have the same Unicode scalars.
  package func isExactly(_ other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}

extension Sequence where Element == String {
  /// Whether one of the texts has the same Unicode scalars as `text`.
  package func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}
