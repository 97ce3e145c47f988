@testable import POIToolSupport

extension CommandDescription {
  static let example = CommandDescription(
    name: "sift-sand",
    version: "1.2.3",
    summary: "sort grains of sand by size",
    positional: .init(
      "FILE", isRepeatable: true, help: "what to sift; - is standard input"),
    options: [
      OptionDescription(
        "mesh", short: "m", "N", default: "500",
        summary: "the width of a hole", detail: "A mesh wears out. It's replaced [rarely].",
        section: "Sifting"),
      OptionDescription(
        "order",
        "ORDER",
        choices: [
          .init(word: "fine", meaning: "the fine ones"),
          .init(word: "coarse", meaning: "the coarse ones"),
        ],
        default: "fine", summary: "which grains come first", section: "Sifting"),
      OptionDescription(
        "key", short: "k", "NAME[,NAME]", isRepeatable: true,
        summary: "what tells one grain from another", section: "Sifting"),
      OptionDescription(
        "dry-run", short: "n", summary: "look at the sand and touch nothing", section: "Sifting"),
      OptionDescription(
        "heap", short: "o", "PATH", default: "heap.sand", summary: "where the sand goes",
        section: "Heap", environmentVariable: "SAND_HEAP"),
      OptionDescription(
        "limit", "N", summary: "stop after so many grains", section: "Heap"),
      OptionDescription.report,
    ],
    exitCodes: [.done, .dataError.meaning("the sand is wet"), .interrupted],
    examples: [
      Example("sift-sand --mesh 20 beach.sand", "sort a beach by grains of up to 20 micrometres")
    ])

  static func parse(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws(UsageError) -> ParsedArguments {
    try example.parse(arguments, environment: environment)
  }
}
