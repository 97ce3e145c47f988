/// Writes a whole file of records with duplicates.
struct FileWriter {
  let options: Options

  func write(to output: inout OutputBuffer) throws(WriteError) {
    let records = RecordWriter(options: options)
    var random = SplitMix64(UInt64(options.seed))
    var placeCount = 0
    var duplicatesLeft = options.duplicateCount
    output.append(opening)
    if options.laterPercentage != nil { return try writeLater(records, to: &output) }
    for number in 0..<options.recordCount {
      if number > 0 { output.append(separator) }
      let recordsLeft = options.recordCount - max(number, 1)
      // The probability depends on what is left, so the number of duplicates is exact.
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
    try end(&output)
  }

  /// Writes the records of a later delivery.
  private func writeLater(
    _ records: RecordWriter, to output: inout OutputBuffer
  ) throws(WriteError) {
    var random = SplitMix64(UInt64(options.seed), 1)
    var (knownLeft, newCount) = (options.knownCount, 0)
    for number in 0..<options.recordCount {
      if number > 0 { output.append(separator) }
      if random.next(below: options.recordCount - number) < knownLeft {
        knownLeft -= 1
        // Every place once, in another order than in the first delivery: the factor is a prime that
        // divides no count in use.
        let place = knownLeft * 1_000_003 % options.recordCount
        records.append(
          place: place, version: .changed(number: number, hasFirstTimestamp: false), to: &output)
      } else {
        records.append(
          place: options.recordCount + newCount * 1_000_003 % options.recordCount, version: .first,
          to: &output)
        newCount += 1
      }
      try output.flushIfFull()
    }
    try end(&output)
  }

  private func end(_ output: inout OutputBuffer) throws(WriteError) {
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
