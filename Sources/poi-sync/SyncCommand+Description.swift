import POIKit
import POIToolSupport

extension SyncCommand {
  /// The table behind parsing, help, manual page, completions and reference.
  static let description = CommandDescription(
    name: "poi-sync",
    version: ToolkitVersion.current,
    summary: "let a table of a store and a server agree, in both directions, or only pull it",
    options: [
      OptionDescription(
        "store", short: "s", "PATH", default: "poi.sqlite", summary: "the store",
        section: "What to synchronise", environmentVariable: "POI_STORE"),
      OptionDescription(
        "table", short: "t", "TABLE",
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
        "pull", "URL",
        summary: "only pull, from a server without these routes: the address of its records",
        detail:
          "{token} is replaced by the token of the last pull, {key} by the key beside a latest timestamp, {page} by "
          + "the token of the next page. A parameter is left out as long as what it needs is missing. It is kept with "
          + "the options below.", section: "A server that is only pulled"),
      OptionDescription(
        "at", "POINTER", summary: "where the records are, such as /items",
        section: "A server that is only pulled",
        with: "pull"),
      OptionDescription(
        "token-at", "POINTER",
        summary: "where the token for the next pull is (default: the latest timestamp)",
        section: "A server that is only pulled", with: "pull"),
      OptionDescription(
        "next-at", "POINTER", summary: "where the address or token of the next page is",
        section: "A server that is only pulled", with: "pull"),
      OptionDescription(
        "overlap", "SPAN",
        summary: "ask for records from this span before the token, which is a time",
        section: "A server that is only pulled", with: "pull"),
      OptionDescription(
        "ids", "URL", summary: "the address of a list of all keys: remove rows that it lacks",
        section: "A server that is only pulled", with: "pull"),
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
        "max-removals", "N|P%",
        summary:
          "fail if the server removed more rows than this (default: 20% with --ids, else all)",
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
        "dry-run", summary: "show what a cycle would do, with a copy of the store; send nothing",
        section: "Other tasks"),
      OptionDescription(
        "check-server", "URL", summary: "say which duties of the protocol a server does not keep",
        detail: "It reads some records, of the model or the table.", section: "Other tasks"),
      OptionDescription(
        "write",
        summary: "also create, change and remove records of its own there, and print their keys",
        section: "Other tasks", with: "check-server"),
      OptionDescription(
        "start-over",
        summary: "forget the server's versions, and offer all records and removals again",
        section: "Other tasks"),
      .report,
    ],
    tasks: [
      TaskDescription("status", accepts: ["store", "trust-schema", "report"]),
      TaskDescription(
        "check-server",
        accepts: ["store", "table", "model", "trust-schema", "headers", "allow-http", "write"]),
      TaskDescription("start-over", accepts: ["store", "table", "trust-schema"]),
    ],
    exclusions: [["server", "pull"], ["table", "model"], ["dry-run", "every"]],
    exitCodes: [
      .done, .rejected.meaning("done; the server refused some records, or the model some of its"),
      .usage,
      .dataError.meaning(
        "the server answers something else than expected, or removed too many rows"),
      .noInput.meaning("the store does not exist, and no model is named"), .internalError, .ioError,
      .unreachable, .noPermission,
      .interrupted.meaning("interrupted; what was taken over or sent stays"),
    ],
    examples: [
      .init(
        "poi-sync --server https://example.org/pois --model poi",
        "make a table from a server's records, and track it"),
      .init("poi-sync", "pull what changed there, and push what changed here"),
      .init(
        "poi-sync --pull 'https://example.org/pois?since={token}' --token-at /now",
        "take over what changed on a server of another kind"),
      .init("poi-sync --every 20 --headers token.txt", "keep the store and the server equal"),
      .init("poi-sync --status", "see what was not sent, and what was refused"),
    ])
}
