import POIKit
import POIToolSupport

extension ExportCommand {
  /// The table behind parsing, help, manual page, completions and reference.
  static let description = CommandDescription(
    name: "poi-export",
    version: ToolkitVersion.current,
    summary:
      "write the records of a store, what changed in them, or a store to ship",
    positional: .init("STORE", then: "FILE", help: "the same as --store STORE --output FILE"),
    options: [
      OptionDescription(
        "store", short: "s", "PATH", default: "poi.sqlite",
        summary: "a store of poi-import, or any SQLite database", section: "What to export",
        environmentVariable: "POI_STORE"),
      OptionDescription(
        "table", short: "t", "TABLE",
        summary: "the table or view (default: the store's only table of records that is not empty)",
        section: "What to export"),
      OptionDescription(
        "where", short: "w", "CONDITION", isRepeatable: true,
        summary: "only records that meet all conditions, such as \"city = 'Berlin' and area > 10\"",
        detail:
          "A comparison has the name of an attribute, one of = != < <= > >= ~ and a value, or like '%…', in ('…', '…') or "
          + "is null; ~ means \"contains, with letters of either case\". and, or, not and parentheses combine "
          + "comparisons. A value that is neither quoted nor a number runs to the end. name= is met by records "
          + "without a name. An attribute of a related record is category.name.",
        section: "What to export"),
      OptionDescription(
        "bbox", short: "b", "W,S,E,N",
        summary: "only records in this rectangle of longitudes and latitudes",
        detail: "W is greater than E if it crosses the 180th meridian: --bbox=177,-20,-178,-12.",
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
        choices: .cases { (form: Form) in
          switch form {
          case .ndjson: "one JSON object a line"
          case .json: "one JSON array, or an object if the model reads the names of its members"
          case .geojson: "a GeoJSON FeatureCollection, for maps"
          case .geojsonseq: "GeoJSON Features as a text sequence, for large maps"
          case .csv: "comma-separated values with a header, for spreadsheets"
          case .gpkg: "a GeoPackage with a spatial index, for QGIS and other programs for maps"
          }
        },
        summary: "the form of the records (default: by the end of FILE, else ndjson)",
        detail: "Without either, records that are members of one object are written as json.",
        section: "How to write it"),
      OptionDescription(
        "csv-safe",
        summary: "write an apostrophe before texts in CSV that a spreadsheet would run as formulas",
        detail:
          "They begin with = + - @ or a tab. An import reads the apostrophe as a part of the text.",
        section: "How to write it"),
      OptionDescription(
        "order", "NAME[,NAME…]", isRepeatable: true,
        summary: "the order of the records (default: by row id)",
        detail:
          "-NAME or NAME:desc is from the greatest to the least. Sorting takes memory or temporary files.",
        section: "How to write it"),
      OptionDescription(
        "output", short: "o", "FILE",
        summary: "a file, written as a whole or not at all (default: standard output, -)",
        detail:
          "The end of its name chooses the format: .ndjson, .json, .csv, .geojson, .geojsonseq or .gpkg. "
          + ".gz, .zst, .xz or .bz2 behind it compresses the file.",
        section: "How to write it"),
      OptionDescription(
        "check",
        summary:
          "read each written record again, as an import does, and say which ones the model refuses",
        detail: "It needs all attributes, as ndjson or json. The records are written all the same.",
        section: "How to write it"),
      .report, .html(with: "diff"),
      OptionDescription(
        "unsent",
        summary:
          "hand out the local changes of a tracked table that were not acknowledged, a line each",
        detail:
          "A line is {\"edition\":17,\"record\":{…}} or {\"edition\":18,\"removed\":{…}}. The store notes what is handed "
          + "out before the first line is written.",
        section: "Local changes"),
      OptionDescription(
        "status",
        summary:
          "count the records of tracked tables that are not synchronised, pending and synchronised",
        section: "Local changes"),
      OptionDescription(
        "diff", "OLD",
        summary:
          "write what changed from this store to STORE, a record a line; exit 1 if anything did",
        section: "Compare two stores"),
      OptionDescription(
        "key", short: "k", "NAME[,NAME…]", isRepeatable: true,
        summary: "the attributes that identify a record (default: the model's key)",
        section: "Compare two stores", with: "diff"),
      OptionDescription(
        "ignore", "NAME[,NAME…]", isRepeatable: true,
        summary: "attributes whose differences do not count, such as updatedAt",
        section: "Compare two stores", with: "diff"),
      OptionDescription(
        "ship", "FILE",
        summary: "write a compact store for an app, without rejects, archives and runs",
        section: "Ship a store"),
      OptionDescription(
        "index", "NAME[,NAME…]", isRepeatable: true,
        summary: "create an index over these attributes in it", section: "Ship a store",
        with: "ship"),
      OptionDescription(
        "spatial-index", summary: "index the coordinates or geometries as an R*Tree, TABLE_spatial",
        section: "Ship a store", with: "ship"),
      OptionDescription(
        "full-text", "NAME[,NAME…]", isRepeatable: true,
        summary: "index the words of these attributes with FTS5, TABLE_text",
        section: "Ship a store", with: "ship"),
    ],
    tasks: [
      TaskDescription("status", accepts: ["store", "trust-schema", "report"]),
      TaskDescription("unsent", accepts: ["store", "table", "output", "trust-schema", "report"]),
      TaskDescription(
        "diff",
        accepts: ["store", "table", "key", "ignore", "output", "trust-schema", "report", "html"]),
      TaskDescription(
        "ship",
        accepts: [
          "store", "table", "index", "spatial-index", "full-text", "trust-schema", "report",
        ]),
    ],
    exitCodes: [
      .done,
      .rejected.meaning(
        "done; a text is not UTF-8; with --check, the model refuses some records or reads other values; with --diff, the stores differ"
      ), .usage,
      .dataError.meaning("the schema needs --trust-schema"),
      .noInput.meaning("the store does not exist"), .internalError,
      .ioError.meaning("the store cannot be read, or the output cannot be written"),
      .interrupted.meaning("interrupted; a file named with --output or --ship was not written"),
    ],
    examples: [
      .init("poi-export > places.ndjson", "write all records, one a line"),
      .init("poi-export -o places.json.gz", "write a compressed JSON array"),
      .init(
        "poi-export -w city=Berlin -w 'updatedAt>=2026-01-01'",
        "only the newest records of one city"),
      .init("poi-export -s app.sqlite -t visit", "write a table of any SQLite database"),
      .init("poi-export --diff old.sqlite new.sqlite", "show what a delivery changed"),
      .init(
        "poi-export --ship app.sqlite --spatial-index --full-text name",
        "make the store that an app ships"),
    ])
}
