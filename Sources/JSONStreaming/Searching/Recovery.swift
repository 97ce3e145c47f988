/// What is known of a malformed element while its end is being looked for.
struct Recovery {
  /// Where the element begins; in an object at its member's name.
  var start: Int

  /// What is wrong, as long as the element's end does not make it something else.
  var malformation: Malformation

  /// The place that reading goes on in, but for the comma.
  var place: Place

  var scanner: SiblingScanner
}
