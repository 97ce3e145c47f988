internal import JSONStreaming

/// What was read of the inputs.
struct InputProgress {
  /// The inputs begun so far, by name; the last one is being read.
  var inputs: [ImportReport.Input] = []

  /// How many of `inputs` were read to their end.
  var finishedInputCount = 0

  /// The position in the input being read.
  var position = ReadingPosition.start

  /// The size of the input being read, where it is known, in bytes.
  var byteCount: Int? { inputs.last?.byteCount }

  /// The name of the input being read.
  var inputName: String { inputs.last?.name ?? "" }

  /// The name of the input that a record stands in.
  func inputName(of origin: RecordOrigin) -> String {
    origin.inputIndex.map { inputs[$0].name } ?? inputName
  }
}
