internal import JSONStreaming

/// Why the records of an input cannot be found.
extension ImportError {
  /// The survey of an input that cannot be read twice came to no end.
  static func unknownPlace(in input: String) -> ImportError {
    ImportError(
      .unreadable,
      "\(input): the place of the records is not known after "
        + "\(ImportSession.surveyLimit >> 20) MiB of an input that cannot be read twice; "
        + "name it with --at")
  }

  /// The records may stand in several arrays.
  static func ambiguousPlace(
    _ candidates: [ShapeSurvey.Candidate], in input: String
  ) -> ImportError {
    let list = candidates.map { "\($0.pointer) (\($0.elementCount))" }
    return ImportError(
      .unreadable,
      "\(input): the records may stand in several arrays: " + list.joined(separator: ", ")
        + "; name one with --at")
  }
}
