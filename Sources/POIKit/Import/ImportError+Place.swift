package import JSONStreaming

/// Why the records of an input cannot be found.
extension ImportError {
  /// The survey of an input that cannot be read twice came to no end.
  package static func unknownPlace(in input: String) -> ImportError {
    ImportError(
      .unreadable,
      "\(input): the place of the records is not known after "
        + "\(ImportSession.surveyLimit >> 20) MiB of an input that cannot be read twice; "
        + "name it with --at")
  }

  /// How many of several places a message lists, and how many characters of each.
  private static let listLimit = 10
  private static let pointerLimit = 200

  /// The records may stand in several arrays, or in none of those that there are.
  package static func ambiguousPlace(
    _ candidates: [ShapeSurvey.Candidate], in input: String
  ) -> ImportError {
    let list = candidates.prefix(listLimit).map { candidate in
      let pointer = candidate.pointer.description
      let shown = pointer.unicodeScalars.prefix(pointerLimit)
      return String(shown) + (shown.endIndex < pointer.endIndex ? "…" : "")
        + " (\(candidate.elementCount))"
    }
    let otherCount = candidates.count - list.count
    let places =
      list.joined(separator: ", ") + (otherCount > 0 ? " and \(otherCount) more" : "")
    let message =
      switch candidates.count(where: { $0.elementCount > 0 }) {
      case 0:
        "the records may stand in \(places), or be members of an object; name their place with --at"
      case 1:
        "no object in an array has a member that the model reads: the records may stand in "
          + "\(places); name their place with --at"
      default: "the records may stand in several arrays: \(places); name one with --at"
      }
    return ImportError(.unreadable, "\(input): \(message)")
  }
}
