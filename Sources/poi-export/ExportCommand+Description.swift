import POIKit
import ToolSupport

extension ExportCommand {
  /// The table behind parsing, help, manual page, completions and reference.
  static let description = CommandDescription(
    name: "poi-export",
    version: ToolkitVersion.current,
    summary:
      "write the records of a store as JSON, in the form that they were imported from, or GeoJSON",
    positional: .init("STORE", help: "the same as --store STORE"),
    options: [
      OptionDescription(
        "store", short: "s", "PATH", default: "poi.sqlite",
        summary: "a store of poi-import, or any SQLite database", section: "What to export",
        environmentVariable: "POI_STORE"),
      OptionDescription(
        "table", short: "t", "NAME",
        summary: "the table or view (default: the store's only table of records that is not empty)",
        section: "What to export"),
      OptionDescription(
        "where", short: "w", "CONDITION", isRepeatable: true,
        summary: "only records that meet all conditions, such as city=Berlin",
        detail:
          "A condition is the name of an attribute, one of = != < <= > >= ~ and a value; ~ means "
          + "\"contains, with letters of either case\". name= is met by records without a name. An "
          + "attribute of a related record is category.name.",
        section: "What to export"),
      OptionDescription(
        "columns", short: "c", "NAME[,NAME…]", isRepeatable: true,
        summary: "only these attributes (default: all, and the unmapped members)",
        section: "What to export"),
      OptionDescription(
        "limit", "N", summary: "at most N records", section: "What to export"),
      .trustSchema(section: "What to export"),
      OptionDescription(
        "format", short: "f", "FORMAT",
        choices: .cases { (format: ExportOptions.Format) in
          switch format {
          case .ndjson: "one JSON object a line"
          case .json: "one JSON array, or an object if the model reads the names of its members"
          case .geojson: "a GeoJSON FeatureCollection, for maps"
          case .geojsonseq: "GeoJSON Features as a text sequence, for large maps"
          }
        },
        default: ExportOptions.Format.ndjson.rawValue, summary: "the form of the records",
        section: "How to write it"),
      OptionDescription(
        "order", "NAME[,NAME…]", isRepeatable: true,
        summary: "the order of the records (default: by row id)",
        detail: "-NAME is from the greatest to the least. Sorting takes memory or temporary files.",
        section: "How to write it"),
      OptionDescription(
        "output", short: "o", "FILE",
        summary: "a file, written as a whole or not at all (default: standard output)",
        detail: "A name that ends in .gz, .zst, .xz or .bz2 compresses it.",
        section: "How to write it"),
      .report,
    ],
    exitCodes: [
      .done,
      .rejected.meaning(
        "done; some records are not what their rows hold: their model refuses them or reads other values, or a text is not UTF-8"
      ), .usage,
      .dataError.meaning("the schema needs --trust-schema"),
      .noInput.meaning("the store does not exist"), .internalError,
      .ioError.meaning("the store cannot be read, or the output cannot be written"),
      .interrupted.meaning("interrupted; a file named with --output was not written"),
    ],
    examples: [
      .init("poi-export > places.ndjson", "write all records, one a line"),
      .init("poi-export -f json -o places.json.gz", "write a compressed JSON array"),
      .init(
        "poi-export -w city=Berlin -w 'updatedAt>=2026-01-01'",
        "only the newest records of one city"),
      .init("poi-export -s app.sqlite -t visit", "write a table of any SQLite database"),
    ])
}
