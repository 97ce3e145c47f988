/// Puts records together to a whole file, duplicates among them.
struct FileWriter {
  let options: Options

  /// Writes the file to `output`.
  func write(to output: inout OutputBuffer) throws(WriteError) {
    let records = RecordWriter(options: options)
    var random = SplitMix64(UInt64(options.seed))
    var placeCount = 0
    var duplicatesLeft = options.duplicateCount
    output.append(opening)
    for number in 0..<options.recordCount {
      if number > 0 { output.append(separator) }
      let recordsLeft = options.recordCount - max(number, 1)
      // Each of the records left has the same chance, so the duplicates come out exactly.
      if number > 0, random.next(below: recordsLeft) < duplicatesLeft {
        duplicatesLeft -= 1
        let place = random.next(below: placeCount)
        let version = version(of: number, lot: random.next(below: 100))
        records.append(place: place, version: version, to: &output)
      } else {
        records.append(place: placeCount, version: .first, to: &output)
        placeCount += 1
      }
      try output.flushIfFull()
    }
    if options.recordCount > 0 { output.append("\n") }
    output.append(closing)
    try output.flush()
  }

  private func version(of number: Int, lot: Int) -> RecordWriter.Version {
    if lot < options.exactPercentage { return .first }
    let isTie = lot < options.exactPercentage + options.tiePercentage
    return .changed(number: number, hasFirstTimestamp: isTie)
  }

  private var opening: StaticString {
    switch options.format {
    case .array: "[\n"
    case .ndjson: ""
    case .envelope: "{\"meta\":{\"source\":\"made up\"},\"data\":{\"pois\":[\n"
    case .geojson: "{\"type\":\"FeatureCollection\",\"features\":[\n"
    }
  }

  private var separator: StaticString { options.format == .ndjson ? "\n" : ",\n" }

  private var closing: StaticString {
    switch options.format {
    case .array: "]\n"
    case .ndjson: ""
    case .envelope: "]}}\n"
    case .geojson: "]}\n"
    }
  }
}
