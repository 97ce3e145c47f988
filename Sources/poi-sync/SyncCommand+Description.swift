import POIKit
import POIToolSupport

extension SyncCommand {
  /// The table behind parsing, help, manual page, completions and reference.
  static let description = CommandDescription(
    name: "poi-sync",
    version: ToolkitVersion.current,
    summary: "let a table of a store and a server agree, in both directions",
    options: [
      OptionDescription(
        "store", short: "s", "PATH", default: "poi.sqlite", summary: "the store",
        section: "What to synchronise", environmentVariable: "POI_STORE"),
      OptionDescription(
        "table", short: "t", "NAME",
        summary: "the table (default: the store's only table of records that is not empty)",
        section: "What to synchronise"),
      OptionDescription(
        "model", short: "m", "MODEL",
        summary: "the model of a table that does not exist yet: a file, or poi, the built-in model",
        section: "What to synchronise"),
      .trustSchema(section: "What to synchronise"),
      OptionDescription(
        "server", "URL",
        summary: "the address before /pull and /push (default: the one of the last cycle)",
        detail: "It is kept in the store. http:// is only for this machine.", section: "The server"),
      OptionDescription(
        "headers", "FILE",
        summary: "send the lines of this file as headers, such as Authorization: Bearer …",
        detail: "They are kept nowhere, and no command line shows them.", section: "The server"),
      OptionDescription(
        "allow-http", summary: "send records and headers to other machines without encryption",
        section: "The server"),
      OptionDescription(
        "page", "N", default: "10000", summary: "ask for N records in a request",
        section: "The server"),
      OptionDescription(
        "batch", "N", default: "1000", summary: "send at most N records in a request",
        section: "The server"),
      OptionDescription(
        "every", "SECONDS",
        summary: "go on with a cycle every SECONDS, and at once after a local change",
        detail: "If the server cannot be reached, it waits longer each time, up to 5 minutes.",
        section: "When"),
      OptionDescription(
        "status", summary: "show how many records are in which state, and what the server refused",
        section: "Other tasks"),
      OptionDescription(
        "start-over",
        summary: "forget the server's versions, and offer all records and removals again",
        section: "Other tasks"),
      .report,
    ],
    tasks: [
      TaskDescription("status", accepts: ["store", "trust-schema", "report"]),
      TaskDescription("start-over", accepts: ["store", "table", "trust-schema"]),
    ],
    exitCodes: [
      .done, .rejected.meaning("done; the server refused some records, or the model some of its"),
      .usage, .dataError.meaning("the server answers something else than the protocol says"),
      .noInput.meaning("the store does not exist, and no model is named"), .internalError, .ioError,
      .unreachable, .noPermission,
      .interrupted.meaning("interrupted; what was taken over or sent stays"),
    ],
    examples: [
      .init(
        "poi-sync --server https://example.org/pois --model poi",
        "make a table from a server's records, and track it"),
      .init("poi-sync", "pull what changed there, and push what changed here"),
      .init("poi-sync --every 20 --headers token.txt", "keep the store and the server equal"),
      .init("poi-sync --status", "see what was not sent, and what was refused"),
    ])
}
