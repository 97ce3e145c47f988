import POIFiles
import POIKit
import POIToolSupport

extension ImportCommand {
  /// The table behind parsing, help, manual page, completions and reference.
  static let description = CommandDescription(
    name: "poi-import",
    version: ToolkitVersion.current,
    summary: "stream records into a SQLite store: validated, in batches, resumable",
    positional: .init(
      "FILE", isRepeatable: true,
      help:
        "JSON or CSV to read: a file, an address, or '-' for standard input; compressed files, FILE.zip/MEMBER, Parquet, Excel "
        + "workbooks and maps are read through the program that knows them"),
    options: [
      OptionDescription(
        "store", short: "s", "PATH", default: "poi.sqlite",
        summary: "the SQLite store; created if it is missing",
        detail: "The database of another program is accepted, too. Tables are added to it; its own "
          + "tables and settings stay as they are.", section: "Input and store",
        environmentVariable: "POI_STORE"),
      OptionDescription(
        "model", short: "m", "FILE",
        summary: "the model: a JSON Schema file, or poi for the built-in one",
        detail: "The name of a table of the store is accepted, too, if there is no such file. "
          + "Without --model the store's own model is used: the one of its table poi, or of its "
          + "only table of records that is not empty. A new store gets the built-in model.",
        section: "Input and store"),
      OptionDescription(
        "table", short: "t", "TABLE",
        summary: "the table to import into (default: the model's table)",
        detail: "Without --model, the model of the store's table of that name is used.",
        section: "Input and store"),
      OptionDescription(
        "key", short: "k", "NAME[,NAME…]", isRepeatable: true,
        summary: "the attributes that identify a record (default: the model's key)",
        detail: "The table keeps the key for later imports.", section: "Input and store"),
      OptionDescription(
        "timestamp", "NAME",
        summary: "the attribute with the time of the last change (default: the model's timestamp)",
        detail:
          "The table keeps it for later imports. A text such as 02.11.2017 17:27 stays as it is.",
        section: "Input and store"),
      OptionDescription(
        "at", "POINTER",
        summary: "where the records are, such as /data/stations",
        detail: "A JSON pointer (RFC 6901) to an array of records, or to an object whose members "
          + "are records. The step * leads to every member or element: /groups/*/items names the arrays "
          + "of all groups, read one after the other (~2 is a * in a name). Without it, the records are the elements of the top-level array, the "
          + "lines, the features of a GeoJSON FeatureCollection, or the only array of objects "
          + "inside an envelope.",
        section: "Input and store"),
      OptionDescription(
        "header",
        summary: "read arrays as records; the first one has the names of the members",
        detail:
          "Arrays are the elements of an array, or lines. Without it, a header is detected in a "
          + "top-level array if the row after it has a value that is not a text.",
        section: "Input and store"),
      OptionDescription(
        "delimiter", "C",
        summary: "the inputs are rows of text delimited by C, such as ';' or tab",
        detail:
          "Without it, comma, TAB, ; and | are found by the first rows. The first row has the names of the "
          + "columns. An empty field is null, \"\" an empty text.",
        section: "Input and store"),
      OptionDescription(
        "columns", "NAME[,NAME…]", isRepeatable: true,
        summary: "the names of the columns of rows that have no header",
        section: "Input and store"),
      OptionDescription(
        "encoding", "NAME",
        choices: .cases { (encoding: TextEncoding) in
          encoding == .latin1 ? "ISO 8859-1" : "Latin 1 with the euro sign, as on Windows"
        },
        summary: "the encoding of the inputs (default: UTF-8, or UTF-16 with a byte-order mark)",
        section: "Input and store"),
      .trustSchema(section: "Input and store"),
      OptionDescription(
        "merge", "POLICY", choices: .cases { (policy: MergePolicy) in meaning(of: policy) },
        summary: "what to do with a record whose key is already stored (default: newest if the key "
          + "is enforced or with --snapshot, else append)",
        detail: "Any policy but append makes a new table enforce its key.",
        section: "Input and store"),
      OptionDescription(
        "ties", "RULE", choices: .cases { (rule: TieRule) in rule.meaning },
        summary:
          "which of two records wins if neither is newer (default: later if the model has no "
          + "timestamp, and in a snapshot; else digest)",
        detail:
          "The table keeps the rule for later imports. Only digest gives every device the same winner in "
          + "any order. The rule later selects --merge newest if no policy is named.",
        section: "Input and store"),
      OptionDescription(
        "null-key", "RULE",
        choices: .cases { (rule: DeduplicationOptions.NullKeyRule) in rule.meaning },
        summary:
          "what to do with records whose key contains null when they are merged (default: keep)",
        detail: "The table keeps the rule for later imports and poi-dedup.",
        section: "Input and store"),
      OptionDescription(
        "infer", "WHAT", choices: .cases { (inference: Inference) in meaning(of: inference) },
        implied: ImportCommand.Inference.import.rawValue,
        summary: "infer a model from the records of the FILEs, or of a pipe",
        detail:
          "The table is called after the first file. If the store has a table of that name, its "
          + "model is used instead. The first 16 MiB of all FILEs together decide; all records of files "
          + "do with =print and =strict, and if records are merged by an inferred key; or --limit N. The $comment members of a printed model say what was seen, what was guessed and what is "
          + "left to decide.",
        section: "Models"),
      OptionDescription(
        "widen",
        summary: "make the table accept what the records hold: null, other numbers, other types",
        detail:
          "The FILEs are checked first, and of standard input the first 16 MiB. A column of integers then "
          + "accepts numbers, and a column of text, numbers or JSON any value; a member may be missing unless it is "
          + "in the key.",
        section: "Models"),
      OptionDescription(
        "add-columns",
        summary: "give members that the model does not map columns, as --infer would",
        section: "Models"),
      OptionDescription(
        "print-model", "TABLE",
        summary: "print a model to start from: poi, or the model of a table of the store",
        detail: "No FILE is read.", section: "Models"),
      OptionDescription(
        "print-swift", summary: "print Swift structs for the records of the model; import nothing",
        detail: "A Swift program reads the table with them: store.rows(as: Poi.self).",
        section: "Models"),
      OptionDescription(
        "batch", short: "b", "N",
        summary: "records in one transaction (default: 500 to 5000, as many as come in 100 ms)",
        detail: "A killed import loses at most the records of one transaction, and --resume reads "
          + "them again.",
        section: "Batches and runs"),
      OptionDescription(
        "batch-bytes", "SIZE", default: "8MiB",
        summary: "end a batch early if its records take this much memory",
        section: "Batches and runs"),
      OptionDescription(
        "jobs", short: "j", "N", default: "2",
        summary: "threads: 2 write while the next batch is read",
        detail: "A dry run uses one thread. The result is the same with 1.",
        section: "Batches and runs"),
      OptionDescription(
        "limit", "N", summary: "read at most N records", section: "Batches and runs"),
      OptionDescription(
        "dry-run", short: "n", summary: "validate and report; store nothing",
        detail: "Of an existing store only the model is read. The report does not say how the "
          + "records would merge with stored ones.",
        section: "Batches and runs"),
      OptionDescription(
        "resume", summary: "continue an unfinished import after its last committed batch",
        detail: "Name the same inputs in the same order. The import is refused if an input is "
          + "missing, has another size, has changed in the part that was being read, or was imported to "
          + "its end. If there is no unfinished import, a new one begins.",
        section: "Batches and runs"),
      OptionDescription(
        "restart", summary: "give up an unfinished import of these inputs and begin again",
        detail: "Its committed rows stay. If the model has changed, unfinished imports of other "
          + "inputs can no longer be resumed.",
        section: "Batches and runs"),
      OptionDescription(
        "snapshot", summary: "the input is complete: remove stored rows whose key it lacks",
        detail: "Rows are marked if the model marks removed rows; otherwise they are archived and "
          + "deleted. poi-dedup --undo restores them. Nothing is removed if a record was rejected "
          + "or the input has no records.",
        section: "Deliveries"),
      OptionDescription(
        "max-removals", "N|P%", default: "20%",
        summary: "remove nothing if a snapshot would remove more rows than this",
        detail:
          "A percentage is relative to the number of rows before the snapshot. After a snapshot "
          + "that was refused, undone or did not end, the next one has to name another limit.",
        section: "Deliveries", with: "snapshot"),
      OptionDescription(
        "print-token", summary: "print what to ask the source for next; import nothing",
        detail: "It prints the latest timestamp and the key of its record, separated by tabs, or "
          + "the token that --token-at found. Before the first import it prints nothing.",
        section: "Deliveries"),
      OptionDescription(
        "forget", summary: "forget what to ask the source for next; import nothing",
        detail: "Then --print-token prints nothing until the next import, so that everything is "
          + "asked for.",
        section: "Deliveries"),
      OptionDescription(
        "token-at", "POINTER",
        summary: "where the source's own token is, such as /meta/next",
        detail: "A JSON pointer (RFC 6901) to a string, number or boolean outside the records. The "
          + "token is committed together with the last records of the input.",
        section: "Deliveries"),
      OptionDescription(
        "source", "NAME",
        summary: "the name of the source, if several sources feed one table",
        detail: "The store keeps one token per source.", section: "Deliveries"),
      OptionDescription(
        "rejects", "FILE",
        summary: "also write each rejected record to FILE as a line of JSON",
        detail: "The store's table poikit_reject holds the rejects in any case. A corrected reject "
          + "file can be imported like any other file.",
        section: "Rejects and limits"),
      OptionDescription(
        "max-rejects", "N|P%",
        summary: "stop with exit code 65 after more rejects than this",
        detail: "The limit is checked after each batch. Committed batches stay.",
        section: "Rejects and limits"),
      OptionDescription(
        "max-skew", "TIME|none", default: "1d",
        summary: "reject records whose timestamp is further in the future",
        detail: "Otherwise one wrong clock would win every merge. TIME is a number with s, m, h, d "
          + "or w.",
        section: "Rejects and limits"),
      OptionDescription(
        "max-record-bytes", "SIZE", default: "16MiB",
        summary: "reject larger records", section: "Rejects and limits"),
      OptionDescription(
        "max-string-bytes", "SIZE", default: "4MiB",
        summary: "reject records with a longer string", section: "Rejects and limits"),
      OptionDescription(
        "max-depth", "N", default: "128",
        summary: "reject records that are nested deeper", section: "Rejects and limits"),
      OptionDescription(
        "max-keys", "N", default: "10000",
        summary: "reject records with more members in one object", section: "Rejects and limits"),
      OptionDescription(
        "nan", "WHAT",
        choices: .cases { (reading: NaNReading) in
          reading == .null ? "read them as null" : "reject the record"
        },
        default: NaNReading.reject.rawValue,
        summary: "what NaN, Infinity and -Infinity are, which Python writes and JSON does not have",
        section: "Rejects and limits"),
      OptionDescription(
        "track",
        summary: "remember local changes of a table from now on, and keep them in later imports",
        detail:
          "A local change is what other programs insert, update and delete. The key of the table must be enforced. "
          + "Said again, it restores the triggers that a program has dropped.",
        section: "Local changes"),
      OptionDescription(
        "acknowledge",
        summary:
          "end the local changes that a server has: lines such as {\"key\":{\"id\":7},\"edition\":17}",
        detail:
          "Changes after that edition of poi-export --unsent stay. With \"record\":{…} in a line, that record replaces the "
          + "row.",
        section: "Local changes"),
      OptionDescription(
        "untrack", summary: "remember the local changes of a table no longer",
        section: "Local changes"),
      OptionDescription(
        "discard", "KEY", summary: "forget the local changes of a key, such as {\"id\":7}",
        detail: "The row stays until the next delivery, which replaces it, whatever the times.",
        section: "Local changes"),
      OptionDescription(
        "discard-all",
        summary: "forget all local changes; with --untrack, also those that were not acknowledged",
        section: "Local changes"),
      OptionDescription(
        "emit",
        summary: "judge each line of standard input and print what it is, without a store",
        detail:
          "For programs that split the work over machines. A line of the output has fields with tabs "
          + "between them; the last one has the sums.",
        section: "Many machines"),
      OptionDescription(
        "shards", "N", default: "1", summary: "number the shard of each record, by its key",
        section: "Many machines", with: "emit"),
      OptionDescription(
        "shard", "I/N",
        summary: "import only the records of shard I of N, from 0/N to N-1/N",
        detail:
          "All records are read and validated, and the records of other shards are counted as "
          + "elsewhere. The records of a key are in one shard. A table holds records of one shard only. "
          + "poi-dedup --digest adds the digests of the stores.",
        section: "Many machines"),
      .report, .html(),
    ],
    tasks: [
      TaskDescription("infer", Inference.print.rawValue, accepts: printingAccepts),
      TaskDescription("infer", Inference.strict.rawValue, accepts: printingAccepts),
      TaskDescription("print-model", accepts: ["store", "trust-schema"]),
      TaskDescription(
        "print-swift", accepts: ["store", "model", "table", "key", "timestamp", "trust-schema"]),
      TaskDescription(
        "emit",
        accepts: [
          "model", "table", "key", "timestamp", "shards", "max-skew", "max-record-bytes",
          "max-string-bytes", "max-depth", "max-keys", "nan",
        ]),
      TaskDescription(
        "acknowledge",
        accepts: [
          "store", "table", "rejects", "max-rejects", "max-record-bytes", "max-string-bytes",
          "max-depth", "max-keys",
          "trust-schema", "report",
        ]),
      TaskDescription("track", accepts: ["store", "table", "trust-schema"]),
      TaskDescription("discard", accepts: ["store", "table", "trust-schema"]),
      TaskDescription("untrack", accepts: ["store", "table", "discard-all", "trust-schema"]),
      TaskDescription("discard-all", accepts: ["store", "table", "untrack", "trust-schema"]),
      TaskDescription("print-token", accepts: ["store", "model", "source", "trust-schema"]),
      TaskDescription("forget", accepts: ["store", "model", "source", "trust-schema"]),
    ],
    exclusions: [
      ["model", "infer"], ["resume", "restart", "dry-run"], ["dry-run", "snapshot"],
      ["limit", "snapshot"], ["shard", "snapshot"], ["delimiter", "at"], ["delimiter", "header"],
      ["columns", "header"], ["delimiter", "token-at"],
    ],
    exitCodes: [
      .done, .rejected,
      .usage.meaning(
        "the command line, the model or the store does not fit the request"),
      .dataError.meaning(
        "the input is neither JSON nor rows of text, has too many rejects, conflicts with stored records under --merge "
          + "error, or is a snapshot that was refused; or the store's own schema refuses a change or "
          + "needs --trust-schema"),
      .noInput.meaning(
        "an input does not exist or cannot be opened, or the program that reads it is missing"),
      .internalError,
      .ioError.meaning(
        "reading or writing failed: the disk is full, a program that reads an input failed, or the "
          + "store is locked, damaged, moved, not a SQLite database, or changed by another program"),
      .interrupted,
    ],
    examples: [
      .init("poi-import --batch 500 data.json", "import into poi.sqlite"),
      .init(
        "poi-import -s bikes.sqlite -m bikes.json --at /data/stations all.json",
        "import other records, from inside an envelope"),
      .init("poi-import https://example.org/pois.json", "import a server's answer"),
      .init("poi-import --infer shelters.json", "import records of any kind"),
      .init(
        "poi-import --infer=print shelters.json > shelters.model.json",
        "write a model of these records, to correct it"),
      .init("poi-import --dry-run --rejects bad.ndjson data.json.gz", "only check a file"),
    ])

  /// The options beside `--infer=print`.
  private static let printingAccepts = [
    "table", "key", "timestamp", "at", "header", "delimiter", "columns", "encoding", "limit",
    "max-skew", "max-record-bytes",
    "max-string-bytes", "max-depth", "max-keys", "nan",
  ]

  private static func meaning(of inference: Inference) -> String {
    switch inference {
    case .import: "import the records with it"
    case .print: "print it and import nothing"
    case .strict: "print one that fits only records like these, and import nothing"
    }
  }

  private static func meaning(of policy: MergePolicy) -> String {
    switch policy {
    case .append: "add it beside the stored one, unless the key is enforced"
    case .newest: "keep the record that is newer, as a whole"
    case .objectTrump: "overwrite the attributes that the record names"
    case .storeTrump: "fill only attributes that are NULL in the store"
    case .overwrite: "overwrite all attributes; missing ones become NULL or their default"
    case .rollback: "ignore the record and count it"
    case .error: "stop at this batch and name the keys"
    case .newestByProperty: "keep the newest value of each attribute"
    }
  }
}
