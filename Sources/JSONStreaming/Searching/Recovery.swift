/// What is known of a malformed element while the next sibling is being looked for.
struct Recovery {
  enum Search {
    /// Whether a sequence holds one element a line is being found out.
    case lineMode(LineModeProbe)
    case sibling(SiblingScanner)
    /// There is nothing to look for: reading goes on at the end of the input.
    case none
  }

  /// Where the element begins; in an object at its member's name.
  var start: Int

  var failure: ParseFailure

  /// What is wrong, as long as the element's end does not make it something else.
  var malformation: Malformation

  /// The place that reading goes on in, but for the comma.
  var place: Place

  var search: Search
}
