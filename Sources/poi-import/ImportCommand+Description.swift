import POIKit
import ToolSupport

extension ImportCommand {
  /// The table that parsing, help, manual page, completions and the README follow.
  static let description = CommandDescription(
    name: "poi-import",
    version: POIKitVersion.current,
    summary: "stream records from JSON into a SQLite store: validated, in batches, resumable",
    positional: PositionalDescription(
      "FILE", .zeroOrMore,
      help: "JSON to read; '-' is standard input; .gz, .zst, .xz and .bz2 are decompressed"),
    options: [
      OptionDescription(
        "store", short: "s", .value("PATH"), default: "poi.sqlite",
        summary: "the SQLite store; made if it is missing", section: "Input and store",
        environmentVariable: "POI_STORE"),
      OptionDescription(
        "model", short: "m", .value("FILE"),
        summary: "what a record is: a JSON Schema with x- keywords, or poi, the built-in one",
        detail: "Where there is no file of the name, it may be that of a table of the store. By "
          + "default the model of the store's table poi, or of its only table of records, or, where "
          + "it has none, the built-in one.",
        section: "Input and store"),
      OptionDescription(
        "at", .value("POINTER"),
        summary: "where the records stand, such as /data/stations",
        detail: "A JSON pointer (RFC 6901) to an array of records, or to an object whose members "
          + "are records. Without it a top-level array, newline-delimited records, a GeoJSON "
          + "FeatureCollection or the only array of objects of an envelope is found; an envelope "
          + "with an empty array and none of objects has no records.",
        section: "Input and store"),
      .trustSchema(section: "Input and store"),
      OptionDescription(
        "merge", .choice(MergePolicy.allCases.map(\.rawValue)),
        summary: "what happens when a record meets a stored one with the same key",
        detail:
          "By default newest where the key is enforced and for a snapshot, else append. Any other "
          + "than append makes a new table enforce its key.",
        section: "Input and store"),
      OptionDescription(
        "infer", summary: "print a model that fits the records of the FILEs, and import nothing",
        detail: "All records are read, or --limit N. What was seen, what was guessed and what is "
          + "left to decide stands in the model's $comment members.",
        section: "Models"),
      OptionDescription(
        "print-model", .value("NAME"),
        summary: "print a model to start from: poi, the built-in one, or that of a table of the "
          + "store",
        detail: "It reads no FILE.", section: "Models"),
      OptionDescription(
        "batch", short: "b", .value("N"), default: "500",
        summary: "records in one transaction", section: "Batches"),
      OptionDescription(
        "batch-bytes", .value("SIZE"), default: "8MiB",
        summary: "bytes that they take in memory; whichever comes first", section: "Batches"),
      OptionDescription(
        "jobs", short: "j", .value("N"), default: "2",
        summary: "threads: 1, 2 to write while the next batch is read, or 3 to parse ahead, too",
        detail: "In a dry run 2 parse ahead. What comes out is the same.", section: "Batches"),
      OptionDescription(
        "limit", .value("N"), summary: "read at most N records", section: "Batches"),
      OptionDescription(
        "dry-run", short: "n", summary: "validate and report, without a store",
        detail: "What would become of the records in a store is not looked at. One that is there "
          + "only tells its model, where --model names none.",
        section: "Batches"),
      OptionDescription(
        "resume", summary: "go on after the last committed batch of an unfinished import",
        detail:
          "Name the same inputs in the same order; one that is left out is refused. So is one that has "
          + "another size than when it was begun, and the one that was being read where the bytes that "
          + "were read have changed. Other changes are not seen.",
        section: "Batches"),
      OptionDescription(
        "restart", summary: "give up an unfinished import and begin again; its rows stay",
        detail:
          "Only that of the inputs named. With another model, unfinished imports of other inputs "
          + "cannot be resumed any more, only begun again.",
        section: "Batches"),
      OptionDescription(
        "snapshot", summary: "the input is the complete set: remove rows whose key it lacks",
        detail: "They are marked where the model marks removed rows, and otherwise archived and "
          + "deleted; poi-dedup --undo puts them back. Nothing is removed where a record was rejected "
          + "or there is none.",
        section: "Incremental updates"),
      OptionDescription(
        "max-removals", .value("N|P%"), default: "20%",
        summary: "remove nothing where a snapshot lacks more rows than that",
        detail: "A percentage is of the rows that were there before it.",
        section: "Incremental updates", with: "snapshot"),
      OptionDescription(
        "print-token", summary: "print what to ask the source for next, and import nothing",
        detail: "The timestamp of the record that was changed last and, behind tabs, its key; or "
          + "what stood at --token-at. Nothing before the first import.",
        section: "Incremental updates"),
      OptionDescription(
        "token-at", .value("POINTER"),
        summary: "where the source's own token stands, such as /meta/next",
        detail:
          "A JSON pointer (RFC 6901) to a string, number or boolean beside the records. It is "
          + "kept in the transaction of the input's last records.",
        section: "Incremental updates"),
      OptionDescription(
        "source", .value("NAME"),
        summary: "what the input comes from, where several servers feed one table",
        detail: "The store keeps a token for each.", section: "Incremental updates"),
      OptionDescription(
        "rejects", .value("FILE"),
        summary: "write each rejected record as a line of JSON, too",
        detail: "The store's table poikit_reject holds them as well. A corrected file can be "
          + "imported like any other.",
        section: "Rejects and limits"),
      OptionDescription(
        "max-rejects", .value("N|P%"),
        summary: "stop with exit code 65 beyond so many rejects",
        detail: "Looked at after each batch, which stays committed.",
        section: "Rejects and limits"),
      OptionDescription(
        "max-skew", .value("TIME|none"), default: "1d",
        summary: "reject a record whose timestamp is further ahead of the clock",
        detail: "One wrong clock would win for ever. TIME is a number with s, m, h, d or w.",
        section: "Rejects and limits"),
      OptionDescription(
        "max-record-bytes", .value("SIZE"), default: "16MiB",
        summary: "reject a larger record", section: "Rejects and limits"),
      OptionDescription(
        "max-string-bytes", .value("SIZE"), default: "4MiB",
        summary: "reject a record with a longer string", section: "Rejects and limits"),
      OptionDescription(
        "max-depth", .value("N"), default: "128",
        summary: "reject a record that is nested deeper", section: "Rejects and limits"),
      OptionDescription(
        "max-keys", .value("N"), default: "10000",
        summary: "reject a record with more members in one object", section: "Rejects and limits"),
      .report,
    ],
    tasks: [
      TaskDescription(
        "infer",
        heeds: [
          "at", "limit", "max-skew", "max-record-bytes", "max-string-bytes", "max-depth",
          "max-keys",
        ]),
      TaskDescription("print-model", heeds: ["store", "trust-schema"]),
      TaskDescription("print-token", heeds: ["store", "model", "source", "trust-schema"]),
    ],
    exclusions: [
      ["resume", "restart", "dry-run"], ["dry-run", "snapshot"], ["limit", "snapshot"],
    ],
    exitCodes: [
      .done, .rejected,
      .usage.meaning(
        "the command line, the model or the store cannot be used so, or the store's schema calls "
          + "what only --trust-schema allows"),
      .dataError.meaning(
        "the input cannot be read as JSON, has more rejects than allowed, meets stored records with "
          + "--merge error, or is a snapshot that must not remove what it lacks"),
      .noInput.meaning("an input is missing or may not be read"), .internalError, .ioError,
      .interrupted,
    ],
    examples: [
      .init("poi-import --batch 500 data.json", "import into poi.sqlite"),
      .init(
        "poi-import --store bikes.sqlite --model bikes.json --at /data/stations stations.json",
        "records of another kind, inside an envelope"),
      .init("curl -s https://example.org/pois | poi-import -", "import what a server answers"),
      .init("poi-import --infer places.json > places.model.json", "write a model of other records"),
      .init("poi-import --dry-run --rejects bad.ndjson data.json.gz", "only look what is wrong"),
    ])
}
