struct Options {
  enum Format: String, CaseIterable {
    case array, ndjson, envelope, geojson
  }

  var recordCount = 1_000_000
  var duplicatePercentage = 12
  var exactPercentage = 0
  var tiePercentage = 0
  var laterPercentage: Int?
  var categoryCount = 200
  var seed = 1
  var format = Format.array
  var output: String?
  var isHelp = false
  var isExpectation = false

  /// The number of records of a later delivery that are versions of places of the first.
  var knownCount: Int { recordCount * (laterPercentage ?? 0) / 100 }

  /// The number of records that repeat an earlier identifier.
  var duplicateCount: Int {
    if laterPercentage != nil { return 0 }
    return min(recordCount * duplicatePercentage / 100, max(recordCount - 1, 0))
  }

  static let help = """
    usage: generate-poi [options]

    Writes made-up points of interest as JSON: the same bytes for the same options.

      --records N      how many records (1000000)
      --duplicates P   how many per cent of them repeat an identifier (12)
      --exact P        how many per cent of the duplicates repeat the whole record (0)
      --ties P         how many per cent of the duplicates repeat the timestamp with other content (0)
      --later P        a later delivery, without duplicates: P per cent of the records are changed
                       versions of places of the first (--duplicates 0), in another order, the
                       others are new
      --categories N   how many categories (200)
      --seed N         begins the random numbers (1)
      --format F       array, ndjson, envelope (the array at /data/pois) or geojson (array)
      --output FILE    where to write, instead of standard output
      --expect         writes the counts that an import and a deduplication must give, no records
      --help           this text
    """

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError` for the first invalid one.
  init(arguments: some Sequence<String>) throws(UsageError) {
    var rest = arguments.makeIterator()
    while let option = rest.next() {
      switch option {
      case "--help": isHelp = true
      case "--expect": isExpectation = true
      case "--records":
        recordCount = try Self.number(rest.next(), of: option, in: 0...Int.max / 100)
      case "--duplicates":
        duplicatePercentage = try Self.number(rest.next(), of: option, in: 0...99)
      case "--exact": exactPercentage = try Self.number(rest.next(), of: option, in: 0...100)
      case "--ties": tiePercentage = try Self.number(rest.next(), of: option, in: 0...100)
      case "--later":
        laterPercentage = try Self.number(rest.next(), of: option, in: 0...100)
      case "--categories":
        categoryCount = try Self.number(rest.next(), of: option, in: 1...1_000_000)
      case "--seed": seed = try Self.number(rest.next(), of: option, in: 0...Int.max)
      case "--format": format = try Self.format(rest.next())
      case "--output":
        guard let path = rest.next(), !path.isEmpty else {
          throw UsageError(message: "--output needs the path of a file")
        }
        output = path
      default: throw UsageError(message: "unknown option '\(option)'")
      }
    }
    guard exactPercentage + tiePercentage <= 100 else {
      throw UsageError(message: "--exact and --ties together exceed 100 per cent")
    }
  }

  private static func number(
    _ text: String?, of option: String, in range: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    guard let text, let number = Int(text), range.contains(number) else {
      throw UsageError(
        message: "\(option) needs a number from \(range.lowerBound) to \(range.upperBound), "
          + "not '\(text ?? "")'")
    }
    return number
  }

  private static func format(_ text: String?) throws(UsageError) -> Format {
    guard let format = Format(rawValue: text ?? "") else {
      let known = Format.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError(message: "--format needs one of \(known), not '\(text ?? "")'")
    }
    return format
  }
}

struct UsageError: Error {
  let message: String
}
